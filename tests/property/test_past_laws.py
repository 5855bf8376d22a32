"""As of: what is asked of an earlier state is answered as it was then, to the bit.

Generated histories of adds, changes, forgettings, restorings, engagement and backgrounds. After
each write every question is asked and its answer kept; in the end each is asked again, as of
then.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Filter, Item, Kind, Memory, MemoryTraits, Person, Settings
from simonides.codec.write import to_wire
from simonides.errors import HistoryGone, NotFound, SimonidesError
from simonides.model.filter import parse_condition
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
IDS = ("a", "b", "c", "d", "e")
WORDS = ("alpha", "budget", "harbor", "deadline", "lunch", "invoice", "zebra", "moved", "friday")
QUESTIONS = (
    "when is the alpha deadline?",
    'what did Sarah say about "harbor lunch" last week?',
    "latest invoice",
    "ebr",
)
SCORERS = ("fused", "classic", "rrf")
FILTERS = (
    Filter(tags=("zebra",)),
    Filter(people=("Tom",)),
    Filter(where=parse_condition({"n": {"gte": 2}})),
    Filter(ids=("a", "b")),
)

Write = tuple[str, str, tuple[str, ...], int]
WRITES = st.tuples(
    st.sampled_from(
        ["put", "put", "put", "update", "forget", "record_usage", "background", "restore"]
    ),
    st.sampled_from(IDS),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(tuple),
    st.integers(0, 4),
)
HISTORIES = st.lists(WRITES, min_size=3, max_size=10)


@dataclass
class Ticking:
    """A clock that goes on by a minute with each write, unless it is set."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def tick(self) -> None:
        self.now += timedelta(minutes=1)


@contextmanager
def opened(home: str, clock: Ticking) -> Iterator[Memory]:
    chosen = Settings(timezone="UTC", durability="relaxed", compaction_threshold=10_000)
    with Memory(home, settings=chosen, embedder=HashingEmbedder(), clock=clock) as memory:
        yield memory


def item(item_id: str, words: Sequence[str], number: int) -> Item:
    kinds = (Kind.MEMORY, Kind.EMAIL, Kind.MESSAGE)
    kind = kinds[number % len(kinds)]
    return Item(
        id=item_id,
        kind=kind,
        content=" ".join(words),
        title=words[0] if number % 2 else "",
        tags=tuple(words[:1]),
        people=(Person(name=("Sarah", "Tom", "user")[number % 3]),),
        session=("", "s1")[number % 2],
        metadata={"n": number},
        happened_at=NOON - timedelta(days=number) if number else None,
        traits=MemoryTraits(importance=number / 4, half_life_hours=24.0)
        if kind is Kind.MEMORY
        else None,
    )


def write(memory: Memory, what: Write) -> None:
    verb, item_id, words, number = what
    doing: dict[str, Callable[[], Any]] = {
        "put": lambda: memory.add(item(item_id, words, number)),
        "update": lambda: memory.update(item_id, content=" ".join(words)),
        "forget": lambda: memory.forget(item_id),
        "record_usage": lambda: memory.record_usage(item_id),
        "background": lambda: memory.background.put(" ".join(words)),
        "restore": lambda: memory.restore(item_id, version=number or None),
    }
    try:
        doing[verb]()
    except SimonidesError:
        assert verb in ("update", "restore")  # nothing there to change or to bring back


def timeless(value: Any) -> Any:
    """Return an answer on the wire without what it took, which no law is about."""
    if isinstance(value, dict):
        return {name: timeless(one) for name, one in value.items() if name != "took_ms"}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def answers(memory: Memory, *, now: datetime, **when: Any) -> dict[str, Any]:
    """Return all that can be asked about a state, as it goes over the wire."""
    found: dict[str, Any] = {
        f"{question} {scorer}": memory.search(question, scorer=scorer, now=now, limit=20, **when)
        for question in QUESTIONS
        for scorer in SCORERS
    }
    for i, wanted in enumerate(FILTERS):
        found[f"filter {i}"] = memory.search(QUESTIONS[0], filter=wanted, now=now, **when)
        found[f"list {i}"] = memory.list(filter=wanted, **when)
    found["list"] = memory.list(**when)
    for mode in ("fast", "dense"):
        brief = memory.brief(QUESTIONS[0], context_mode=mode, now=now, **when)
        found[f"brief {mode}"] = [brief.text, brief.receipt.revision, brief.receipt.text_hash]
    for one in IDS:
        try:
            found[f"get {one}"] = memory.get(one, **when)
        except NotFound:
            found[f"get {one}"] = None
    return {name: timeless(to_wire(answer)) for name, answer in found.items()}


