"""Small records: what they add up, which level is least, and what a field takes."""

import math
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.model.access import NAME_CHARS_MAX, SHARED_MAX, ApiKey, Permission
from simonides.model.answer import (
    NO_EXPLANATION,
    Contribution,
    Diagnostics,
    Explanation,
    Hit,
    Mode,
    Plan,
    Scorer,
    SearchResult,
)
from simonides.model.chat import Retrieved, Usage
from simonides.model.coercion import one_of, tuple_of
from simonides.model.import_report import ImportReport, Skipped
from simonides.model.item import (
    TRUST_KEY,
    Item,
    MemoryTraits,
    Person,
    Trust,
    declared_trust,
    least_trusted,
    with_trust,
)
from simonides.model.maintenance import Proof
from simonides.model.memories import MergeConfig

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
ONE = Item(content="The ferry leaves at seven.")


class Colour(StrEnum):
    """Two colours."""

    RED = "red"
    BLUE = "blue"


# ── fields ────────────────────────────────────────────────────────────────────────────────────


def test_a_member_is_named_by_its_text_or_is_itself() -> None:
    assert one_of(Colour, "red", field="colour") is Colour.RED
    assert one_of(Colour, Colour.BLUE, field="colour") is Colour.BLUE


@pytest.mark.parametrize("value", ["RED", "", " red", None, 5, ["red"], {}])
def test_what_names_no_member_is_told_which_there_are(value: Any) -> None:
    with pytest.raises(InvalidInput) as reported:
        one_of(Colour, value, field="colour")

    assert str(reported.value) == f"colour: must be one of red, blue; got {value!r}"


@pytest.mark.parametrize(
    ("values", "kept"),
    [((), ()), (["b", "a"], ("b", "a")), ({"b", "a", "c"}, ("a", "b", "c")),
     (iter("ba"), ("b", "a")), ({"x": 1}, ("x",))],
)  # fmt: skip
def test_several_values_keep_their_order_and_those_of_a_set_get_one(
    values: Any, kept: tuple[str, ...]
) -> None:
    assert tuple_of(str, values, field="tags") == kept


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ("red", "must be a list, got 'red'"),
        (b"red", "must be a list, got b'red'"),
        (5, "must be a list, got 5"),
        (None, "must be a list, got None"),
        (["a", 5], "must hold str values only, got 5"),
        ([["a"]], "must hold str values only, got ['a']"),
    ],
)
def test_what_is_no_list_of_its_sort_is_refused(values: Any, problem: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        tuple_of(str, values, field="tags")

    assert str(reported.value) == f"tags: {problem}"


# ── what a person, an item and a memory may hold ──────────────────────────────────────────────

TRAIT_TEXTS = ("entity", "workspace_id", "user_id", "session_id", "source_run_id")


@pytest.mark.parametrize("name", TRAIT_TEXTS)
@pytest.mark.parametrize(("value", "sort"), [(5, "int"), (None, "NoneType"), (["a"], "list")])
def test_a_trait_that_is_a_text_takes_nothing_else(name: str, value: Any, sort: str) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(InvalidInput) as reported:
        MemoryTraits(**given)

    assert str(reported.value) == f"traits.{name}: must be text, got {sort}"


ITEM_TEXTS = ("content", "title", "summary", "source", "session", "quoted")


def with_trait(name: str) -> MemoryTraits:
    given: dict[str, Any] = {name: "\ud800"}
    return MemoryTraits(**given)


def with_field(name: str) -> Item:
    given: dict[str, Any] = {"content": "x", name: "a\ud800"}
    return Item(**given)


HALF = "holds half a character (a lone surrogate); decode it first"


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Item(content="x", tags=("fine", "a\ud800")), "tags"),
        (lambda: Person(name="a\udfff"), "people.name"),
        (lambda: Person(address="\udc80@example.com"), "people.address"),
        *((partial(with_trait, name), f"traits.{name}") for name in TRAIT_TEXTS),
        *((partial(with_field, name), name) for name in ITEM_TEXTS),
    ],
)  # fmt: skip
def test_half_a_character_is_refused_by_the_field_that_holds_it(make: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        make()

    assert str(reported.value) == f"{field}: {HALF}"


@pytest.mark.parametrize("key", [1, None, True, ("a",), b"a"])
def test_metadata_is_kept_under_texts_alone(key: Any) -> None:
    with pytest.raises(InvalidInput, match="metadata: must have texts as keys, got"):
        Item(content="x", metadata={"fine": 1, key: 2})


def test_what_lies_beyond_the_basic_plane_is_a_whole_character() -> None:
    made = Item(
        content="x", tags=("🜚",), people=(Person(name="🜚 Ana"),), traits=MemoryTraits(entity="🜚")
    )

    assert (made.tags, made.traits and made.traits.entity) == (("🜚",), "🜚")


# ── trust ─────────────────────────────────────────────────────────────────────────────────────

levels = st.sampled_from(Trust)


@given(given_levels=st.lists(levels, min_size=1))
def test_the_least_is_the_last_of_the_order_in_which_they_are_told(
    given_levels: list[Trust],
) -> None:
    order = list(Trust)

    assert least_trusted(*given_levels) is order[max(order.index(one) for one in given_levels)]


@given(first=levels, second=levels)
def test_saying_it_twice_leaves_the_lower_level_and_the_rest_of_the_item(
    first: Trust, second: Trust
) -> None:
    said = with_trust(with_trust(replace(ONE, metadata={"a": 1}), first), second)

    assert declared_trust(said) is least_trusted(first, second)
    assert said.metadata == {"a": 1, TRUST_KEY: least_trusted(first, second).value}
    assert (said.id, said.content) == (ONE.id, ONE.content)


@pytest.mark.parametrize("value", ["OWN", "", 5, None, ["own"], True])
def test_what_is_no_level_says_nothing_and_gives_way(value: Any) -> None:
    item = replace(ONE, metadata={TRUST_KEY: value})

    assert declared_trust(item) is None
    assert declared_trust(with_trust(item, Trust.OWN)) is Trust.OWN


def test_an_item_that_says_nothing_says_nothing() -> None:
    assert declared_trust(ONE) is None
    assert ONE.metadata == {}


# ── answers ───────────────────────────────────────────────────────────────────────────────────

finite = st.floats(-1e6, 1e6)


@given(values=st.lists(finite, max_size=8))
def test_a_score_is_its_contributions_added_in_their_order(values: list[float]) -> None:
    parts = tuple(Contribution(name=str(n), value=value) for n, value in enumerate(values))
    total = 0.0
    for value in values:
        total += value

    assert Explanation(contributions=parts, lanes=()).score == total


def test_without_an_explanation_there_is_no_score() -> None:
    assert NO_EXPLANATION.score == 0.0


def test_a_result_is_a_sequence_of_its_hits() -> None:
    hits = tuple(Hit(item=replace(ONE, id=str(n)), score=1.0 - n / 10) for n in range(3))
    seen = Diagnostics(
        revision=1, mode_requested=Mode.TEXT, mode_used=Mode.TEXT, scorer=Scorer.FUSED
    )
    result = SearchResult(hits=hits, plan=Plan(), diagnostics=seen)

    assert [one.id for one in result] == ["0", "1", "2"]
    assert (len(result), result[1].id, result[-1].id) == (3, "1", "2")
    assert not replace(result, hits=())
    with pytest.raises(IndexError):
        result[3]


@given(added=st.integers(0, 99), unchanged=st.integers(0, 99), updated=st.integers(0, 99),
       skipped=st.integers(0, 9))  # fmt: skip
def test_an_import_counts_every_part_once(
    added: int, unchanged: int, updated: int, skipped: int
) -> None:
    report = ImportReport(
        added=added, unchanged=unchanged, updated=updated,
        skipped=(Skipped(where="a", reason="b"),) * skipped,
    )  # fmt: skip

    assert report.read == added + unchanged + updated + skipped


@pytest.mark.parametrize(
    ("proof", "holds"),
    [
        (Proof(looked_for=5), True),
        (Proof(looked_for=5, elsewhere=3), True),
        (Proof(looked_for=5, left=1), False),
        (Proof(problem="no room"), False),
    ],
)
def test_a_proof_holds_where_it_was_done_and_nothing_is_left(proof: Proof, *, holds: bool) -> None:
    assert proof.holds is holds


def test_tokens_are_those_of_the_question_and_of_the_answer() -> None:
    assert Usage(prompt_tokens=7, completion_tokens=5).total_tokens == 12
    assert Usage().total_tokens == 0


def test_what_was_retrieved_counts_its_hits() -> None:
    assert Retrieved().found == 0
    assert Retrieved(hits=(Hit(item=ONE, score=1.0),) * 2).found == 2


def test_records_are_not_changed_after_they_were_made() -> None:
    with pytest.raises(FrozenInstanceError):
        Usage().prompt_tokens = 5  # type: ignore[misc]


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf])
def test_a_threshold_beyond_a_share_is_refused(value: float) -> None:
    with pytest.raises(InvalidInput, match=r"supersede_threshold: must lie in \[0, 1\]"):
        MergeConfig(supersede_threshold=value)


