"""A move between stores and back: the same bytes, whoever writes or dies meanwhile."""

import io
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import (
    InvalidInput,
    Memory,
    NotFound,
    Settings,
    StoreBusy,
    StoreCorrupt,
    StoreError,
)
from simonides.api.moving import move_space
from simonides.maintenance import move
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)


def settings(store: str = "") -> Settings:
    return Settings(embedder="none", timezone="UTC", durability="relaxed", store=store)


@pytest.fixture(params=["file", "postgres"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where the space moves to."""
    if request.param == "file":
        return str(tmp_path / "there")
    address: str = request.getfixturevalue("postgres_dsn")
    return address


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Memory]:
    """Return a space with something of every sort, in files."""
    with Memory(tmp_path / "here", space="alice", settings=settings(), clock=lambda: NOW) as memory:
        memory.add(["Tea at five.", "The harbor has forty slots."])
        memory.add("Alpha is due on Friday.", id="alpha")
        memory.update("alpha", content="Alpha is due on Monday.")
        memory.add("Forget me.", id="gone")
        memory.forget("gone")
        memory.add("Erase me.", id="erased")
        memory.erase("erased")
        memory.remember("Sarah prefers tea.", entity="sarah")
        memory.background.put("Alpha launches in May.")
        memory.preferences.set("tone", "dry")
        memory.record_usage("alpha")
        memory.brief("when is Alpha due?", keep_receipt=True)
        yield memory


def opened(where: str, home: Path) -> Memory:
    is_database = where.startswith("postgresql")
    path = home / "here" if is_database else Path(where)
    store = where if is_database else ""
    return Memory(path, space="alice", settings=settings(store), clock=lambda: NOW)


def exported(memory: Memory) -> bytes:
    stream = io.BytesIO()
    memory.export(stream)
    return stream.getvalue()


def test_a_space_goes_there_and_back_with_the_same_bytes(
    here: Memory, there: str, tmp_path: Path
) -> None:
    before = exported(here)
    found = here.search("when is Alpha due?").to_dict()["entries"]
    report = move_space(here, there, remove_source=True)

    assert (report.space, report.removed_source) == ("alice", True)
    assert here.spaces() == ()
    with opened(there, tmp_path) as moved:
        assert exported(moved) == before
        assert moved.search("when is Alpha due?").to_dict()["entries"] == found
        assert all(one.sound for one in moved.verify())
        back = move_space(moved, here._opened.home.path, remove_source=True)
        assert moved.spaces() == ()
    assert (back.digest, back.revision) == (report.digest, report.revision)
    assert exported(here) == before


def test_the_source_stays_unless_it_is_to_go(here: Memory, there: str) -> None:
    before = exported(here)
    report = move_space(here, there)

    assert (report.removed_source, report.items) == (False, here.stats().items)
    assert exported(here) == before


def test_what_is_written_later_is_carry_over_by_the_next_move(
    here: Memory, there: str, tmp_path: Path
) -> None:
    first = move_space(here, there)
    here.add("The demo is at ten.", id="demo")
    here.update("alpha", content="Alpha is due on Sunday.")
    here.forget("demo")
    here.restore("gone")
    here.record_usage("alpha")
    here.background.put("Alpha launches in June.")
    second = move_space(here, there)

    assert second.revision > first.revision
    with opened(there, tmp_path) as moved:
        assert exported(moved) == exported(here)
        assert all(one.sound for one in moved.verify())
        states = range(here._opened.space.stats().revision)
        for revision in [one for one in states if one > 6]:
            past = [one.id for one in here.list(as_of=revision, limit=100).items]
            assert [one.id for one in moved.list(as_of=revision, limit=100).items] == past


def test_writes_during_the_copy_are_carry_over(
    here: Memory, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = ["first", "second", "third"]
    carried = move._carry_over

    def written_to(*given: Any) -> str:
        digest = carried(*given)
        if left:
            here.add(f"Written while it was copied: {left.pop()}.")
        return digest

    monkeypatch.setattr(move, "_carry_over", written_to)
    seen: list[tuple[int, int]] = []
    report = move_space(here, there, on_progress=lambda done, all_: seen.append((done, all_)))

    assert report.rounds == len(seen) == 4
    assert seen[-1][0] == seen[-1][1] == report.revision
    assert [done < all_ for done, all_ in seen] == [True, True, True, False]
    with opened(there, tmp_path) as moved:
        assert exported(moved) == exported(here)


def test_vectors_go_along_and_nothing_is_embedded_again(tmp_path: Path, there: str) -> None:
    embedder = HashingEmbedder()
    plain = Settings(timezone="UTC", durability="relaxed")
    with Memory(
        tmp_path / "here", space="alice", settings=plain, embedder=embedder, clock=lambda: NOW
    ) as memory:
        memory.add("Alpha is due on Friday.", id="alpha")
        memory.import_(_notes(tmp_path), wait=False)
        first = move_space(memory, there)
        assert memory.stats().waiting == memory.embed().embedded > 0
        second = move_space(memory, there)

        assert second.revision > first.revision
        with opened(there, tmp_path) as moved:
            assert move.fingerprint(moved._opened.space_of_any_embedder) == second.digest


def _notes(tmp_path: Path) -> Path:
    note = tmp_path / "note.txt"
    note.write_text("The regatta starts at noon.", encoding="utf-8")
    return note


def test_another_space_of_that_name_is_left_alone(here: Memory, there: str, tmp_path: Path) -> None:
    with opened(there, tmp_path) as other:
        other.add("I was here first.")
    with pytest.raises(InvalidInput, match="another space of that name"):
        move_space(here, there)

    with opened(there, tmp_path) as other:
        assert [one.content for one in other.list().items] == ["I was here first."]


def test_a_copy_that_went_on_by_itself_is_left_alone(
    here: Memory, there: str, tmp_path: Path
) -> None:
    move_space(here, there)
    with opened(there, tmp_path) as moved:
        moved.add("Written there.", id="there")
    here.add("Written here.", id="here")
    with pytest.raises((InvalidInput, StoreCorrupt)):
        move_space(here, there, remove_source=True)

    assert here.get("here").content == "Written here."
    with opened(there, tmp_path) as moved:
        assert moved.get("there").content == "Written there."


def test_a_source_that_is_written_to_while_it_is_compared_is_not_removed(
    here: Memory, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    removing = move._remove

    def late(*given: Any) -> None:
        here.add("At the last moment.", id="late")
        removing(*given)

    monkeypatch.setattr(move, "_remove", late)
    with pytest.raises(StoreBusy, match="nothing was removed"):
        move_space(here, there, remove_source=True)

    assert here.get("late").content == "At the last moment."
    monkeypatch.undo()
    assert move_space(here, there, remove_source=True).items == 6


def test_a_space_that_is_not_there_is_not_moved(here: Memory, there: str) -> None:
    with pytest.raises(NotFound):
        move_space(here.in_space("nobody"), there)


# ── kills ─────────────────────────────────────────────────────────────────────────────────────


KILLED = """
import os, signal, sys
from simonides import Memory, Settings
from simonides.api.moving import move_space
from simonides.maintenance import move

home, there, records = sys.argv[1], sys.argv[2], int(sys.argv[3])
ready = move._Records.ready

def until(self, given):
    for number, one in enumerate(ready(self, given)):
        if number == records:
            os.kill(os.getpid(), signal.SIGKILL)
        yield one

move._Records.ready = until
settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
with Memory(home, space="alice", settings=settings) as memory:
    move_space(memory, there, remove_source=True)
"""
"""Moves a space, and kills itself once so many records have been read."""


@pytest.mark.parametrize(
    "records", [pytest.param(0, marks=pytest.mark.slow), 3, pytest.param(8, marks=pytest.mark.slow)]
)
def test_a_move_that_is_killed_goes_on_with_the_next_one(
    here: Memory, there: str, tmp_path: Path, records: int
) -> None:
    before = exported(here)
    here.close()
    arguments = [sys.executable, "-c", KILLED, str(tmp_path / "here"), there, str(records)]
    status = subprocess.run(arguments, check=False).returncode

    assert status == -signal.SIGKILL
    assert exported(here) == before
    assert move_space(here, there, remove_source=True).removed_source
    with opened(there, tmp_path) as moved:
        assert exported(moved) == before


# ── writes at the instant of the removal ──────────────────────────────────────────────────────


@pytest.fixture(params=["file", "postgres"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Return the home and the store of a space that is to be removed once it was moved."""
    store = "" if request.param == "file" else request.getfixturevalue("postgres_dsn")
    with writer((tmp_path / "source", store)) as memory:
        memory.add("Alpha is due on Friday.", id="alpha")
        memory.add("The demo is at ten.", id="demo")
        memory.brief("when is Alpha due?", keep_receipt=True)
    return tmp_path / "source", store


def writer(source: tuple[Path, str], *, timeout_s: float = 10.0) -> Memory:
    """Return the memory of another process that uses the source."""
    home, store = source
    chosen = replace(settings(store), timeout_s=timeout_s)
    return Memory(home, space="alice", settings=chosen, clock=lambda: NOW)


def test_a_space_is_not_moved_onto_itself_and_removed(source: tuple[Path, str]) -> None:
    home, store = source
    with writer(source) as memory:
        before = exported(memory)
        for same in [store, f"{store}?application_name=x"] if store else [home]:
            with pytest.raises(InvalidInput, match="to: is where space 'alice' is already"):
                move_space(memory, same, remove_source=True)

        assert exported(memory) == before
        assert not memory._opened.space.leases()


def test_nobody_writes_between_the_last_comparison_and_the_removal(
    source: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare, refused = move._fingerprint, []

    with writer(source, timeout_s=0.05) as other, writer(source) as memory:
        other.get("alpha")

        def removing(*given: Any) -> None:
            monkeypatch.setattr(move, "_fingerprint", at_that_instant)
            remove(*given)

        def at_that_instant(reader: Any, *, uuid: str) -> str:
            found = compare(reader, uuid=uuid)
            with pytest.raises(StoreError) as error:
                other.add("At the last moment.", id="late")
            refused.append(error.value)
            return found

        remove = move._remove
        monkeypatch.setattr(move, "_remove", removing)
        report = move_space(memory, tmp_path / "there", remove_source=True)

        assert len(refused) == 1
        assert report.removed_source
        with pytest.raises(NotFound):
            memory.get("alpha")
        files = [one for one in source[0].rglob("*") if one.is_file()]
        assert [one for one in files if b"The demo is at ten" in one.read_bytes()] == []
    with opened(str(tmp_path / "there"), tmp_path) as moved:
        assert {"alpha", "demo"} == {one.id for one in moved.list().items}


def test_a_receipt_kept_after_the_comparison_keeps_the_source(
    source: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes no revision, and would be lost all the same."""
    removing = move._remove
    with writer(source) as memory:

        def late(*given: Any) -> None:
            memory.brief("when is the demo?", keep_receipt=True)
            removing(*given)

        monkeypatch.setattr(move, "_remove", late)
        with pytest.raises(StoreBusy, match="nothing was removed"):
            move_space(memory, tmp_path / "there", remove_source=True)

        assert memory.get("alpha").content == "Alpha is due on Friday."


def test_what_is_acknowledged_while_a_space_is_removed_is_here_or_there(
    source: tuple[Path, str], tmp_path: Path
) -> None:
    reported: list[str] = []

    def write() -> None:
        with writer(source) as other:
            for number in range(40):
                with suppress(StoreError):
                    other.add(f"Note {number}.", id=f"n{number}")
                    reported.append(f"n{number}")

    writing = threading.Thread(target=write)
    with writer(source) as memory:
        writing.start()
        is_removed = False
        while not is_removed:
            with suppress(StoreBusy):
                is_removed = move_space(
                    memory, tmp_path / "there", remove_source=True
                ).removed_source
        writing.join()
        here = {one.id for one in memory.list(limit=100).items} if memory.spaces() else set()
    with opened(str(tmp_path / "there"), tmp_path) as moved:
        there = {one.id for one in moved.list(limit=100).items}

    assert {"alpha", "demo"} <= there
    assert set(reported) <= here | there
    assert reported
