"""What is put as background changes no search, and reads back as a plain list would tell it.

Small generated spaces; the list knows nothing of SQLite, terms or pages.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Filter, Memory, SearchResult, Settings
from simonides.model.stored import Background
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
WORDS = ("alpha", "harbor", "deadline", "sarah", "friday", "moved", "the", "東京", "…")
QUESTIONS = ("when is the alpha deadline?", "what did Sarah move last week?", '"harbor" friday')
COLLECTIONS = ("main", "work")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
hours = st.integers(-30, 3)
collections = st.sampled_from(COLLECTIONS)


@dataclass(slots=True)
class Clock:
    """Stands where a test puts it."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def opened() -> Iterator[tuple[Memory, Clock]]:
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as home,
        Memory(
            home,
            settings=Settings(timezone="UTC", durability="relaxed"),
            embedder=HashingEmbedder(),
            clock=clock,
        ) as memory,
    ):
        yield memory, clock


@dataclass(slots=True)
class Told:
    """A space and a plain list of the snapshots that show in it."""

    memory: Memory
    clock: Clock
    showing: list[Background] = field(default_factory=list)

    def put(self, text: str, hour: int, collection: str) -> None:
        self.clock.now = NOON + hour * HOUR
        put = self.memory.background.put(text, collection=collection)
        if put not in self.showing:
            self.showing.append(put)

    def delete(self, number: int) -> None:
        if self.showing:
            gone = self.showing.pop(number % len(self.showing))
            assert self.memory.background.delete(gone.id, due=NOON + number * HOUR)

    def history(self, collection: str) -> list[Background]:
        """Return what shows, the latest first: by time, then by id."""
        own = [one for one in self.showing if one.collection == collection]
        return sorted(own, key=lambda one: (one.created_at, one.id), reverse=True)


@st.composite
def writes(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    put = st.tuples(st.just("put"), texts, hours, collections)
    delete = st.tuples(st.just("delete"), st.integers(0, 99))
    return draw(st.lists(put | put | delete, max_size=14))


def write(recorded: Told, steps: list[tuple[Any, ...]]) -> None:
    for name, *rest in steps:
        getattr(recorded, name)(*rest)


def found(memory: Memory) -> list[Any]:
    """Return all that a search says of its hits, and what it read out of the question."""
    answers: list[SearchResult] = [
        memory.search(question, now=NOON, limit=50, mode=mode, scorer=scorer, filter=wanted)
        for question in QUESTIONS
        for scorer, mode in (("fused", "hybrid"), ("classic", "hybrid"), ("rrf", "text"))
        for wanted in (Filter(), Filter(collections=("work",)))
    ]
    return [(one.hits, one.plan, lanes(one)) for one in answers]


def lanes(result: SearchResult) -> list[tuple[str, bool, int]]:
    return [(one.name, one.ran, one.found) for one in result.diagnostics.lanes]


@pytest.mark.slow
@given(
    items=st.lists(st.tuples(texts, collections, hours), min_size=1, max_size=6, unique=True),
    steps=writes(),
)
@settings(max_examples=examples(40))
def test_no_background_changes_what_a_search_finds(
    items: list[tuple[str, str, int]], steps: list[tuple[Any, ...]]
) -> None:
    with opened() as (memory, clock):
        for text, collection, hour in items:
            when = NOON + hour * HOUR
            memory.add(text, collection=collection, happened_at=when, people=["Sarah"])
        before = found(memory)
        listed, named = memory.list(), memory.entities()
        write(Told(memory, clock), steps)
        after = found(memory)
        assert (memory.list(), memory.entities()) == (listed, named)
        memory.close()
        anew = found(memory)

    assert after == before
    assert anew == before


@given(steps=writes(), limit=st.integers(1, 4), hour=hours)
@settings(max_examples=examples(150))
def test_it_reads_back_as_a_plain_list_tells_it(
    steps: list[tuple[Any, ...]], limit: int, hour: int
) -> None:
    with opened() as (memory, clock):
        reported = Told(memory, clock)
        write(reported, steps)
        then = NOON + hour * HOUR
        for collection in COLLECTIONS:
            expected = reported.history(collection)
            up_to = [one for one in expected if one.created_at <= then]
            there = memory.background
            wanted = Filter(collections=(collection,))

            assert there.get(collection=collection) == next(iter(expected), None)
            assert there.get(collection=collection, as_of=then) == next(iter(up_to), None)
            assert paged(memory, collection, limit) == expected
            assert memory.search("x", filter=wanted).background == next(iter(expected), None)
        if memory.spaces():
            assert all(one.sound for one in memory.doctor())


def paged(memory: Memory, collection: str, limit: int) -> list[Background]:
    seen: list[Background] = []
    cursor = ""
    while True:
        page = memory.background.history(collection=collection, limit=limit, cursor=cursor)
        seen += page.snapshots
        cursor = page.cursor
        if not cursor:
            return seen


@given(steps=writes(), question=st.sampled_from(QUESTIONS) | texts, limit=st.integers(1, 9))
@settings(max_examples=examples(150))
def test_the_best_ones_are_ordered_bounded_and_never_deleted(
    steps: list[tuple[Any, ...]], question: str, limit: int
) -> None:
    with opened() as (memory, clock):
        reported = Told(memory, clock)
        write(reported, steps)
        for collection in COLLECTIONS:
            places = {one.id: n for n, one in enumerate(reported.history(collection))}
            whole = memory.background.best(question, collection=collection, limit=1_000)
            order = [(-one.score, places[one.background.id]) for one in whole]

            assert order == sorted(order)
            assert all(0.0 < one.score <= 1.0 for one in whole)
            cut = memory.background.best(question, collection=collection, limit=limit)
            assert cut == whole[:limit]


@given(steps=writes(), other=writes(), question=st.sampled_from(QUESTIONS))
@settings(max_examples=examples(40))
def test_how_a_space_came_to_its_snapshots_leaves_no_trace(
    steps: list[tuple[Any, ...]], other: list[tuple[Any, ...]], question: str
) -> None:
    with opened() as (memory, clock), opened() as (plain, plain_clock):
        reported = Told(memory, clock)
        write(reported, [*steps, *other])
        straight = Told(plain, plain_clock)
        for one in sorted(reported.showing, key=lambda one: one.id):
            straight.put(one.text, round((one.created_at - NOON) / HOUR), one.collection)

        for collection in COLLECTIONS:
            assert best(memory, question, collection) == best(plain, question, collection)


def best(memory: Memory, question: str, collection: str) -> list[tuple[float, str]]:
    return [
        (one.score, one.background.id)
        for one in memory.background.best(question, collection=collection, limit=1_000)
    ]
