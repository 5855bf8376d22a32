"""Changing fields of an item: what is read must still be there when the change is committed."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.errors import Conflict, InvalidInput, NotFound, StoreBusy
from simonides.index.open_space import OpenSpace
from simonides.ingest import keep as module
from simonides.ingest.keep import change, keep
from simonides.model.item import Item
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that holds one item of one version."""
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(
        tmp_path, settings=settings, embedder=HashingEmbedder(), clock=lambda: NOW
    ) as opened:
        opened.add("tea", id="a", metadata={"n": 0})
        yield opened


def interrupted(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, *, by: Callable[[int], Any]
) -> None:
    """Have others write between each read of a change and its commit; `by` is told which it is."""
    tries: list[int] = []

    def late(*given: Any, **named: Any) -> Any:
        tries.append(1)
        by(len(tries))
        return keep(*given, **named)

    monkeypatch.setattr(module, "keep", late)
    assert memory.get("a").version == 1


def other(memory: Memory, **fields: Any) -> None:
    """Write as somebody else would, past the change that is being watched."""
    present = memory.get("a")
    changed = {"content": present.content, "metadata": dict(present.metadata), **fields}
    memory.add(Item(id="a", **changed))


def test_a_change_is_the_next_version(memory: Memory) -> None:
    item = memory.update("a", content="coffee")

    assert (item.version, item.revision, item.content, item.metadata) == (2, 2, "coffee", {"n": 0})
    assert item == memory.get("a")


def test_what_changes_nothing_makes_no_version(memory: Memory) -> None:
    assert memory.update("a", content="tea").version == 1
    assert memory.stats().revision == 1


def test_a_change_of_the_version_that_is_named_is_made(memory: Memory) -> None:
    assert memory.update("a", if_version=1, content="coffee").version == 2
    assert memory.update("a", if_version=2, title="Drinks").content == "coffee"


@pytest.mark.parametrize("fields", [{"content": "coffee"}, {"content": "milk"}])
def test_a_change_of_another_version_is_refused_and_names_both(
    memory: Memory, fields: dict[str, Any]
) -> None:
    memory.update("a", content="coffee")

    with pytest.raises(Conflict, match="version 1 was to be replaced, version 2 is present"):
        memory.update("a", if_version=1, **fields)

    assert memory.get("a").version == 2


@pytest.mark.parametrize("version", [0, -1, True, "1", 1.0])
def test_what_is_no_version_is_refused(memory: Memory, version: Any) -> None:
    with pytest.raises(InvalidInput, match="if_version"):
        memory.update("a", if_version=version, content="coffee")


def test_an_item_that_is_not_there_cannot_be_changed(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nobody"):
        memory.update("nobody", content="coffee")
    with pytest.raises(NotFound, match="nobody"):
        memory.in_space("empty").update("nobody", content="coffee")
    assert not (tmp_path / "spaces" / "empty.sqlite3").exists()


def test_a_change_that_comes_between_is_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def once(number: int) -> None:
        if number == 1:
            other(memory, metadata={"n": 1})

    interrupted(memory, monkeypatch, by=once)

    item = memory.update("a", content="coffee")

    assert (item.version, item.content, item.metadata) == (3, "coffee", {"n": 1})


def test_a_named_version_that_is_replaced_meanwhile_is_refused(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(memory, monkeypatch, by=lambda _: other(memory, metadata={"n": 1}))

    with pytest.raises(Conflict, match="version 2 is present"):
        memory.update("a", if_version=1, content="coffee")

    assert memory.get("a").content == "tea"


def test_what_is_forgotten_meanwhile_does_not_come_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(memory, monkeypatch, by=lambda _: memory.forget("a"))

    with pytest.raises(NotFound):
        memory.update("a", content="coffee")

    assert memory.list().items == ()


def test_who_is_always_overtaken_is_told_at_last(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRIES_MAX", 3)
    interrupted(memory, monkeypatch, by=lambda n: other(memory, metadata={"n": n}))

    with pytest.raises(StoreBusy, match="3 times"):
        memory.update("a", content="coffee")


def test_the_answer_is_the_version_that_was_written_not_a_later_one(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def early(*given: Any, **named: Any) -> Any:
        outcomes = keep(*given, **named)
        other(memory, content="milk")
        return outcomes

    monkeypatch.setattr(module, "keep", early)

    assert memory.update("a", content="coffee").content == "coffee"
    assert memory.get("a").content == "milk"


def test_many_threads_lose_no_update(memory: Memory) -> None:
    threads_max, rounds = 6, 8

    def count(thread: int) -> None:
        for number in range(rounds):
            memory.update("a", tags=[f"{thread}-{number}"], metadata=_more(memory, thread))

    threads = [threading.Thread(target=count, args=(n,)) for n in range(threads_max)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    versions = memory.history("a")
    assert len(versions) == threads_max * rounds + 1
    assert len({one.item.tags for one in versions[1:]}) == threads_max * rounds
    assert [one.version for one in versions] == list(range(1, len(versions) + 1))


def _more(memory: Memory, thread: int) -> dict[str, Any]:
    return {**memory.get("a").metadata, str(thread): True}


def test_read_and_set_counts_every_one(memory: Memory) -> None:
    """A counter that only ever grows by who compares: the sum is that of all who got through."""
    made: list[int] = []

    def count() -> None:
        for _ in range(10):
            while True:
                item = memory.get("a")
                try:
                    memory.update(
                        "a", if_version=item.version, metadata={"n": item.metadata["n"] + 1}
                    )
                except Conflict:
                    continue
                made.append(1)
                break

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 40
    assert memory.get("a").metadata == {"n": 40}


def test_changing_needs_no_memory_around_it(memory: Memory) -> None:
    item = change("a", {"title": "Drinks"}, OpenSpace(name="default", home=memory._runtime))

    assert (item.title, item.stored_at) == ("Drinks", NOW)
