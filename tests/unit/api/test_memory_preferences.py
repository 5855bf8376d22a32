"""`memory.preferences`: list, get, set, infer and forget, through the façade."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from simonides import Filter, Memory
from simonides.api.aio import AsyncPreferences
from simonides.api.memories import Preferences
from simonides.errors import InvalidInput, NotFound
from simonides.model.chat import Origin
from simonides.working_memory.in_process import InProcessWorkingMemory

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
DAY = timedelta(days=1)
VERBS = ["forget", "get", "infer", "list", "set"]

Open = Callable[..., Memory]


class Clock:
    """Stands where a test puts it."""

    now = NOW

    def __call__(self) -> datetime:
        return self.now


def list_preferences(memory: Memory) -> list[tuple[str, str, float]]:
    return [(one.key, one.value, one.confidence) for one in memory.preferences.list()]


def test_what_is_set_is_kept(memory: Memory) -> None:
    kept = memory.preferences.set("Tone", "short and plain")

    assert (kept.key, kept.value, kept.origin) == ("tone", "short and plain", Origin.EXPLICIT)
    assert (kept.confidence, kept.seen, kept.updated_at) == (0.8, 1, NOW)
    assert memory.preferences.get("TONE") == kept
    assert memory.preferences.list() == (kept,)


def test_it_is_an_item_of_that_id_and_its_history_is_kept(memory: Memory) -> None:
    kept = memory.preferences.set("tone", "short")
    memory.preferences.set("tone", "long")

    assert memory.get(kept.id).content == "tone: long"
    assert [one.item.content for one in memory.history(kept.id)] == ["tone: short", "tone: long"]


def test_what_is_inferred_bends_to_what_is_said_and_not_at_once_the_other_way(
    memory: Memory,
) -> None:
    memory.preferences.infer("tone", "long")
    assert list_preferences(memory) == [("tone", "long", 0.5)]

    memory.preferences.set("tone", "short")
    assert list_preferences(memory) == [("tone", "short", 0.8)]

    answered = [memory.preferences.infer("tone", "long") for _ in range(5)]
    assert [one.value for one in answered] == ["short"] * 4 + ["long"]
    assert list_preferences(memory) == [("tone", "long", 0.3)]


def test_the_surest_comes_first_and_the_limit_holds(memory: Memory) -> None:
    memory.preferences.infer("a", "1")
    memory.preferences.set("c", "1")
    memory.preferences.set("b", "1")

    assert [one.key for one in memory.preferences.list()] == ["b", "c", "a"]
    assert [one.key for one in memory.preferences.list(limit=2)] == ["b", "c"]


def test_what_was_not_seen_for_long_weighs_less_when_read_and_is_decided_by_what_is_kept(
    open_memory: Open,
) -> None:
    clock = Clock()
    memory = open_memory(clock=clock)
    memory.preferences.set("old", "x")
    clock.now = NOW + 365 * DAY
    memory.preferences.infer("new", "y")

    assert list_preferences(memory) == [("new", "y", 0.5), ("old", "x", 0.4)]
    assert memory.preferences.get("old").confidence == 0.4
    assert memory.preferences.infer("old", "z").value == "x"
    assert memory.preferences.set("old", "x").confidence == 0.8


def test_what_is_forgotten_is_gone_and_only_set_brings_it_back(memory: Memory) -> None:
    memory.preferences.set("tone", "short")

    assert memory.preferences.forget(" Tone ") is True
    assert memory.preferences.forget("tone") is False
    assert memory.preferences.list() == ()
    with pytest.raises(NotFound, match="no preference 'tone'"):
        memory.preferences.get("tone")
    with pytest.raises(NotFound, match="no preference 'tone'"):
        memory.preferences.infer("tone", "short")
    assert memory.preferences.list() == ()
    assert memory.preferences.set("tone", "long").confidence == 0.8
    assert list_preferences(memory) == [("tone", "long", 0.8)]


def test_asking_makes_no_space(memory: Memory, home: Path) -> None:
    assert memory.preferences.list() == ()
    assert memory.preferences.forget("tone") is False
    with pytest.raises(NotFound):
        memory.preferences.get("tone")
    assert not home.exists()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda it: it.set("", "x"), "key"),
        (lambda it: it.set("k" * 65, "x"), "key"),
        (lambda it: it.set("k", " "), "value"),
        (lambda it: it.infer("k", "x" * 301), "value"),
        (lambda it: it.infer(None, "x"), "key"),
        (lambda it: it.get(""), "key"),
        (lambda it: it.forget("\n"), "key"),
        (lambda it: it.list(limit=0), "limit"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name_and_nothing_is_written(
    memory: Memory, call: Callable[[Any], Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        call(memory.preferences)

    assert refused.value.field == field
    assert memory.spaces() == ()


def test_other_spaces_do_not_see_it(memory: Memory) -> None:
    memory.preferences.set("tone", "short")
    other = memory.in_space("bob")

    assert other.preferences.list() == ()
    other.preferences.set("tone", "long")
    assert list_preferences(memory) == [("tone", "short", 0.8)]


def test_the_cache_is_of_just_the_versions_that_are_there(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    kept = memory.preferences.set("tone", "short")
    assert list_preferences(memory) == list_preferences(other) == [("tone", "short", 0.8)]

    other.preferences.set("tone", "long")
    assert list_preferences(memory) == [("tone", "long", 0.8)]
    other.forget(kept.id)
    assert list_preferences(memory) == []
    other.restore(kept.id)
    assert list_preferences(memory) == [("tone", "long", 0.8)]
    other.erase(kept.id)
    assert list_preferences(memory) == []


def test_a_second_look_reads_no_item(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from simonides.assistant import preferences

    memory.preferences.set("tone", "short")
    first = memory.preferences.list()
    monkeypatch.setattr(preferences, "preference_of", None)

    assert memory.preferences.list() == first


def test_what_is_erased_leaves_working_memory_too(open_memory: Open) -> None:
    working = InProcessWorkingMemory()
    memory = open_memory(working=working)
    kept = memory.preferences.set("tone", "short")
    memory.preferences.list()
    memory.in_space("bob").preferences.set("tone", "short")
    memory.in_space("bob").preferences.list()
    assert len(working) == 2

    memory.erase(kept.id)
    assert len(working) == 1
    memory.in_space("bob").erase(everything=True)
    assert len(working) == 0


def test_two_memories_share_a_working_memory_that_is_handed_in(open_memory: Open) -> None:
    working = InProcessWorkingMemory()
    one, other = open_memory(working=working), open_memory(working=working)
    one.sessions.create(session_id="s", title="Trip")
    other.sessions.add("s", "user", "hello")

    assert one.sessions.get("s").title == "Trip"


def test_they_stand_in_a_collection_of_their_own(memory: Memory) -> None:
    kept = memory.preferences.set("tone", "short letters")
    note = memory.add("Short letters are the best letters.")

    found = {hit.id for hit in memory.search("short letters")}
    assert found == {kept.id, note.id}
    main = memory.search("short letters", filter=Filter(collections=("main",)))
    assert [hit.id for hit in main] == [note.id]


def test_what_is_remembered_never_takes_the_place_of_one(memory: Memory) -> None:
    memory.preferences.set("tone", "short")
    memory.remember("tone: long", entity="tone", type="policy", confidence=0.99)

    assert list_preferences(memory) == [("tone", "short", 0.8)]


def test_many_statements_at_once_are_all_weighed(memory: Memory) -> None:
    memory.preferences.set("tone", "short")
    threads = [
        threading.Thread(target=lambda: memory.preferences.set("tone", "short")) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert memory.preferences.get("tone").seen == 9


def test_it_is_there_after_a_restart_and_in_an_export(open_memory: Open, tmp_path: Path) -> None:
    with open_memory() as memory:
        kept = memory.preferences.set("tone", "short")
        memory.export(tmp_path / "out.jsonl")
    other = open_memory().in_space("copy")
    other.import_(tmp_path / "out.jsonl")

    assert open_memory().preferences.list() == other.preferences.list() == (kept,)


# ── awaited ──────────────────────────────────────────────────────────────────────────────────────


def test_every_verb_can_be_awaited_and_no_other() -> None:
    def public(kind: type) -> list[str]:
        return sorted(name for name in vars(kind) if not name.startswith("_"))

    assert public(AsyncPreferences) == public(Preferences) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_an_awaited_verb_says_and_takes_the_same(verb: str) -> None:
    awaited, plain = getattr(AsyncPreferences, verb), getattr(Preferences, verb)

    assert inspect.iscoroutinefunction(awaited)
    assert awaited.__doc__ == plain.__doc__
    assert inspect.signature(awaited) == inspect.signature(plain)


def test_all_verbs_do_what_they_do_without_awaiting(memory: Memory) -> None:
    async def work() -> None:
        there = memory.aio.preferences
        kept = await there.set("tone", "short")
        assert await there.get("tone") == kept
        lowered = replace(kept, confidence=0.64)
        assert await there.infer("tone", "long") == lowered
        assert await there.list() == (lowered,)
        assert await there.forget("tone") is True

    asyncio.run(asyncio.wait_for(work(), timeout=30))

    assert memory.preferences.list() == ()
