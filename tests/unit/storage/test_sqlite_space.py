"""What only the SQLite adapter promises: locks, full disks, logs, many spaces, forks."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from simonides.errors import NotFound, StoreBusy, StoreCorrupt, StoreError, StoreFull
from simonides.model.stored import NO_EMBEDDER, Change, Prepared, Surrogate
from simonides.ports.space import Space
from simonides.storage.group_commit import Queue
from simonides.storage.sqlite import SQLiteStore
from simonides.storage.sqlite import space as space_module

Prepare = Callable[..., Prepared]


def log_bytes(file: Path) -> int:
    log = file.with_name(file.name + "-wal")
    return log.stat().st_size if log.exists() else 0


def test_a_writer_waits_no_longer_than_its_time_out_for_another_process(
    space: Space, file: Path, prepare: Prepare, noon: datetime
) -> None:
    other = apsw.Connection(str(file))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusy, match=r"space 'ana': waited 0\.1 s"):
        space.commit([prepare("late", id="l")], stored_at=noon)
    with pytest.raises(StoreBusy, match=r"waited 0\.1 s"):
        space.replace_vectors(NO_EMBEDDER, [])

    with space.read() as reader:
        assert reader.item("l") is None
    other.close()
    assert space.commit([prepare("late", id="l")], stored_at=noon)[0].change is Change.ADDED


def test_sizes_are_counted_while_another_process_closes_the_log(
    space: Space, prepare: Prepare, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    space.commit([prepare("first", id="f")], stored_at=noon)
    look, looks = Path.stat, []

    def look_twice(path: Path, **options: Any) -> os.stat_result:
        """Find the log once; then it is gone."""
        if path.name.endswith("-wal"):
            looks.append(path)
            if len(looks) > 1:
                raise FileNotFoundError(path)
        return look(path, **options)

    monkeypatch.setattr(Path, "stat", look_twice)

    assert space.stats().bytes_on_disk > 0
    assert space.stats().bytes_on_disk > 0
    assert len(looks) == 2


def test_a_writer_of_this_process_waits_no_longer_either(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    busy: list[StoreBusy] = []

    def late() -> None:
        try:
            space.commit([prepare("late")], stored_at=noon)
        except StoreBusy as error:
            busy.append(error)

    def slowly() -> Iterator[Prepared]:
        thread = threading.Thread(target=late)
        thread.start()
        thread.join()
        yield from ()

    space.replace_vectors(NO_EMBEDDER, slowly())

    assert len(busy) == 1


def test_what_is_kept_of_many_items_is_looked_up_at_once(
    make_store: Callable[..., SQLiteStore], prepare: Prepare, noon: datetime, file: Path
) -> None:
    store = make_store()
    space = store.open("ana", embedder=NO_EMBEDDER, create=True)
    space.commit([prepare(f"old {n}", id=str(n)) for n in range(20)], stored_at=noon)
    ran: list[str] = []

    def note(_cursor: apsw.Cursor, sql: str, _values: object) -> bool:
        ran.append(sql)
        return True

    with store._pool.lend(file, writes=True) as loan:
        loan.handle.sqlite.set_exec_trace(note)

    space.commit([prepare(f"old {n}", id=str(n)) for n in range(20)], stored_at=noon)
    unchanged = len(ran)
    space.commit([prepare(f"new {n}", id=f"n{n}") for n in range(20)], stored_at=noon)

    asked = [sql for sql in ran[unchanged:] if sql.startswith("SELECT")]
    assert unchanged < 20
    assert len(asked) < 20


def test_a_full_disk_loses_nothing_and_says_so(
    make_store: Callable[..., SQLiteStore], prepare: Prepare, noon: datetime
) -> None:
    store = make_store()
    space = store.open("ana", embedder=NO_EMBEDDER, create=True)
    space.commit([prepare("before", id="b")], stored_at=noon)
    with store._pool.lend(store._home / "spaces" / "ana.sqlite3", writes=True) as loan:
        pages = loan.handle.sqlite.execute("PRAGMA page_count").get
        loan.handle.sqlite.execute(f"PRAGMA max_page_count={pages}")

    with pytest.raises(StoreFull, match=r"no room left to write .*ana\.sqlite3; free some space"):
        space.commit([prepare("x" * 100_000, id="big")], stored_at=noon)

    with space.read() as reader:
        assert (reader.revision, reader.item("big")) == (1, None)
    assert space.commit([prepare("before", id="b")], stored_at=noon)[0].change is Change.UNCHANGED


def test_the_log_is_folded_in_when_it_grew_long(
    space: Space, file: Path, prepare: Prepare, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space_module, "LOG_BYTES_SOFT", 200_000)
    sizes = []
    for n in range(60):
        space.commit([prepare("x" * 9000, id=f"{n}")], stored_at=noon)
        sizes.append(log_bytes(file))

    assert 200_000 < max(sizes) < 400_000
    assert file.stat().st_size > 400_000


def test_a_long_log_waits_for_those_who_wait_unless_it_is_very_long(
    space: Space, file: Path, prepare: Prepare, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space_module, "LOG_BYTES_SOFT", 0)
    monkeypatch.setattr(Queue, "is_empty", property(lambda _self: False))
    for n in range(3):
        space.commit([prepare("x" * 9000, id=f"{n}")], stored_at=noon)
    unfolded = file.stat().st_size

    monkeypatch.setattr(space_module, "LOG_BYTES_HARD", 0)
    space.commit([prepare("x" * 9000, id="last")], stored_at=noon)

    assert unfolded < 10_000
    assert file.stat().st_size > 20_000


def test_closing_leaves_the_file_and_its_mark(
    space: Space, file: Path, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("kept")], stored_at=noon)
    assert log_bytes(file) > 0

    space.close()

    assert {one.name for one in file.parent.iterdir()} == {"ana.sqlite3", "ana.made"}


def test_the_snapshot_lies_beside_the_file_and_is_counted(
    make_store: Callable[..., SQLiteStore], file: Path
) -> None:
    store = make_store()
    space = store.open("ana", embedder=NO_EMBEDDER, create=True)
    before = space.stats().bytes_on_disk

    Path(store.snapshot_path("ana")).write_bytes(b"x" * 1000)

    assert Path(store.snapshot_path("ana")) == file.with_suffix(".index")
    assert space.stats().bytes_on_disk == before + 1000
    assert store.names() == ["ana"]


def test_many_spaces_share_a_few_connections(
    make_store: Callable[..., SQLiteStore], prepare: Prepare, noon: datetime
) -> None:
    store = make_store(connections_max=4, durability="relaxed")
    spaces = [store.open(f"s{n}", embedder=NO_EMBEDDER, create=True) for n in range(12)]
    for round_number in range(2):
        for n, space in enumerate(spaces):
            space.commit([prepare(f"{n}", id=f"{round_number}")], stored_at=noon)
            with space.read() as reader:
                kept = reader.item(f"{round_number}")

            assert kept is not None
            assert kept.content == f"{n}"
            assert store.connections <= 4
    assert store.open("s0", embedder=NO_EMBEDDER, create=False) is spaces[0]


def test_a_removed_space_is_gone_and_is_not_made_again_by_a_write(
    space: Space, file: Path, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("secret", id="s")], stored_at=noon)
    for one in file.parent.iterdir():
        one.unlink()

    with pytest.raises(NotFound), space.read():
        pass
    with pytest.raises(NotFound):
        space.commit([prepare("late")], stored_at=noon)
    assert list(file.parent.iterdir()) == []


def test_another_space_under_the_same_name_is_not_taken_for_the_old_one(
    make_store: Callable[..., SQLiteStore], file: Path, prepare: Prepare, noon: datetime
) -> None:
    old = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    old.commit([prepare("old", id="o")], stored_at=noon)
    for one in file.parent.iterdir():
        one.unlink()
    new = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    new.commit([prepare("new", id="n")], stored_at=noon)

    with pytest.raises(StoreError, match="another space lies at"), old.read():
        pass
    with pytest.raises(StoreError, match="another space lies at"):
        old.commit([prepare("late")], stored_at=noon)
    old.close()
    assert new.stats().items == 1
    assert all(one.sound for one in new.check())


def test_a_space_that_lost_its_own_facts_is_corrupt(space: Space, file: Path) -> None:
    other = apsw.Connection(str(file))
    other.execute("DELETE FROM meta WHERE key = 'revision'")
    other.close()

    with pytest.raises(StoreCorrupt, match="revision"), space.read():
        pass


def test_what_was_kept_is_wiped_from_the_file_when_it_moves(
    space: Space, file: Path, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("zanzibar", id="z")], stored_at=noon)
    space.commit([prepare("other", id="z")], stored_at=noon)
    space.close()

    assert file.read_bytes().count(b"zanzibar") == 1


def test_the_surrogates_of_a_forgotten_item_are_wiped_from_the_file(
    space: Space, file: Path, prepare: Prepare, noon: datetime
) -> None:
    one = prepare("a city by the sea", id="z")
    space.commit([one], stored_at=noon)
    with space.read() as reader:
        (key,) = reader.keys(["z"])
    words = "zanzibar " * 2000
    made = Surrogate(
        item_key=key, algorithm="x", version=1, source_hash=one.digest,
        full=words, gist="zanzibar", micro="zanzibar",
    )  # fmt: skip
    space.put_surrogates([made])
    space.put_surrogates([replace(made, full="zanzibar")])
    space.forget(["z"], at=noon)
    space.close()

    assert file.read_bytes().count(b"zanzibar") == 0


def test_what_takes_no_revision_is_on_disk_all_the_same(
    space: Space, file: Path, noon: datetime
) -> None:
    space.keep_receipt("r", "{}", at=noon)

    other = apsw.Connection(str(file))
    assert other.execute("SELECT id, at_us, text FROM receipt").fetchall() == [
        ("r", 1772798400000000, "{}")
    ]
    other.close()


def test_a_write_that_takes_no_revision_waits_for_its_turn_too(
    space: Space, file: Path, noon: datetime
) -> None:
    other = apsw.Connection(str(file))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusy, match=r"waited 0\.1 s"):
        space.keep_receipt("r", "{}", at=noon)
    other.close()
    with space.read() as reader:
        assert reader.receipt("r") is None


FORK: Final = """
import os, sys, warnings
from datetime import UTC, datetime
from pathlib import Path

