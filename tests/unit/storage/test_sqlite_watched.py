"""The disk for trials: every call is told, and a refused one is an error of the engine's own."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from simonides.errors import StoreCorrupt, StoreFull
from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.fault_vfs import Call, Failure, What, watch_files

NOON = datetime(2026, 3, 6, tzinfo=UTC)


@dataclass
class Watch:
    """Notes every call, and fails those of one kind while `failing` says so."""

    seen: list[Call] = field(default_factory=list)
    failing: tuple[Failure, What] | None = None

    def before(self, call: Call) -> Failure | None:
        if self.failing is None or call.what is not self.failing[1]:
            return None
        return self.failing[0]

    def after(self, call: Call) -> None:
        self.seen.append(call)

    def of(self, what: What, suffix: str) -> list[Call]:
        return [one for one in self.seen if one.what is what and one.name.endswith(suffix)]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def space(watch: Watch, tmp_path: Path) -> Iterator[Space]:
    """A new space whose files are watched."""
    with watch_files(watch):
        store = SQLiteStore(tmp_path)
        yield store.open("s", embedder=NO_EMBEDDER, create=True)
        watch.failing = None
        store.close()


def add(space: Space, name: str) -> None:
    item = Item(id=name, content=f"words of {name}")
    one = Prepared(item=item, digest=digest(item), chunks=(), mentions=())
    space.commit([one], stored_at=NOON)


def ids(space: Space) -> list[str]:
    with space.read() as reader:
        return [row.id for row in reader.item_rows(0)]


def test_a_commit_writes_the_log_and_syncs_it_last(space: Space, watch: Watch) -> None:
    watch.seen.clear()
    add(space, "a")

    assert [one.what for one in watch.seen[-1:]] == [What.SYNC]
    assert {one.name for one in watch.seen} == {"s.sqlite3-wal"}
    assert b"words of a" in b"".join(one.data for one in watch.of(What.WRITE, "-wal"))


def test_the_first_sync_of_a_log_makes_the_names_durable_too(space: Space, watch: Watch) -> None:
    add(space, "a")
    syncs = watch.of(What.SYNC, "-wal")

    assert syncs[0].folder_too
    assert not syncs[-1].folder_too
    assert not any(one.folder_too for one in watch.of(What.SYNC, "sqlite3"))


def test_closing_folds_the_log_in_and_removes_it(space: Space, watch: Watch) -> None:
    add(space, "a")
    watch.seen.clear()
    space.close()

    assert [one.what for one in watch.of(What.TRUNCATE, "-wal")] == [What.TRUNCATE]
    assert [one.name for one in watch.of(What.DELETE, "-wal")] == ["s.sqlite3-wal"]
    assert watch.of(What.WRITE, "sqlite3")


@pytest.mark.parametrize(
    ("failing", "reported"),
    [
        ((Failure.FULL, What.WRITE), "no room left to write"),
        ((Failure.BROKEN, What.WRITE), "may be kept, whole, or not at all"),
        ((Failure.BROKEN, What.SYNC), "check space and disk"),
    ],
)
def test_a_refused_call_is_reported_with_what_to_do_and_passes(
    space: Space, watch: Watch, failing: tuple[Failure, What], reported: str
) -> None:
    add(space, "a")
    watch.failing = failing
    with pytest.raises(StoreFull, match=reported):
        add(space, "b")
    watch.failing = None

    assert ids(space) == ["a"]
    add(space, "c")
    assert ids(space) == ["a", "c"]


def test_half_a_read_is_noticed_where_it_makes_no_sense(
    watch: Watch, tmp_path: Path, space: Space
) -> None:
    add(space, "a")
    space.close()
    watch.failing = (Failure.SHORT, What.READ)

    store = SQLiteStore(tmp_path)
    with pytest.raises((StoreCorrupt, StoreFull)):
        store.open_any("s")
    store.close()


def test_what_fails_while_closing_is_kept_in_the_log(
    space: Space, watch: Watch, tmp_path: Path
) -> None:
    add(space, "a")
    watch.failing = (Failure.BROKEN, What.SYNC)
    space.close()
    watch.failing = None
    store = SQLiteStore(tmp_path)

    assert ids(store.open_any("s")) == ["a"]
    store.close()


def test_a_store_closes_files_that_no_space_was_opened_from(watch: Watch, tmp_path: Path) -> None:
    with watch_files(watch):
        store = SQLiteStore(tmp_path)
        watch.failing = (Failure.BROKEN, What.SYNC)
        with pytest.raises(StoreFull):
            store.open("s", embedder=NO_EMBEDDER, create=True)
        store.close()

        assert store.connections == 0


def test_the_usual_file_layer_is_back_afterwards(watch: Watch) -> None:
    usual = apsw.vfs_names()[0]
    with watch_files(watch):
        assert apsw.vfs_names()[0] == "watched"

    assert apsw.vfs_names()[0] == usual
    assert "watched" not in apsw.vfs_names()


def test_temporary_files_are_let_be(watch: Watch, tmp_path: Path) -> None:
    with watch_files(watch):
        sqlite = apsw.Connection(str(tmp_path / "a.db"))
        sqlite.execute("CREATE TEMP TABLE t (a); INSERT INTO t VALUES (1)")
        sqlite.execute("VACUUM")
        sqlite.close()

    assert {one.name for one in watch.seen} <= {"a.db", "a.db-journal"}


def test_a_sync_that_fails_leaves_all_who_shared_it_in_doubt(space: Space, watch: Watch) -> None:
    reported: list[str] = []
    queue: Any = space._queue  # type: ignore[attr-defined]

    def write(name: str) -> None:
        try:
            add(space, name)
        except StoreFull as error:
            watch.failing = None  # who tries again would succeed
            reported.append(str(error))

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    with queue.alone():
        for one in writers:
            one.start()
        with queue._changed:
            while len(queue._waiting) < len(writers):
                queue._changed.wait(0.001)
        watch.failing = (Failure.BROKEN, What.SYNC)
    for one in writers:
        one.join()

    assert ["whole, or not at all" in one for one in reported] == [True] * 3
    assert set(ids(space)) in (set(), set("abc"))
