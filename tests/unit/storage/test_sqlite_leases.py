"""Readers that an erasure waits for: those here are ended, those of other processes are named."""

import os
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from simonides.errors import StoreBusy, StoreError
from simonides.model.stored import Prepared
from simonides.ports.space import Reader, Space
from simonides.storage.sqlite import SQLiteStore, maintenance, pool
from simonides.storage.sqlite.busy import active_readers

Prepare = Callable[..., Prepared]
MakeStore = Callable[..., SQLiteStore]
WAIT_S = 30.0


@pytest.fixture
def filled(space: Space, prepare: Prepare, noon: datetime) -> Space:
    """A space of some items."""
    space.commit([prepare(f"note {n} " * 50, id=f"{n}") for n in range(200)], stored_at=noon)
    return space


@pytest.fixture
def no_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has every reader be one that has held the space for too long."""
    monkeypatch.setattr(pool, "LEASE_S", 0.0)
    monkeypatch.setattr(maintenance, "LOOK_S", 0.001)


def half_read(reader: Reader) -> Iterator[object]:
    """Return the rest of what is kept, after the first of it was read."""
    rest = reader.read_all()
    next(rest)
    return rest


@pytest.mark.usefixtures("no_lease")
def test_a_sweep_ends_the_readers_of_its_own_process(filled: Space, noon: datetime) -> None:
    with pytest.raises(StoreBusy, match="read it again"), filled.read() as reader:  # noqa: PT012  the block is what fails
        rest = half_read(reader)
        filled.erase(["1"], at=noon)
        swept = filled.sweep()
        list(rest)

    assert (swept.log_emptied, swept.problem) == (True, "")
    assert not filled.is_sweep_due()
    with filled.read() as reader:
        assert (reader.item("1"), reader.item("2") is not None) == (None, True)


@pytest.mark.usefixtures("no_lease")
def test_a_reader_that_was_ended_says_so_however_it_goes_on(filled: Space, noon: datetime) -> None:
    for go_on in (
        lambda r: r.item("2"),
        lambda r: r.revision_row(1),
        lambda r: list(r.item_rows(0)),
    ):
        with pytest.raises(StoreBusy), filled.read() as reader:  # noqa: PT012  as above
            filled.erase([str(reader.revision)], at=noon)
            filled.sweep()
            go_on(reader)


@pytest.mark.usefixtures("no_lease")
def test_a_connection_that_was_ended_counts_as_closed(
    make_store: MakeStore, filled: Space, noon: datetime
) -> None:
    store = make_store()
    space = store.open_any(filled.name)
    for n in range(5):
        with pytest.raises(StoreBusy), space.read() as reader:  # noqa: PT012  as above
            space.erase([f"{n}"], at=noon)
            space.sweep()
            reader.item("9")

    assert store.connections <= 2
    space.close()
    assert store.connections == 0


def test_a_young_reader_is_waited_for(make_store: MakeStore, filled: Space, noon: datetime) -> None:
    space = make_store(timeout_s=0.01).open_any(filled.name)
    with space.read() as reader:
        space.erase(["1"], at=noon)
        swept = space.sweep()

        assert reader.item("1") is not None
    assert "erase once more" in swept.problem
    assert space.sweep().problem == ""


@pytest.mark.usefixtures("no_lease")
def test_a_reader_that_makes_way_is_ended_for_a_sweep_elsewhere(
    make_store: MakeStore, filled: Space, noon: datetime
) -> None:
    other = make_store().open_any(filled.name)
    with filled.making_way(), pytest.raises(StoreBusy), filled.read() as reader:  # noqa: PT012  as above
        rest = half_read(reader)
        other.erase(["1"], at=noon)
        swept = other.sweep()
        list(rest)

    assert swept.problem == ""


@pytest.mark.usefixtures("no_lease")
def test_a_reader_that_makes_way_is_left_alone_while_nobody_waits(
    make_store: MakeStore, filled: Space, noon: datetime
) -> None:
    other = make_store(timeout_s=0.001).open_any(filled.name)
    with filled.read() as blocking:
        assert blocking.revision
        other.erase(["1"], at=noon)
        assert other.sweep().problem  # given up: it stays due, and nobody waits any more
    with filled.making_way(), filled.read() as reader:
        threading.Event().wait(0.05)

        assert reader.item("2") is not None
        assert filled.is_sweep_due()


@pytest.mark.usefixtures("no_lease")
def test_erasing_a_whole_space_ends_those_who_read_it(make_store: MakeStore, filled: Space) -> None:
    with filled.making_way(), pytest.raises(StoreBusy), filled.read() as reader:  # noqa: PT012  as above
        rest = half_read(reader)
        swept = make_store().remove(filled.name)
        list(rest)

    assert swept.log_emptied


def lock(pid: int, inode: int, first: int, kind: str = "READ") -> str:
    return f"1: POSIX  ADVISORY  {kind}  {pid} fd:01:{inode} {first} {first}"


def test_who_reads_is_told_by_the_locks_of_readers_alone(tmp_path: Path) -> None:
    file, locks = tmp_path / "s.sqlite3", tmp_path / "locks"
    (tmp_path / "s.sqlite3-shm").touch()
    inode = (tmp_path / "s.sqlite3-shm").stat().st_ino
    lines = [
        lock(4711, inode, 124), lock(815, inode, 127), lock(815, inode, 123),
        lock(1, inode, 122), lock(2, inode, 128), lock(3, inode, 124, "WRITE"),
        lock(4, inode + 1, 124), lock(os.getpid(), inode, 124), "what is no lock at all",
        lock(5, inode, 124).replace("5", "x", 1),
    ]  # fmt: skip
    locks.write_text("\n".join(lines))

    assert active_readers(file, locks=locks) == " (process 815, 4711)"
    locks.write_text("")
    assert active_readers(file, locks=locks) == ""
    assert active_readers(tmp_path / "nothing.sqlite3", locks=locks) == ""
    assert active_readers(file, locks=tmp_path / "nothing") == ""


def test_a_space_that_was_made_anew_elsewhere_can_be_opened_again_in_a_long_lived_process(
    make_store: MakeStore, filled: Space, prepare: Prepare, noon: datetime
) -> None:
    store, other = make_store(), make_store()
    before = store.open_any(filled.name)
    with before.read() as reader:
        assert reader.revision
    filled.close()
    other.remove(filled.name)
    other.open(filled.name, embedder=before.embedder, create=True).commit(
        [prepare("new", id="new")], stored_at=noon
    )
    with pytest.raises(StoreError, match="open it again"), before.read():
        pass

    with store.open_any(filled.name).read() as reader:
        assert reader.item("new") is not None