def revision(memory: Memory) -> int:
    return memory.stats().revision


@dataclass
class Past:
    """The answers of each revision, as they were given then, and when it was committed."""

    answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    times: dict[int, datetime] = field(default_factory=dict)


def lived(memory: Memory, clock: Ticking, history: Sequence[Write]) -> Past:
    """Write a history and return what was answered after each revision of it."""
    past = Past()
    memory.add(item("a", ("zebra", "lunch"), 1))
    for what in [*history, ("put", "e", ("zebra",), 0)]:
        past.answers[revision(memory)] = answers(memory, now=NOON)
        past.times.setdefault(revision(memory), clock.now)
        clock.tick()
        write(memory, what)
    return past


@settings(max_examples=examples(8))
@given(history=HISTORIES)
def test_the_past_is_answered_as_it_was_then(history: Sequence[Write]) -> None:
    with tempfile.TemporaryDirectory() as home:
        clock = Ticking()
        with opened(home, clock) as memory:
            past = lived(memory, clock, history)
            for number, reported in past.answers.items():
                assert answers(memory, now=NOON, as_of=number) == reported
        with opened(home, clock) as memory:  # another process, which knows rows alone
            for number, when in past.times.items():
                assert answers(memory, now=NOON, as_of=when) == past.answers[number]


@pytest.mark.slow
@settings(max_examples=examples(8))
@given(history=HISTORIES, data=st.data())
def test_what_is_left_of_the_past_after_compaction_is_whole(
    history: Sequence[Write], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as home:
        clock = Ticking()
        with opened(home, clock) as memory:
            past = lived(memory, clock, history)
            present = answers(memory, now=NOON)
            before = data.draw(st.sampled_from(sorted(past.answers)), label="before")

            done = memory.compact(before=before)

            assert done.oldest <= before
            assert answers(memory, now=NOON) == present
            for number, reported in past.answers.items():
                if number >= done.oldest:
                    assert answers(memory, now=NOON, as_of=number) == reported
                else:
                    with pytest.raises(HistoryGone, match=f"oldest .* revision {done.oldest}"):
                        memory.search("alpha", as_of=number)
        with opened(home, clock) as memory:
            assert answers(memory, now=NOON) == present
            assert all(finding.sound for finding in memory.doctor())


@pytest.mark.slow
@settings(max_examples=examples(8))
@given(history=HISTORIES)
def test_a_past_state_answers_like_a_space_that_never_went_on(history: Sequence[Write]) -> None:
    """The statistics are those of then: nothing written later moves a score."""
    with tempfile.TemporaryDirectory() as home:
        clock = Ticking()
        with opened(str(Path(home) / "short"), clock) as short:
            past = lived(short, clock, history[: len(history) // 2])
        again = Ticking()
        with opened(str(Path(home) / "long"), again) as long:
            lived(long, again, [*history[: len(history) // 2], *history])
            for number, reported in past.answers.items():
                assert answers(long, now=NOON, as_of=number) == reported


def test_clocks_that_jump_back_keep_revisions_in_order(tmp_path: Path) -> None:
    clock = Ticking()
    with opened(str(tmp_path), clock) as memory:
        for hours, words in ((0, "first"), (5, "second"), (-3, "third"), (4, "fourth")):
            clock.now = NOON + timedelta(hours=hours)
            memory.add(words, id=words)

        def known(hours: float) -> set[str]:
            when = NOON + timedelta(hours=hours)
            return {one.id for one in memory.list(as_of=when).items}

        assert known(-4) == set()
        assert known(-3) == {"first", "second", "third"}  # the last one committed by then
        assert known(4.5) == {"first", "second", "third", "fourth"}
        assert [len(memory.list(as_of=number).items) for number in range(5)] == [0, 1, 2, 3, 4]
