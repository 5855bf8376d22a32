"""`memory.background`: put, get, history, delete and best, through the façade."""

import asyncio
import inspect
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.api.aio import AsyncBackgrounds
from simonides.api.background import Backgrounds
from simonides.errors import InvalidInput, InvalidSpaceName, WrongEmbedder
from simonides.model.stored import Background, BackgroundPage
from simonides.model.times import microseconds
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
VERBS = ["best", "delete", "get", "history", "put"]

Open = Callable[..., Memory]


class Clock:
    """Goes on by an hour with every look at it."""

    def __init__(self) -> None:
        self.hours = -1

    def __call__(self) -> datetime:
        self.hours += 1
        return NOW + self.hours * HOUR


@pytest.fixture
def ticking(open_memory: Open) -> Memory:
    """Return a memory whose first write is at nine o'clock, the second at ten, and so on."""
    return open_memory(clock=Clock())


def test_what_is_put_is_the_background(memory: Memory) -> None:
    put = memory.background.put("Alpha launches in May.")

    assert put == memory.background.get()
    assert (put.text, put.collection) == ("Alpha launches in May.", "main")
    assert (put.created_at, put.revision) == (NOW, 1)


def test_the_later_one_is_the_background_and_the_earlier_stays(ticking: Memory) -> None:
    first = ticking.background.put("May")
    second = ticking.background.put("June")

    assert ticking.background.get() == second
    assert ticking.background.history().snapshots == (second, first)


def test_the_same_text_later_is_a_snapshot_of_its_own(ticking: Memory) -> None:
    first, second = ticking.background.put("May"), ticking.background.put("May")

    assert first.id != second.id
    assert len(ticking.background.history().snapshots) == 2


def test_the_same_text_at_the_same_time_is_one_snapshot(memory: Memory) -> None:
    first = memory.background.put("May")

    assert memory.background.put("May") == first
    assert memory.stats().revision == 1


def test_of_two_put_at_one_time_the_larger_id_is_latest(memory: Memory) -> None:
    put = [memory.background.put(text) for text in ("May", "June", "July")]

    assert memory.background.get() == max(put, key=lambda one: one.id)


def test_each_collection_has_its_own(memory: Memory) -> None:
    work = memory.background.put("at work", collection="work")

    assert memory.background.get() is None
    assert memory.background.get(collection="work") == work
    assert memory.background.history().snapshots == ()
    assert memory.background.best("work") == ()
    assert memory.background.best("work", collection="work")[0].background == work


def test_as_of_a_time_it_is_what_it_was_then(ticking: Memory) -> None:
    first, second = ticking.background.put("May"), ticking.background.put("June")
    moment = timedelta(microseconds=1)

    def then(when: datetime) -> Background | None:
        return ticking.background.get(as_of=when)

    assert then(NOW - moment) is None
    assert then(NOW) == then(NOW + HOUR - moment) == first
    assert then(NOW + HOUR) == then(NOW + 99 * HOUR) == second
    assert then((NOW + HOUR).astimezone(timezone(-HOUR))) == second


def test_history_comes_page_by_page(ticking: Memory) -> None:
    put = [ticking.background.put(f"text {n}") for n in range(5)]
    first = ticking.background.history(limit=2)
    second = ticking.background.history(limit=2, cursor=first.cursor)
    third = ticking.background.history(limit=2, cursor=second.cursor)

    assert (*first.snapshots, *second.snapshots, *third.snapshots) == tuple(reversed(put))
    assert third.cursor == ""


def test_a_deleted_one_never_shows(ticking: Memory) -> None:
    first, second = ticking.background.put("May"), ticking.background.put("June")

    assert ticking.background.delete(second.id) is True
    assert ticking.background.delete(second.id) is False
    assert ticking.background.get() == ticking.background.get(as_of=NOW + 99 * HOUR) == first
    assert ticking.background.history().snapshots == (first,)
    assert ticking.background.best("June") == ()
    assert ticking.search("June").background == first


@pytest.mark.parametrize("days", [-400, 0, 400])
def test_it_is_hidden_at_once_whenever_it_is_due(memory: Memory, days: int) -> None:
    put = memory.background.put("May")

    assert memory.background.delete(put.id, due=NOW + timedelta(days=days))
    assert memory.background.get() is None


def test_the_file_says_when_it_is_due(memory: Memory, home: Path) -> None:
    for hours in (None, 48):
        put = memory.background.put(f"May {hours}")
        due = None if hours is None else NOW + hours * HOUR
        assert memory.background.delete(put.id, due=due)
    memory.close()

    with closing(sqlite3.connect(home / "spaces" / "default.sqlite3")) as file:
        kept = [us for (us,) in file.execute("SELECT due_us FROM background ORDER BY key")]
    assert kept == [microseconds(NOW), microseconds(NOW + 48 * HOUR)]


def test_deleting_nothing_is_no_error(memory: Memory) -> None:
    assert memory.background.delete("unknown") is False
    memory.background.put("May")
    for unknown in ("unknown", "", "\ud800"):
        assert memory.background.delete(unknown) is False


def test_best_finds_two_unless_told_otherwise(ticking: Memory) -> None:
    for month in ("May", "June", "July"):
        ticking.background.put(f"Alpha launches in {month}.")

    found = ticking.background.best("when does Alpha launch?")
    assert [one.background.text[-5:] for one in found] == ["July.", "June."]
    assert len(ticking.background.best("Alpha", limit=3)) == 3


