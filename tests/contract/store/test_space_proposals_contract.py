"""What every store must hold of proposals, and of writes that rest on a decision about memories."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.item import MemoryTraits, MemoryType, Scope
from simonides.model.memories import (
    ItemChange,
    MergeOp,
    MergeReason,
    Proposal,
    ProposalOutcome,
    ProposalStatus,
    ProposedMemory,
)
from simonides.model.stored import Change, Prepared
from simonides.ports.memories import DecidedBy
from simonides.ports.space import Space, SpaceStore

Prepare = Callable[..., Prepared]

NOON = datetime(2026, 3, 6, 12, 0, 0, 7, tzinfo=UTC)
FULL = ProposedMemory(
    text="Ana prefers tea — 🫖 \0",
    evidence=("mail-1", "ü"),
    traits=MemoryTraits(
        scope=Scope.WORKSPACE, type=MemoryType.POLICY, confidence=0.1,
        importance=0.30000000000000004, half_life_hours=0.0, entity="Ana", workspace_id="w",
        user_id="u", session_id="s", source_run_id="r", expires_at=NOON,
    ),
    happened_at=NOON - timedelta(days=9),
    note="she said so",
)  # fmt: skip
ADDS = ProposalOutcome(
    op=MergeOp.ADD, reason=MergeReason.NO_SIMILAR_MEMORY, id="tea", revision=0,
    changes=(ItemChange(id="tea", before=0, after=0), ItemChange(id="old", before=1, after=0)),
)  # fmt: skip


def proposal(name: str = "p", *, hours: int = 0, **given: Any) -> Proposal:
    values: dict[str, Any] = {"proposed": FULL, "by": "m/1", "collection": "main", **given}
    return Proposal(id=name, created_at=NOON + timedelta(hours=hours), **values)


def state(space: Space) -> DecidedBy:
    with space.read() as reader:
        return DecidedBy(revision=reader.revision, epoch=reader.epoch)


def kept(space: Space, name: str = "p") -> Proposal | None:
    with space.read() as reader:
        return reader.proposal(name)


def listed(space: Space, *statuses: ProposalStatus, limit: int = 9, before: str = "") -> list[str]:
    with space.read() as reader:
        found = reader.proposals(statuses=statuses, limit=limit, before=before)
        return [one.id for one in found]


def decide(space: Space, one: Proposal, **given: Any) -> Proposal | None:
    values = {
        "was": ProposalStatus.PENDING, "prepared": (), "forget": (), "decided_by": state(space),
        "at": NOON, **given,
    }  # fmt: skip
    return space.decide(one, **values)


def test_a_proposal_reads_back_to_the_last_bit(space: Space) -> None:
    full = proposal(status=ProposalStatus.ACCEPTED, decided_at=NOON, outcome=ADDS)

    assert space.put_proposals([full, proposal("q")], at=NOON) == ("p", "q")
    assert (kept(space), kept(space, "q")) == (full, proposal("q"))
    assert kept(space, "r") is None
    assert kept(space, "\ud800") is None


def test_what_is_kept_is_not_written_over_and_only_what_is_new_takes_a_revision(
    space: Space,
) -> None:
    space.put_proposals([proposal()], at=NOON)
    other = proposal(by="other")

    assert state(space).revision == 1
    assert space.put_proposals([other], at=NOON) == ()
    assert space.put_proposals([], at=NOON) == ()
    assert state(space).revision == 1
    assert space.put_proposals([other, proposal("q")], at=NOON) == ("q",)
    assert state(space).revision == 2
    assert kept(space) == proposal()


def test_proposals_come_latest_first_and_page_by_page(space: Space) -> None:
    names = {"a": 0, "b": 1, "c": 1, "d": -1}
    space.put_proposals([proposal(name, hours=hours) for name, hours in names.items()], at=NOON)

    assert listed(space) == ["c", "b", "a", "d"]
    assert listed(space, limit=2) == ["c", "b"]
    assert listed(space, limit=2, before="b") == ["a", "d"]
    assert listed(space, before="d") == []
    assert listed(space, before="unknown") == []
    assert listed(space, limit=0) == []


def test_proposals_of_some_statuses_can_be_asked_for(space: Space) -> None:
    every = [proposal(status.value, status=status) for status in ProposalStatus]
    space.put_proposals(every, at=NOON)

    for status in ProposalStatus:
        assert listed(space, status) == [status.value]
    both = listed(space, ProposalStatus.PENDING, ProposalStatus.UNDONE)
    assert both == ["undone", "pending"]
    assert len(listed(space)) == 4


def test_a_decision_and_what_it_writes_are_one_revision(space: Space, prepare: Prepare) -> None:
    space.commit([prepare("old", id="old"), prepare("gone", id="gone")], stored_at=NOON)
    space.put_proposals([proposal()], at=NOON)
    wanted = proposal(status=ProposalStatus.ACCEPTED, decided_at=NOON, outcome=ADDS)
    written = [prepare("tea", id="tea"), prepare("older", id="old")]
    done = decide(space, wanted, prepared=written, forget=("gone", "unknown"))

    assert done is not None
    assert done.outcome is not None
    assert (done.outcome.revision, state(space).revision) == (3, 3)
    assert done.outcome.changes == (
        ItemChange(id="tea", before=0, after=1), ItemChange(id="old", before=1, after=2),
    )  # fmt: skip
    assert kept(space) == done
    with space.read() as reader:
        found = {one: reader.item(one) for one in ("tea", "old", "gone")}
    assert {one: item and item.content for one, item in found.items()} == {
        "tea": "tea", "old": "older", "gone": None,
    }  # fmt: skip
    assert {item.revision for item in found.values() if item} == {3}


@pytest.mark.parametrize("was", [ProposalStatus.REJECTED, ProposalStatus.ACCEPTED])
def test_a_proposal_that_was_decided_meanwhile_is_not_decided(
    was: ProposalStatus, space: Space, prepare: Prepare
) -> None:
    space.put_proposals([proposal()], at=NOON)
    done = decide(space, proposal(), was=was, prepared=[prepare("tea", id="tea")])

    assert done is None
    assert decide(space, proposal("unknown")) is None
    with space.read() as reader:
        assert (reader.item("tea"), reader.revision) == (None, 1)


def overtake(space: Space, prepare: Prepare, how: str) -> None:
    if how == "added":
        space.commit([prepare("x", id="x")], stored_at=NOON)
    elif how == "replaced":
        space.commit([prepare("other words", id="tea")], stored_at=NOON)
    elif how == "forgotten":
        space.forget(["tea"], at=NOON)


@pytest.mark.parametrize("how", ["added", "replaced", "forgotten"])
def test_a_decision_that_a_memory_overtook_writes_nothing(
    how: str, space: Space, prepare: Prepare
) -> None:
    space.commit([prepare("tea", id="tea")], stored_at=NOON)
    space.put_proposals([proposal()], at=NOON)
    seen = state(space)
    overtake(space, prepare, how)
    revision = state(space).revision
    written = [prepare("new", id="new")]

    assert space.commit_memories(written, decided_by=seen, stored_at=NOON) is None
    assert decide(space, proposal(by="x"), prepared=written, decided_by=seen) is None
    assert state(space).revision == revision
    assert kept(space) == proposal()


def test_a_decision_that_something_else_overtook_is_written(space: Space, prepare: Prepare) -> None:
    space.commit([prepare("tea", id="tea")], stored_at=NOON)
    seen = state(space)
    space.commit([prepare("mail", id="mail", kind="email")], stored_at=NOON)
    space.forget(["mail"], at=NOON)
    space.put_proposals([proposal()], at=NOON)
    made = space.commit_memories([prepare("new", id="new")], decided_by=seen, stored_at=NOON)

    assert made is not None
    assert [(one.change, one.revision) for one in made] == [(Change.ADDED, 5)]


def test_what_decisions_replace_and_forget_is_counted_as_departed(
    space: Space, prepare: Prepare
) -> None:
    space.commit([prepare("tea", id="tea"), prepare("ham", id="ham")], stored_at=NOON)
    new = [prepare("coffee", id="tea"), prepare("rice", id="rice")]
    space.commit_memories(new, decided_by=state(space), stored_at=NOON)
    assert space.departed == 1

    space.commit_memories(new, decided_by=DecidedBy(revision=0, epoch=0), stored_at=NOON)
    assert space.departed == 1

    space.put_proposals([proposal()], at=NOON)
    decide(space, proposal(by="x"), prepared=[prepare("milk", id="tea")], forget=["ham"])
    assert space.departed == 3


def test_a_decision_by_a_state_before_everything_is_overtaken_by_the_first_memory(
    space: Space, prepare: Prepare
) -> None:
    nothing = DecidedBy(revision=0, epoch=0)
    written = [prepare("a", id="a")]

    assert space.commit_memories(written, decided_by=nothing, stored_at=NOON) is not None
    assert space.commit_memories(written, decided_by=nothing, stored_at=NOON) is None


def test_a_decision_that_rows_rewritten_without_a_trace_overtook_writes_nothing(
    space: Space, prepare: Prepare
) -> None:
    space.commit([prepare("tea", id="tea")], stored_at=NOON)
    seen = state(space)
    written = [prepare("new", id="new")]
    other = seen._replace(epoch=seen.epoch + 1)

    assert space.commit_memories(written, decided_by=other, stored_at=NOON) is None
    assert space.commit_memories(written, decided_by=seen, stored_at=NOON) is not None


def test_proposals_and_decisions_are_there_after_reopening(
    make_store: Callable[[], SpaceStore], tiny: Any
) -> None:
    first = make_store()
    space = first.open("ana", embedder=tiny, create=True)
    space.put_proposals([proposal()], at=NOON)
    decide(space, proposal(status=ProposalStatus.REJECTED, decided_at=NOON))
    first.close()

    there = make_store().open("ana", embedder=tiny, create=False)
    assert listed(there, ProposalStatus.REJECTED) == ["p"]
    assert all(finding.sound for finding in there.check())


def test_a_text_that_can_not_be_kept_is_refused_and_nothing_is_written(space: Space) -> None:
    with pytest.raises(InvalidInput, match="note: holds half a character"):
        space.put_proposals([proposal(proposed=replace(FULL, note="\udc00"))], at=NOON)

    assert state(space).revision == 0


def test_a_decision_does_not_hold_once_what_died_since_was_compacted_away(
    space: Space, prepare: Prepare
) -> None:
    space.commit([prepare("tea", id="old")], stored_at=NOON)
    known = state(space)
    space.forget(["old"], at=NOON)
    died = state(space).revision
    space.compact(before=died, now=NOON, decided_before=None, limit=9)

    written = space.commit_memories(
        [prepare("tea, superseded", id="old")], decided_by=known, stored_at=NOON
    )

    assert written is None
    with space.read() as reader:
        assert reader.item("old") is None
