"""How a file is opened: its settings, its rights, and what is refused."""

import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

import apsw
import pytest

from simonides.errors import InvalidInput, NotASpace, NotFound, StoreError, StoreFull
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore
from simonides.storage.sqlite.busy import BusyHandler, Tuning
from simonides.storage.sqlite.connection import check_library, connect, make_folder, pragma

POSIX: Final = pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("relaxed", 1)])
def test_a_writing_connection_has_the_settings_that_the_laws_need(
    tmp_path: Path, durability: str, synchronous: int
) -> None:
    tuning = Tuning(durability=durability)
    handle = connect(tmp_path / "a.sqlite3", tuning=tuning, writes=True, create=True)
    expected = {
        "journal_mode": "wal", "synchronous": synchronous, "foreign_keys": 1, "secure_delete": 1,
        "trusted_schema": 0, "query_only": 0, "fullfsync": 1, "wal_autocheckpoint": 0,
    }  # fmt: skip

    assert {name: pragma(handle.sqlite, name) for name in expected} == expected
    handle.close()


def test_a_reading_connection_cannot_write(space: Space, file: Path) -> None:
    handle = connect(file, tuning=Tuning(), writes=False)

    with pytest.raises(apsw.ReadOnlyError):
        handle.sqlite.execute("DELETE FROM meta")
    handle.close()
    assert space.stats().revision == 0


@POSIX
def test_only_the_owner_may_read_what_is_kept(
    space: Space, file: Path, prepare: Callable[..., Prepared], noon: datetime
) -> None:
    space.commit([prepare("secret")], stored_at=noon)
    rights = {one.name: stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()}

    names = ("ana.sqlite3", "ana.sqlite3-shm", "ana.sqlite3-wal", "ana.made")
    assert rights == dict.fromkeys(names, 0o600)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.parent.parent.stat().st_mode) == 0o700


def write_text(file: Path) -> None:
    file.write_bytes(b"a letter to a friend, longer than a header of SQLite would be" * 40)


def write_database(file: Path) -> None:
    sqlite = apsw.Connection(str(file))
    sqlite.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    sqlite.close()


def write_marked_database(file: Path) -> None:
    sqlite = apsw.Connection(str(file))
    sqlite.execute("PRAGMA application_id=77")
    sqlite.execute("CREATE TABLE t (a)")
    sqlite.close()


def make_pipe(file: Path) -> None:
    os.mkfifo(file)


def make_socket(file: Path) -> None:
    here = Path.cwd()
    os.chdir(file.parent)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(file.name)
    os.chdir(here)


@POSIX
@pytest.mark.parametrize(
    "make",
    [Path.mkdir, write_text, write_database, write_marked_database, make_pipe, make_socket],
)
def test_what_is_not_ours_is_refused_and_left_alone(
    make_store: Callable[..., SQLiteStore], file: Path, make: Callable[[Path], None]
) -> None:
    file.parent.mkdir(parents=True)
    make(file)
    before = file.read_bytes() if file.is_file() else b""

    for create in (True, False):
        with pytest.raises(NotASpace, match=r"ana\.sqlite3 is .*move it"):
            make_store().open("ana", embedder=NO_EMBEDDER, create=create)

    assert (file.read_bytes() if file.is_file() else b"") == before


def test_a_home_with_odd_characters_works(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "a ?&#%20ü 'q'")
    store.open("ana", embedder=NO_EMBEDDER, create=True)
    store.close()

    assert store.names() == ["ana"]


def test_a_home_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").touch()

    with pytest.raises(StoreFull, match="home"):
        SQLiteStore(tmp_path / "home").open("ana", embedder=NO_EMBEDDER, create=True)