from simonides.errors import StoreError
from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.storage.sqlite import SQLiteStore

warnings.simplefilter("ignore", DeprecationWarning)
noon = datetime(2026, 3, 6, tzinfo=UTC)
store = SQLiteStore(Path(sys.argv[1]))
ana, bo = (store.open(name, embedder=NO_EMBEDDER, create=True) for name in ("ana", "bo"))


def keep(space, name):
    item = Item(content=name, id=name)
    space.commit([Prepared(item=item, digest=digest(item), chunks=(), mentions=())], stored_at=noon)


def ids(space):
    with space.read() as reader:
        return [row.id for row in reader.item_rows(0)]


def in_child(work):
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        return
    try:
        work()
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(1)
    os._exit(0)


keep(ana, "parent"), keep(bo, "parent")


def child_works():
    assert store.connections == 0, store.connections
    keep(ana, "child")
    assert ids(ana) == ["parent", "child"]


in_child(child_works)
keep(ana, "later")
assert ids(ana) == ["parent", "child", "later"]

with ana.read() as reader:

    def child_is_refused():
        for use in (lambda: reader.item("parent"), lambda: ids(ana), lambda: keep(ana, "x")):
            try:
                use()
            except StoreError as error:
                assert "fork" in str(error), error
            else:
                raise AssertionError("an inherited connection was used")
        keep(bo, "child")
        assert ids(bo) == ["parent", "child"]

    in_child(child_is_refused)
    assert reader.item("later").content == "later"

assert all(one.sound for space in (ana, bo) for one in space.check())
store.close()
print("sound")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_uses_no_connection_of_its_parent(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(home)], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("sound\n", "")