@pytest.mark.parametrize("value", [0.0, 0.05, 1.0])
def test_both_ends_of_a_threshold_are_taken(value: float) -> None:
    assert MergeConfig(supersede_threshold=value).supersede_threshold == value


# ── keys ──────────────────────────────────────────────────────────────────────────────────────


def key(**given: Any) -> ApiKey:
    return ApiKey(id="k", prefix="sk_1", space="s", created_at=NOON, **given)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"name": "x" * (NAME_CHARS_MAX + 1)}, "name: must have at most 100 printable characters"),
        ({"name": "a\nb"}, "name: must have at most 100 printable characters"),
        ({"shared": ("s",) * (SHARED_MAX + 1)}, "shared: must be at most 100 spaces"),
        ({"permissions": ()}, "permissions: must not be empty: a key allows something"),
    ],
)
def test_a_key_that_can_not_be_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        key(**given)

    assert str(reported.value) == problem


def test_the_longest_name_and_the_most_spaces_are_taken() -> None:
    made = key(name="x" * NAME_CHARS_MAX, shared=("s",) * SHARED_MAX)

    assert (len(made.name), len(made.shared)) == (100, 100)


@given(permissions=st.lists(st.sampled_from(Permission), min_size=1).map(tuple))
def test_a_key_allows_what_it_names_and_an_admin_everything(
    permissions: tuple[Permission, ...],
) -> None:
    made = key(permissions=permissions)

    for one in Permission:
        assert made.allows(one) is (one in permissions or Permission.ADMIN in permissions)


@pytest.mark.parametrize(
    ("expires", "revoked", "valid"),
    [(None, None, True), (1, None, True), (0, None, False), (-1, None, False), (None, -1, False),
     (1, 0, False)],
)  # fmt: skip
def test_a_key_lets_in_until_it_expires_or_is_revoked(
    expires: int | None, revoked: int | None, *, valid: bool
) -> None:
    def at(seconds: int | None) -> datetime | None:
        return None if seconds is None else NOON + timedelta(seconds=seconds)

    assert key(expires_at=at(expires), revoked_at=at(revoked)).is_valid(now=NOON) is valid
