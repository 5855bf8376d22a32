"""What keeps a candidate out before its words are looked at."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from simonides.context.selection import SOURCED_ITEMS_MAX, Eligibility
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, DropReason, Layout
from simonides.model.item import Status, Trust

MakeHit = Callable[..., Hit]

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def gate(config: ContextConfig | None = None, **fields: object) -> Eligibility:
    return Eligibility(config=config or ContextConfig(**fields), now=NOW)  # type: ignore[arg-type]


def test_nothing_keeps_an_ordinary_candidate_out(hit: MakeHit) -> None:
    assert gate().rejection(hit("x")) is None
    assert gate().rejection(hit("x", kind="email", score=-9.0, trust=Trust.EXTERNAL)) is None


@pytest.mark.parametrize(
    ("status", "reason", "detail"),
    [
        (Status.SUPERSEDED, DropReason.SUPERSEDED, "a newer memory took its place"),
        (Status.QUARANTINED, DropReason.INACTIVE, "its status is quarantined"),
        (Status.DELETED, DropReason.INACTIVE, "its status is deleted"),
    ],
)
def test_a_memory_that_does_not_hold_stays_out(
    hit: MakeHit, status: Status, reason: DropReason, detail: str
) -> None:
    assert gate().rejection(hit("x", traits={"status": status})) == (reason, detail)


@pytest.mark.parametrize(("minutes", "is_out"), [(-1, True), (0, True), (1, False)])
def test_a_memory_expires_at_its_very_moment(hit: MakeHit, minutes: int, *, is_out: bool) -> None:
    at = NOW + timedelta(minutes=minutes)
    refusal = gate().rejection(hit("x", traits={"expires_at": at}))
    expected = (DropReason.EXPIRED, f"expired at 2026-03-12 {at:%H:%M} UTC")

    assert refusal == (expected if is_out else None)


@pytest.mark.parametrize(
    ("score", "is_out"), [(0.29, True), (float("nan"), True), (0.3, False), (0.9, False)]
)
def test_a_score_below_the_least_stays_out_and_none_at_all_does_too(
    hit: MakeHit, score: float, *, is_out: bool
) -> None:
    refusal = gate(score_min=0.3).rejection(hit("x", score=score))

    assert (refusal is not None) is is_out
    assert refusal is None or refusal == (
        DropReason.BELOW_THRESHOLD,
        f"{score:.3f} is below 0.3",
    )


def test_a_least_score_that_is_no_number_is_none(hit: MakeHit) -> None:
    assert gate(score_min=float("nan")).rejection(hit("x", score=-1.0)) is None
    assert gate(score_min=0.0).rejection(hit("x", score=-1.0)) is not None


@pytest.mark.parametrize("least", Trust)
def test_what_is_trusted_less_stays_out(hit: MakeHit, least: Trust) -> None:
    ranks = list(Trust)
    for trust in Trust:
        refusal = gate(trust_min=least).rejection(hit("x", trust=trust))

        assert (refusal is None) is (ranks.index(trust) <= ranks.index(least))
        assert refusal is None or refusal == (
            DropReason.TRUST,
            f"{trust} is trusted less than {least}",
        )


def test_a_source_has_so_many_places(hit: MakeHit) -> None:
    watched = gate(source_items_max=2)
    for _ in range(2):
        assert watched.rejection(hit("x", source="gmail")) is None
        watched.accept(hit("x", source="gmail"))

    assert watched.rejection(hit("x", source="gmail")) == (
        DropReason.SOURCE_CAP,
        "2 of gmail are in",
    )
    assert watched.rejection(hit("x", source="jira")) is None
    assert gate(source_items_max=0).rejection(hit("x")) is not None


@pytest.mark.parametrize(
    ("config", "most"),
    [
        (ContextConfig(items_max=3), 3),
        (ContextConfig(items_max=0), 0),
        (ContextConfig(layout=Layout.SOURCED), SOURCED_ITEMS_MAX),
        (ContextConfig(layout=Layout.SOURCED, items_max=7), 7),
        (ContextConfig(layout=Layout.SCOPED), None),
        (ContextConfig(), None),
    ],
)
def test_so_many_items_have_a_place(hit: MakeHit, config: ContextConfig, most: int | None) -> None:
    watched = gate(config)
    for n in range(9 if most is None else most):
        assert watched.rejection(hit(f"x{n}")) is None
        watched.accept(hit(f"x{n}"))

    refusal = watched.rejection(hit("last"))
    assert refusal == (None if most is None else (DropReason.MAX_ITEMS, f"{most} items are in"))


def test_of_several_reasons_the_one_that_no_setting_could_mend_is_told(hit: MakeHit) -> None:
    out = hit("x", traits={"status": "superseded", "expires_at": NOW}, score=0.1, trust="external")
    config = ContextConfig(score_min=0.3, trust_min=Trust.OWN, source_items_max=0, items_max=0)
    reasons = []
    for one in (out, replace(out, item=hit("x").item)):
        refusal = gate(config).rejection(one)
        assert refusal is not None
        reasons.append(refusal[0])

    assert reasons == [DropReason.SUPERSEDED, DropReason.BELOW_THRESHOLD]


@pytest.mark.parametrize(("relevance", "least", "is_out"), [
    (0.0, 0.0, True), (0.01, 0.0, False), (0.19, 0.2, True), (0.2, 0.2, False),
])  # fmt: skip
def test_what_is_less_relevant_than_asked_for_stays_out_and_what_is_not_at_all_does_too(
    hit: MakeHit, relevance: float, least: float, *, is_out: bool
) -> None:
    refusal = gate(worth_min=least).rejection(replace(hit("x"), relevance=relevance))

    assert (refusal is not None) is is_out
    assert refusal is None or refusal[0] is DropReason.NOT_WORTH
