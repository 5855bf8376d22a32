"""Proposals and what became of a memory, as JSON and back."""

from datetime import UTC, datetime
from typing import Any

import pytest

from simonides import MemoryTraits
from simonides.codec.read import read_proposed
from simonides.codec.write import to_wire
from simonides.errors import InvalidInput
from simonides.model.item import Status
from simonides.model.memories import Compared, MergeOp, MergeReason, ProposedMemory, Remembered

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)


def test_a_proposal_of_a_text_and_its_evidence_is_enough() -> None:
    assert read_proposed({"text": "Tea.", "evidence": ["a"]}) == ProposedMemory(
        text="Tea.", evidence=("a",)
    )


def test_every_field_is_read() -> None:
    record = {
        "text": " Tea\n",
        "evidence": ["a", "b"],
        "traits": {"entity": "Tom", "confidence": 1, "expires_at": "2026-03-12T12:00:00Z"},
        "happened_at": "2026-03-12T13:00:00",
        "note": "why",
    }

    assert read_proposed(record, timezone="Europe/Vienna") == ProposedMemory(
        text=" Tea\n",
        evidence=("a", "b"),
        traits=MemoryTraits(entity="Tom", confidence=1, expires_at=NOON),
        happened_at=NOON,
        note="why",
    )


def test_what_was_written_reads_back() -> None:
    one = ProposedMemory(
        text="Tea.", evidence=("a",), traits=MemoryTraits(expires_at=NOON), happened_at=NOON
    )

    assert read_proposed(to_wire(one)) == one


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([], "proposal: must be an object, got list"),
        ({"evidence": ["a"]}, "text: must be text, got NoneType"),
        ({"text": 3, "evidence": ["a"]}, "text: must be text, got int"),
        ({"text": "x"}, "evidence: must name 1 to 100"),
        ({"text": "x", "evidence": "a"}, "evidence: must be a list of ids, got str"),
        ({"text": "x", "evidence": [1]}, "evidence: must hold str"),
        ({"text": "x", "evidence": ["a"], "by": "m"}, "by: is not known; there are evidence"),
        ({"text": "x", "evidence": ["a"], "traits": {"colour": "red"}}, "traits.colour"),
        ({"text": "x", "evidence": ["a"], "traits": [1]}, "traits: must be an object"),
        ({"text": "x", "evidence": ["a"], "happened_at": "soon"}, "happened_at: 'soon' is no date"),
        ({"text": "x", "evidence": ["a"], "note": 3}, "note: must be text"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_its_field(record: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_proposed(record)


def test_what_became_of_a_memory_is_reported_with_what_it_was_compared_with() -> None:
    compared = Compared(
        id="a", text="Tea.", status=Status.ACTIVE, likeness=1.0, same_entity=False, score=None
    )
    made = Remembered(
        op=MergeOp.NOOP, reason=MergeReason.DUPLICATE_TEXT, id="a", superseded="", written=(),
        revision=3, compared=(compared,),
    )  # fmt: skip

    assert to_wire(made) == {
        "op": "noop", "reason": "duplicate_text", "id": "a", "superseded": "", "written": [],
        "revision": 3,
        "compared": [{"id": "a", "text": "Tea.", "status": "active", "likeness": 1.0,
                      "same_entity": False, "score": None}],
    }  # fmt: skip