def test_a_relative_home_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = SQLiteStore(Path("home"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    store.open("ana", embedder=NO_EMBEDDER, create=True)

    assert (tmp_path / "home" / "spaces" / "ana.sqlite3").exists()
    store.close()


@pytest.mark.parametrize("version", ["3.51.2", "3.7.0", "3.40.1"])
def test_an_sqlite_that_can_damage_files_is_refused(version: str) -> None:
    with pytest.raises(StoreError, match=rf"{version}.*3\.51\.3 or newer"):
        check_library(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.54.1", "4.0.0"])
def test_a_sound_sqlite_is_taken(version: str) -> None:
    check_library(version)


@pytest.mark.parametrize(
    "wrong", [{"durability": "fast"}, {"timeout_s": 0.0}, {"connections_max": 0}]
)
def test_settings_out_of_range_are_refused(
    make_store: Callable[..., SQLiteStore], wrong: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        make_store(**wrong)


def test_patience_ends_at_its_time_out() -> None:
    patience = BusyHandler(0.0)

    assert not patience(0)
    patience.timeout_s = 60.0
    assert patience(0)
    assert patience(1)


def test_patience_does_not_sleep_longer_the_longer_it_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    patience = BusyHandler(60.0)

    assert all(patience(tries) for tries in range(100))
    assert set(pauses) == {pauses[0]}
    assert pauses[0] <= 0.001


def test_a_missing_file_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        connect(tmp_path / "a.sqlite3", tuning=Tuning(), writes=False)

    assert list(tmp_path.iterdir()) == []


def test_folders_are_made_with_what_leads_to_them(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b" / "c")
    make_folder(tmp_path / "a" / "b" / "c")

    assert (tmp_path / "a" / "b" / "c").is_dir()


READ_ONLY: Final = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path

from simonides.errors import SimonidesError
from simonides.model.item import Item
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.storage.sqlite import SQLiteStore

if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
store = SQLiteStore(Path(sys.argv[1]))
space = store.open("ana", embedder=NO_EMBEDDER, create=True)
with space.read() as reader:
    print(reader.item("k").content)
one = Prepared(item=Item(content="late"), digest=b"d", chunks=(), mentions=())
for write in (
    lambda: space.commit([one], stored_at=datetime(2026, 3, 6, tzinfo=UTC)),
    lambda: space.forget(["k"], at=datetime(2026, 3, 6, tzinfo=UTC)),
    lambda: store.open("new", embedder=NO_EMBEDDER, create=True),
):
    try:
        write()
    except SimonidesError as error:
        print(type(error).__name__, error)
"""


@pytest.fixture
def public_home() -> Iterator[Path]:
    """A home that any user of the machine can get to."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "home"
        for one in Path(folder).rglob("*"):
            one.chmod(0o700)


@pytest.mark.parametrize("in_use", [False, True])
def test_what_others_write_to_a_read_only_home_is_read(
    tmp_path: Path, prepare: Callable[..., Prepared], noon: datetime,
    monkeypatch: pytest.MonkeyPatch, *, in_use: bool,
) -> None:  # fmt: skip
    with closing(SQLiteStore(tmp_path)) as first:
        first.open("ana", embedder=NO_EMBEDDER, create=True)
    with closing(SQLiteStore(tmp_path)) as reading, closing(SQLiteStore(tmp_path)) as writing:
        with monkeypatch.context() as patch:
            patch.setattr("simonides.storage.sqlite.connection.is_read_only", lambda _file: True)
            space = reading.open("ana", embedder=NO_EMBEDDER, create=False)
            with space.read() as reader:
                assert reader.item("k") is None
        written = writing.open("ana", embedder=NO_EMBEDDER, create=False)
        written.commit([prepare("late", id="k")], stored_at=noon)
        if not in_use:
            writing.close()

        with space.read() as reader:
            late = reader.item("k")
        assert late is not None
        assert late.content == "late"


@POSIX
@pytest.mark.parametrize("in_use", [False, True])
def test_a_read_only_home_can_be_read_and_says_that_it_cannot_be_written(
    public_home: Path, prepare: Callable[..., Prepared], noon: datetime, *, in_use: bool
) -> None:
    store = SQLiteStore(public_home)
    space = store.open("ana", embedder=NO_EMBEDDER, create=True)
    space.commit([prepare("kept", id="k")], stored_at=noon)
    if not in_use:
        store.close()
    for one in (public_home, *public_home.rglob("*")):
        one.chmod(0o555 if one.is_dir() else 0o444)

    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(public_home)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    (public_home / "spaces").chmod(0o700)
    store.close()
    lines = done.stdout.splitlines()
    assert lines[0] == "kept", done.stderr
    assert len(lines) == 4
    for line in lines[1:]:
        assert line.startswith("StoreFull")
        assert "read-only; give this user the right" in line
