"""Laws of memories that change, over random histories: nothing is lost, nothing stands twice.

Small generated spaces; the rules that are checked know nothing of search, SQLite or versions.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import (
    Filter,
    Hit,
    Item,
    Memory,
    MemoryTraits,
    Settings,
    SimonidesError,
    Viewer,
)
from simonides.memories.merge import merge_candidate, wording
from simonides.memories.scoped_merge import entity_key, is_visible, merge_scoped_candidates
from simonides.model.item import MemoryType, Scope, Status, digest
from simonides.model.memories import Proposal, ProposedMemory
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
WORDS = ("tea", "coffee", "Tom", "harbor", "東京", "🙂", "is", "not")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
entities = st.sampled_from(["", "Tom", "tom ", "Alpha call"])
shares = st.sampled_from([0.2, 0.65, 0.7, 0.95])
ids = st.sampled_from(["", "a", "b"])
traits = st.builds(
    MemoryTraits,
    scope=st.sampled_from(Scope),
    type=st.sampled_from([MemoryType.EPISODIC, MemoryType.PROFILE]),
    status=st.sampled_from(Status),
    confidence=shares,
    entity=entities,
    workspace_id=ids,
    user_id=ids,
    session_id=ids,
    expires_at=st.sampled_from([None, NOON, NOON + timedelta(hours=1)]),
)
memories = st.builds(
    Item,
    content=texts,
    id=st.sampled_from(["x", "y"]),
    traits=traits,
    happened_at=st.sampled_from([None, NOON, NOON - timedelta(hours=1)]),
    stored_at=st.just(NOON),
)
hits = st.builds(
    Hit,
    item=st.builds(Item, content=texts, id=st.sampled_from("abcdefgh"), traits=traits),
    score=st.sampled_from([0.0, 0.5, 1.0, float("nan")]),
)
said = st.fixed_dictionaries(
    {"text": texts},
    optional={
        "entity": entities, "confidence": shares, "scope": st.sampled_from(["user", "global"]),
        "user_id": ids, "status": st.sampled_from(["active", "quarantined", "deleted"]),
    },
)  # fmt: skip


@contextmanager
def opened() -> Iterator[Memory]:
    with (
        tempfile.TemporaryDirectory() as home,
        Memory(
            home,
            settings=Settings(timezone="UTC", durability="relaxed"),
            embedder=HashingEmbedder(),
            clock=lambda: NOON,
        ) as memory,
    ):
        yield memory


def every(memory: Memory) -> list[Item]:
    return list(memory.list(filter=Filter(statuses=(), expired=True), limit=1000).items)


def state(memory: Memory) -> dict[str, bytes]:
    return {item.id: digest(item) for item in every(memory)}


@given(existing=st.none() | memories, candidate=memories)
def test_a_decision_is_a_function_of_two_memories_and_never_destroys(
    existing: Item | None, candidate: Item
) -> None:
    made = merge_candidate(existing, candidate)
    asks = candidate.traits is not None and candidate.traits.status is Status.DELETED

    assert made == merge_candidate(existing, candidate)
    assert made.op != "delete" or asks
    assert (made.op == "update") == bool(made.patch)
    assert made.ids == (() if existing is None else (existing.id,))


@given(existing=memories, candidate=memories)
def test_what_supersedes_is_of_the_same_place_and_entity_and_not_older(
    existing: Item, candidate: Item
) -> None:
    made = merge_candidate(existing, candidate)
    old, new = existing.traits, candidate.traits
    assert old is not None
    assert new is not None
    if made.op == "supersede":
        assert (old.scope, old.type, old.status) == (new.scope, new.type, Status.ACTIVE)
        assert old.entity.strip().casefold() == new.entity.strip().casefold() != ""
        assert new.confidence >= old.confidence - 0.05 - 1e-6
        assert (candidate.happened_at or NOON) >= (existing.happened_at or NOON)
        assert wording(existing.content) != wording(candidate.content) or old.expires_at == NOON


@given(candidates=st.lists(hits, max_size=12), top_k=st.integers(1, 6))
def test_each_entity_has_one_winner_and_everything_is_counted(
    candidates: list[Hit], top_k: int
) -> None:
    viewer = Viewer(user_id="a", workspace_id="b")
    made = merge_scoped_candidates(candidates, viewer=viewer, top_k=top_k)
    named = [one.entity for one in made.kept if one.entity]
    stats = made.stats

    assert len(named) == len(set(named))
    assert len(made.kept) == stats.kept_candidates <= top_k
    assert len(candidates) == (
        stats.repeated + stats.invisible + stats.filtered_candidates + stats.kept_candidates
    )
    for one in made.kept:
        own = one.hit.item.traits
        assert own is not None
        assert is_visible(own, viewer)
        assert entity_key(own.entity) == one.entity


@given(candidates=st.lists(hits, max_size=8, unique_by=lambda hit: hit.id), data=st.data())
def test_the_order_of_candidates_changes_nothing(candidates: list[Hit], data: Any) -> None:
    shuffled = data.draw(st.permutations(candidates))
    one, other = merge_scoped_candidates(candidates), merge_scoped_candidates(shuffled)

    assert [s.hit.id for s in one.kept] == [s.hit.id for s in other.kept]
    assert [s.reason for s in one.kept] == [s.reason for s in other.kept]


@settings(max_examples=examples(15))
@given(
    kept=st.lists(traits, min_size=1, max_size=6),
    viewer=st.builds(Viewer, workspace_id=ids, user_id=ids, session_id=ids),
)
def test_what_is_visible_is_what_the_filter_lets_through(
    kept: list[MemoryTraits], viewer: Viewer
) -> None:
    with opened() as memory:
        memory.add([Item(content=f"m{n}", id=f"m{n}", traits=t) for n, t in enumerate(kept)])
        seen = memory.list(filter=Filter(viewer=viewer, statuses=(), expired=True)).items

        assert {item.id for item in seen} == {
            f"m{n}" for n, one in enumerate(kept) if is_visible(one, viewer)
        }


@settings(max_examples=examples(25))
@given(history=st.lists(said, min_size=1, max_size=7))
def test_after_any_history_nothing_active_stands_twice_and_no_word_is_lost(
    history: list[dict[str, Any]],
) -> None:
    with opened() as memory:
        for one in history:
            text, how = one["text"], {name: v for name, v in one.items() if name != "text"}
            rehearsed = memory.remember(text, dry_run=True, **how)
            made = memory.remember(text, **how)
            again = memory.remember(text, dry_run=True, **how)

            assert (made.op, made.reason, made.id) == (
                rehearsed.op, rehearsed.reason, rehearsed.id,
            )  # fmt: skip
            if how.get("status", "active") == "active":
                assert again.op == "noop"
                assert made.op != "noop" or made.id
        items = every(memory)
        active = [i for i in items if i.traits and i.traits.status is Status.ACTIVE]
        places = [
            (i.traits.scope, i.traits.type, i.traits.user_id, entity_key(i.traits.entity))
            for i in active
            if i.traits and i.traits.entity.strip()
        ]

        assert len(places) == len(set(places))
        for item in items:
            assert [v.item.content for v in memory.history(item.id)] == [
                item.content
            ] * item.version


@dataclass
class Step:
    """One thing that a person does: remembers, or decides on the n-th proposal."""

    verb: str
    n: int
    text: str
    entity: str


steps = st.builds(
    Step,
    verb=st.sampled_from(["remember", "propose", "accept", "reject", "undo"]),
    n=st.integers(0, 3),
    text=texts,
    entity=entities,
)


@settings(max_examples=examples(25))
@given(history=st.lists(steps, min_size=2, max_size=9), text=texts, entity=entities)
def test_accepting_and_undoing_leaves_everything_as_it_was(
    history: list[Step], text: str, entity: str
) -> None:
    with opened() as memory:
        mail = memory.add("a mail", kind="email", id="mail").id
        made: list[Proposal] = []
        for step in history:
            walk(memory, step, made, evidence=mail)
        last = propose(memory, text, entity, evidence=mail)
        if last is None:
            return
        before = state(memory)
        memory.proposals.accept(last.id)
        memory.proposals.undo(last.id)

        assert state(memory) == before
        assert all(finding.sound for finding in memory.doctor())


def propose(memory: Memory, text: str, entity: str, *, evidence: str) -> Proposal | None:
    one = ProposedMemory(text=text, evidence=(evidence,), traits=MemoryTraits(entity=entity))
    made = memory.proposals.propose(one, by="m").proposed
    return made[0] if made else None


def walk(memory: Memory, step: Step, made: list[Proposal], *, evidence: str) -> None:
    """Take one step; a decision that can not be taken must say so and change nothing."""
    if step.verb == "remember":
        memory.remember(step.text, entity=step.entity)
    elif step.verb == "propose":
        one = propose(memory, step.text, step.entity, evidence=evidence)
        made += [one] if one else []
    elif made:
        before = state(memory)
        try:
            getattr(memory.proposals, step.verb)(made[step.n % len(made)].id)
        except SimonidesError:
            assert state(memory) == before
