"""A space's files are taken away while others hold, open, or wait for them: nobody is deceived."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from shutil import copytree

import apsw
import pytest

from simonides.errors import NotFound, StoreBusy, StoreError, StoreFull
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore, connection
from simonides.storage.sqlite.backup import exclusive_connection, replace_by, set_aside
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import connect

Prepare = Callable[..., Prepared]

HOLDER = """
import sys
from pathlib import Path
from simonides.errors import StoreError
from simonides.storage.sqlite import SQLiteStore

space = SQLiteStore(Path(sys.argv[1])).open_any("ana")
with space.read() as reader:
    print("revision", reader.revision, flush=True)
sys.stdin.readline()
try:
    with space.read() as reader:
        print("still there", flush=True)
except StoreError as error:
    print(error, flush=True)
"""


@pytest.fixture
def kept(space: Space, prepare: Prepare, noon: datetime) -> Space:
    """A space that holds an item."""
    space.commit([prepare("zorkmid " * 2000, id="a")], stored_at=noon)
    return space


def test_another_process_that_has_it_open_keeps_an_empty_file(
    kept: Space, home: Path, file: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    command = [sys.executable, "-c", HOLDER, str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "revision 1\n"
        kept.close()
        swept = make_store(timeout_s=0.1).remove("ana")
        said = other.communicate("\n")[0]

    assert "still has the emptied file open" in swept.problem
    assert "was erased since it was opened" in said
    assert b"zorkmid" not in file.read_bytes()
    with pytest.raises(NotFound):
        make_store().open_any("ana")
    assert make_store().open("ana", embedder=NO_EMBEDDER, create=True).is_empty()


def test_a_writer_that_waits_is_refused_and_nothing_it_wrote_is_acknowledged(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore], prepare: Prepare,
    noon: datetime,
) -> None:  # fmt: skip
    blocker = apsw.Connection(str(file))
    blocker.execute("BEGIN IMMEDIATE")
    patient = make_store(timeout_s=30.0).open_any("ana")
    refused: list[Exception] = []

    def write() -> None:
        try:
            patient.commit([prepare("late", id="late")], stored_at=noon)
        except StoreError as error:
            refused.append(error)

    kept.close()
    removing = threading.Thread(target=lambda: make_store(timeout_s=30.0).remove("ana"))
    writing = threading.Thread(target=write)
    removing.start()
    blocker.execute("ROLLBACK")
    removing.join()
    writing.start()
    writing.join()
    blocker.close()

    assert ["was erased since" in str(error) for error in refused] == [True]


def test_a_writer_that_stays_keeps_the_space(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    other = apsw.Connection(str(file))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusy):
        make_store(timeout_s=0.1).remove("ana")

    other.execute("ROLLBACK")
    other.close()
    with kept.read() as reader:
        assert reader.item("a") is not None


def test_a_reader_that_stays_is_told_of(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    with make_store().open_any("ana").read() as reader:
        swept = make_store(timeout_s=0.1).remove("ana")

        assert (swept.log_emptied, reader.item("a") is not None) == (False, True)
        assert "somebody still reads" in swept.problem
    assert kept
    again = make_store(timeout_s=0.1).remove("ana")
    assert again.log_emptied
    assert not file.exists() or b"zorkmid" not in file.read_bytes()


def test_what_a_reader_kept_goes_with_the_next_start(
    kept: Space, home: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    reading = make_store()
    with reading.open_any("ana").read() as reader:
        make_store(timeout_s=0.1).remove("ana")
        assert reader.item("a") is not None
    kept.close()
    reading.close()

    assert make_store(timeout_s=0.1).names() == []
    assert [one for one in home.rglob("*") if one.is_file()] == []


def test_what_repairs_set_aside_goes_with_the_space(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    beside = [f"ana.sqlite3.damaged-{end}" for end in ("1", "1-wal", "22")] + ["ana.index"]
    for name in (*beside, "ben.sqlite3.damaged-1"):
        (file.parent / name).write_bytes(b"zorkmid")

    files = {Path(name).name for name in kept.files.paths}
    kept.close()
    make_store(timeout_s=0.1).remove("ana")

    assert set(beside) <= files
    assert [one.name for one in file.parent.iterdir()] == ["ben.sqlite3.damaged-1"]


def test_a_file_that_was_exchanged_while_it_was_opened_is_opened_anew(
    kept: Space, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.close()
    copy = file.read_bytes()
    set_up, times = connection._set_up, []

    def exchanged(*given: object, **named: object) -> None:
        set_up(*given, **named)  # type: ignore[arg-type]
        times.append(1)
        if len(times) == 1:
            file.unlink()
            file.write_bytes(copy)

    monkeypatch.setattr(connection, "_set_up", exchanged)
    handle = connect(file, tuning=Tuning(), writes=True)

    assert len(times) == 2
    assert not handle.is_stale()
    handle.close()


def test_a_file_that_is_exchanged_all_the_time_is_given_up(
    kept: Space, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.close()
    monkeypatch.setattr(connection, "has_moved", lambda _handle: True)

    with pytest.raises(StoreBusy, match="over and over"):
        connect(file, tuning=Tuning(), writes=False)


def test_who_holds_a_file_holds_it_alone_and_changes_nothing(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    kept.close()
    before = file.read_bytes()
    with exclusive_connection(file, tuning=Tuning(timeout_s=0.1)) as sqlite:
        assert sqlite.execute("SELECT count(*) FROM item").get == 1
        with pytest.raises(StoreBusy):
            make_store(timeout_s=0.1).open_any("ana")

    assert file.read_bytes() == before
    assert make_store().open_any("ana").stats().items == 1


def test_files_set_aside_get_numbers_of_their_own(kept: Space, file: Path) -> None:
    kept.close()
    names = []
    for _ in range(3):
        copy = file.read_bytes()
        file.with_name(f"{file.name}-wal").write_bytes(b"log")
        names.append(set_aside(file).name)
        file.write_bytes(copy)

    assert names == [f"ana.sqlite3.damaged-{n}" for n in (1, 2, 3)]
    assert (file.parent / "ana.sqlite3.damaged-2-wal").read_bytes() == b"log"


def test_a_file_that_can_not_take_the_place_leaves_everything_as_it_was(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.close()
    log = file.with_name(f"{file.name}-wal")
    log.write_bytes(b"")
    temporary = file.with_name(".new")
    temporary.write_bytes(b"another")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreFull, match="No space left"):
        replace_by(file, temporary)

    assert log.exists()
    assert not list(file.parent.glob("*.damaged-*"))
    assert make_store().open_any("ana").stats().items == 1


@pytest.fixture
def broken_off(
    kept: Space, make_store: Callable[..., SQLiteStore], prepare: Prepare, noon: datetime,
    file: Path,
) -> Path:  # fmt: skip
    """The home after a process was killed that had put a file and its log aside, and no more."""
    home = file.parents[1] / "after"
    kept.close()
    space = make_store().open_any("ana")
    space.commit([prepare("more tea", id="i2")], stored_at=noon)
    copytree(file.parent, home / "spaces")
    set_aside(home / "spaces" / file.name)
    return home


def test_a_log_that_was_put_aside_comes_back_where_no_file_took_the_place(broken_off: Path) -> None:
    store = SQLiteStore(broken_off)

    assert store.open_any("ana").stats().items == 2
    store.close()
    assert not list(broken_off.glob("spaces/*.damaged-*"))


def test_a_log_that_was_put_aside_is_not_laid_over_a_newer_one(broken_off: Path) -> None:
    log = broken_off / "spaces" / "ana.sqlite3-wal"
    log.write_bytes(b"another process wrote since")
    store = SQLiteStore(broken_off)

    assert store.open_any("ana").stats().items == 1
    store.close()
    assert list(broken_off.glob("spaces/*.damaged-1-wal"))


def test_another_hard_link_of_a_file_changes_nothing(
    kept: Space, file: Path, make_store: Callable[..., SQLiteStore]
) -> None:
    kept.close()
    os.link(file, file.parents[1] / "linked.sqlite3")

    assert make_store().open_any("ana").stats().items == 1


def test_there_is_a_file_of_the_name_at_every_step(
    kept: Space, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.close()
    temporary = file.with_name(".new")
    temporary.write_bytes(b"another")
    before, there = file.read_bytes(), []

    def watched(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object) -> object:
            done = real(*given)
            there.append(file.exists())
            return done

        return call

    monkeypatch.setattr(Path, "replace", watched(Path.replace))
    monkeypatch.setattr(Path, "rename", watched(Path.rename))
    monkeypatch.setattr(os, "link", watched(os.link))
    aside = replace_by(file, temporary)

    assert aside is not None
    assert there
    assert all(there)
    assert (file.read_bytes(), aside.read_bytes()) == (b"another", before)
