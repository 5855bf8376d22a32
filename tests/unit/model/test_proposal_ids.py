"""What is proposed: ids that do not depend on how sure one is, and all that it names."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.model.item import ID_CHARS_MAX, MemoryTraits, Scope, Status
from simonides.model.memories import (
    EVIDENCE_MAX,
    PROPOSED_CHARS_MAX,
    ItemChange,
    MergeOp,
    MergeReason,
    Proposal,
    ProposalOutcome,
    ProposalStatus,
    ProposedMemory,
    proposal_id,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
filled = texts.filter(lambda text: bool(text.strip()))
ids = st.lists(texts, min_size=1, max_size=4).map(tuple)
proposals = st.builds(
    ProposedMemory,
    text=filled,
    evidence=ids,
    note=texts,
    traits=st.builds(
        MemoryTraits,
        scope=st.sampled_from(Scope),
        entity=texts,
        confidence=st.floats(0.0, 1.0),
        importance=st.floats(0.0, 1.0),
    ),
)
NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
TEA = ProposedMemory(text="Ana takes tea.", evidence=("a", "b"))


@given(proposed=proposals, collection=filled, data=st.data())
def test_the_id_is_that_of_what_is_said_in_whatever_order_its_evidence_stands(
    proposed: ProposedMemory, collection: str, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(proposed.evidence))
    surer = replace(proposed.traits, confidence=1.0, importance=0.0)
    same = replace(proposed, evidence=tuple(shuffled), traits=surer, note="another")
    own = proposal_id(proposed, collection=collection)

    assert proposal_id(same, collection=collection) == own
    assert len(own) == 26
    assert own.isalnum()
    assert proposal_id(proposed, collection=f"{collection}x") != own
    assert proposal_id(replace(proposed, text=f"{proposed.text}x"), collection=collection) != own


@given(evidence=st.lists(texts, min_size=1, max_size=8))
def test_evidence_is_named_once_each_and_keeps_its_order(evidence: list[str]) -> None:
    kept = ProposedMemory(text="x", evidence=tuple(evidence)).evidence

    assert list(kept) == sorted(set(evidence), key=evidence.index)


def test_the_longest_text_and_the_most_evidence_are_taken() -> None:
    made = ProposedMemory(
        text="x" * PROPOSED_CHARS_MAX, evidence=tuple(map(str, range(EVIDENCE_MAX)))
    )

    assert (len(made.text), len(made.evidence)) == (4_000, 100)


def test_a_time_is_kept_in_utc() -> None:
    east = NOON.astimezone(timezone(timedelta(hours=9)))

    assert replace(TEA, happened_at=east).happened_at == NOON
    assert str(replace(TEA, happened_at=east).happened_at) == "2026-03-12 12:00:00+00:00"


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACTIVE])
def test_only_what_holds_can_be_proposed(status: Status) -> None:
    with pytest.raises(InvalidInput, match=f"must be active, got {status}"):
        replace(TEA, traits=MemoryTraits(status=status))


def proposal(**given_fields: object) -> Proposal:
    fields: dict[str, object] = {
        "id": "p", "proposed": TEA, "by": "m/1", "collection": "main", "created_at": NOON,
        **given_fields,
    }  # fmt: skip
    return Proposal(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_fields", "problem"),
    [
        ({"id": ""}, "id: must have 1 to 256 characters"),
        ({"id": "x" * (ID_CHARS_MAX + 1)}, "id: must have 1 to 256 characters"),
        ({"id": 5}, "id: must be text, got int"),
        ({"by": ""}, "by: must not be empty"),
        ({"by": None}, "by: must be text, got NoneType"),
        ({"collection": ""}, "collection: must not be empty"),
        ({"status": "maybe"}, "status: must be one of pending, accepted, rejected, undone"),
        ({"decided_at": "noon"}, "decided_at: must be a datetime, got 'noon'"),
    ],
)
def test_a_proposal_that_can_not_be_is_refused_by_its_field(
    given_fields: dict[str, object], problem: str
) -> None:
    with pytest.raises(InvalidInput) as reported:
        proposal(**given_fields)

    assert str(reported.value).startswith(problem)


def test_a_status_may_be_named_by_its_text() -> None:
    assert proposal(status="accepted").status is ProposalStatus.ACCEPTED


def test_a_proposal_names_its_evidence_first_and_each_item_once() -> None:
    changes = tuple(ItemChange(id=one, before=0, after=1) for one in ("c", "a", "c"))
    outcome = ProposalOutcome(
        op=MergeOp.ADD, reason=MergeReason.NO_SIMILAR_MEMORY, id="c", revision=3, changes=changes
    )

    assert proposal().item_ids == ("a", "b")
    assert proposal(outcome=outcome).item_ids == ("a", "b", "c")
