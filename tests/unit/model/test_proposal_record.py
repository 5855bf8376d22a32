"""What a proposal must be: it says something, of something, and is nobody's decision yet."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides import MemoryTraits
from simonides.errors import InvalidInput
from simonides.model.item import Status
from simonides.model.memories import (
    EVIDENCE_MAX,
    PROPOSED_CHARS_MAX,
    ItemChange,
    MergeOp,
    MergeReason,
    Proposal,
    ProposalOutcome,
    ProposedMemory,
    proposal_id,
)

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
ONE = ProposedMemory(text="Tea.", evidence=("a", "b", "a"))
KEPT: dict[str, Any] = {"id": "p", "proposed": ONE, "by": "m/1", "collection": "main"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"text": " "}, "text: is empty"),
        ({"text": 1}, "text: must be text"),
        ({"text": "x" * (PROPOSED_CHARS_MAX + 1)}, "text: must have at most 4,000"),
        ({"text": "\ud800"}, "text: holds half a character"),
        ({"note": None}, "note: must be text"),
        ({"evidence": ()}, "evidence: must name 1 to 100 items"),
        ({"evidence": "abc"}, "evidence: must be a list"),
        ({"evidence": (1,)}, "evidence: must hold str"),
        ({"evidence": ("\ud800",)}, "evidence: holds half"),
        ({"evidence": map(str, range(EVIDENCE_MAX + 1))}, "evidence: must name 1 to 100 items"),
        ({"traits": {}}, "traits: must be MemoryTraits"),
        ({"traits": MemoryTraits(status=Status.DELETED)}, "status: of what is proposed must be"),
        ({"happened_at": "soon"}, "happened_at: 'soon' is no date"),
    ],
)
def test_a_proposed_memory_that_can_not_be_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        ProposedMemory(**{"text": "Tea.", "evidence": ("a",), **given})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"id": ""}, "id: must have 1 to 256"),
        ({"id": "\ud800"}, "id: holds half"),
        ({"by": ""}, "by: must not be empty"),
        ({"collection": ""}, "collection: must not be empty"),
        ({"status": "open"}, "status: must be one of pending"),
        ({"created_at": None}, "created_at: must be a datetime"),
        ({"decided_at": 5}, "decided_at: must be a datetime"),
    ],
)
def test_a_proposal_that_can_not_be_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        Proposal(**{**KEPT, "created_at": NOON, **given})


def test_evidence_is_named_once_each() -> None:
    assert ONE.evidence == ("a", "b")


def test_a_proposal_names_its_evidence_and_what_it_changed() -> None:
    changes = (ItemChange(id="b", before=1, after=2), ItemChange(id="c", before=0, after=1))
    outcome = ProposalOutcome(
        op=MergeOp.ADD, reason=MergeReason.NO_SIMILAR_MEMORY, id="c", revision=3, changes=changes
    )
    pending = Proposal(**KEPT, created_at=NOON)

    assert pending.item_ids == ("a", "b")
    assert replace(pending, outcome=outcome).item_ids == ("a", "b", "c")


@pytest.mark.parametrize(
    ("other", "collection"),
    [
        (replace(ONE, text="Tea"), "main"),
        (replace(ONE, evidence=("a",)), "main"),
        (replace(ONE, traits=MemoryTraits(entity="x")), "main"),
        (replace(ONE, traits=MemoryTraits(user_id="x")), "main"),
        (replace(ONE, traits=MemoryTraits(session_id="x")), "main"),
        (ONE, "work"),
    ],
)
def test_another_statement_is_another_proposal(other: ProposedMemory, collection: str) -> None:
    assert proposal_id(other, collection=collection) != proposal_id(ONE, collection="main")


@pytest.mark.parametrize(
    "same",
    [
        replace(ONE, evidence=("b", "a")),
        replace(ONE, note="because"),
        replace(ONE, happened_at=NOON),
        replace(ONE, traits=MemoryTraits(confidence=0.9, importance=0.1, expires_at=NOON)),
    ],
)
def test_how_sure_somebody_is_makes_no_other_proposal(same: ProposedMemory) -> None:
    assert proposal_id(same, collection="main") == proposal_id(ONE, collection="main")