def test_asking_for_a_background_makes_no_space(memory: Memory, home: Path) -> None:
    there = memory.background

    assert (there.get(), there.history(), there.best("x")) == (
        None,
        BackgroundPage(snapshots=()),
        (),
    )
    assert there.delete("x") is False
    assert memory.search("x").background is None
    assert memory.spaces() == ()
    assert not home.exists()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda it: it.put(" "), "text"),
        (lambda it: it.put("x" * 65_537), "text"),
        (lambda it: it.put("x\0"), "text"),
        (lambda it: it.put("x", collection=""), "collection"),
        (lambda it: it.get(collection=""), "collection"),
        (lambda it: it.get(collection=None), "collection"),
        (lambda it: it.get(as_of=12), "as_of"),
        (lambda it: it.get(as_of="soon"), "as_of"),
        (lambda it: it.history(limit=0), "limit"),
        (lambda it: it.history(limit=1_001), "limit"),
        (lambda it: it.history(cursor="x"), "cursor"),
        (lambda it: it.history(collection=""), "collection"),
        (lambda it: it.delete("x", due=3), "due"),
        (lambda it: it.best(""), "query"),
        (lambda it: it.best("x", limit=0), "limit"),
        (lambda it: it.best("x", collection="\ud800"), "collection"),
    ],
)
@pytest.mark.parametrize("is_there", [False, True])
def test_what_is_out_of_range_is_refused_by_its_name_and_nothing_is_written(
    memory: Memory, *, call: Callable[[Any], Any], field: str, is_there: bool
) -> None:
    if is_there:
        memory.background.put("May")
    with pytest.raises(InvalidInput) as refused:
        call(memory.background)

    assert refused.value.field == field
    assert memory.spaces() == (("default",) if is_there else ())
    assert len(memory.background.history().snapshots) == is_there


def test_a_clock_without_a_zone_is_refused(open_memory: Open) -> None:
    memory = open_memory(clock=lambda: NOW.replace(tzinfo=None))

    with pytest.raises(InvalidInput, match="clock: must tell a time with its zone"):
        memory.background.put("May")


def test_other_spaces_do_not_see_it(memory: Memory) -> None:
    memory.background.put("May")
    other = memory.in_space("bob")

    assert other.background.get() is None
    other.background.put("June")
    assert [one.background.text for one in memory.background.best("may june")] == ["May"]
    assert memory.search("x").background == memory.background.get()


def test_a_name_that_can_be_no_space_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidSpaceName):
        memory.in_space("../x").background.put("May")


def test_a_space_of_another_embedder_is_refused(memory: Memory, open_memory: Open) -> None:
    memory.background.put("May")
    memory.close()
    other = open_memory(embedder=HashingEmbedder(dimension=32))

    with pytest.raises(WrongEmbedder):
        other.background.get()


def test_it_is_there_after_a_restart(open_memory: Open) -> None:
    with open_memory() as memory:
        put = memory.background.put("May")

    assert open_memory().background.get() == put


def test_another_memory_of_the_same_home_sees_it(memory: Memory, open_memory: Open) -> None:
    memory.background.put("May")
    other = open_memory(clock=lambda: NOW + HOUR)
    later = other.background.put("June")

    assert memory.background.get() == memory.search("x").background == later


def test_it_is_sound_and_can_be_embedded_anew(memory: Memory) -> None:
    put = memory.background.put("May")

    assert all(one.sound for one in memory.doctor())
    assert memory.reembed() == 0
    assert memory.background.get() == put


def test_the_language_of_the_settings_counts(open_memory: Open) -> None:
    settings = Settings(timezone="UTC", durability="relaxed", language="de", detect_language=False)
    memory = open_memory(settings=settings)
    memory.background.put("der gute Wein")

    assert len(memory.background.best("guten Wein")) == 1
    assert memory.background.best("der") == ()


def test_many_threads_put_at_once_and_none_is_lost(open_memory: Open) -> None:
    memory = open_memory()
    threads = [
        threading.Thread(target=lambda n=n: memory.background.put(f"text {n}")) for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    put = memory.background.history(limit=100).snapshots
    assert {one.text for one in put} == {f"text {n}" for n in range(16)}
    assert sorted(one.revision for one in put) == list(range(1, 17))


# ── awaited ──────────────────────────────────────────────────────────────────────────────────


def test_every_verb_can_be_awaited_and_no_other() -> None:
    def public(kind: type) -> list[str]:
        return sorted(name for name in vars(kind) if not name.startswith("_"))

    assert public(AsyncBackgrounds) == public(Backgrounds) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_an_awaited_verb_says_and_takes_the_same(verb: str) -> None:
    awaited, plain = getattr(AsyncBackgrounds, verb), getattr(Backgrounds, verb)

    assert inspect.iscoroutinefunction(awaited)
    assert awaited.__doc__ == plain.__doc__
    assert inspect.signature(awaited) == inspect.signature(plain)


def test_all_verbs_do_what_they_do_without_awaiting(memory: Memory) -> None:
    async def work() -> None:
        there = memory.aio.background
        put = await there.put("Alpha launches in May.")
        assert await there.get() == put
        assert (await there.history()).snapshots == (put,)
        assert [one.background for one in await there.best("Alpha")] == [put]
        assert (await memory.aio.search("Alpha")).background == put
        with pytest.raises(InvalidInput, match="text: is empty"):
            await there.put("")
        assert await there.delete(put.id) is True

    asyncio.run(asyncio.wait_for(work(), timeout=30))

    assert memory.background.get() is None
