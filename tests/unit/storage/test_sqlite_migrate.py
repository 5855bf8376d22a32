"""The format of the file: its exact schema, and how an older one becomes the present one."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from simonides.errors import NewerFormat, NotFound, StoreError
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore
from simonides.storage.sqlite import store as store_module
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import Handle, connect, pragma
from simonides.storage.sqlite.meta import FORMAT, MIGRATIONS, Migration, check_format, migrate

NEXT = Migration(
    number=FORMAT + 1,
    script="ALTER TABLE item ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'; CREATE TABLE extra (a);",
)

TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
COLUMNS = "SELECT name || ' ' || type || iif(\"notnull\", '!', '') FROM pragma_table_info(?)"
INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> '' ORDER BY name"


def opened(file: Path) -> Handle:
    return connect(file, tuning=Tuning(), writes=True, create=True)


def nothing(_sqlite: apsw.Connection) -> None:
    """Give a new file no first values."""


def never(_sqlite: apsw.Connection) -> None:
    pytest.fail("first values were given to a file that has some")


def test_the_schema_is_exactly_this(space: Space, file: Path) -> None:
    handle = opened(file)
    tables = handle.sqlite.execute(TABLES).fetchall()
    columns = {table: list(handle.sqlite.execute(COLUMNS, (table,))) for (table,) in tables}
    shape = {table: [row[0] for row in found] for table, found in columns.items()}
    strict = dict(handle.sqlite.execute("SELECT name, strict FROM pragma_table_list"))
    indexes = [row[0] for row in handle.sqlite.execute(INDEXES)]
    handle.close()

    item = [
        "key INTEGER", "id TEXT!", "version INTEGER!", "born INTEGER!", "stored_us INTEGER!",
        "digest BLOB!", "kind TEXT!", "source TEXT!", "source_id TEXT!", "collection TEXT!",
        "session TEXT!", "position INTEGER", "happened_us INTEGER", "language TEXT!",
        "tags TEXT!", "traits TEXT", "people TEXT!", "metadata TEXT!", "title TEXT!",
        "summary TEXT!", "content TEXT!", "quoted TEXT!",
    ]  # fmt: skip
    chunk = [
        "item_key INTEGER!", "ordinal INTEGER!", "start INTEGER!", "stop INTEGER!",
        "words INTEGER!", "dated INTEGER!", "length INTEGER!", "terms BLOB!", "vector BLOB!",
        "embedded INTEGER",
    ]  # fmt: skip
    mention = ["item_key INTEGER!", "ordinal INTEGER!", "entity TEXT!", "kind TEXT!", "name TEXT!",
               "role TEXT!"]  # fmt: skip
    assert space.name == "ana"
    assert shape.pop("sqlite_sequence")
    assert shape == {
        "meta": ["key TEXT!", "value ANY!"],
        "item": item,
        "item_archive": [*item, "died INTEGER!", "died_us INTEGER!", "cause TEXT!"],
        "chunk": chunk,
        "chunk_archive": chunk,
        "next_chunk": chunk[:-1],
        "mention": mention,
        "mention_archive": mention,
        "background": [
            "key INTEGER", "id TEXT!", "collection TEXT!", "created_us INTEGER!", "born INTEGER!",
            "due_us INTEGER", "text TEXT!", "terms BLOB!",
        ],
        "engagement": ["key INTEGER", "item_id TEXT!", "at_us INTEGER!", "how TEXT!",
                       "born INTEGER!", "times INTEGER!"],
        "surrogate": ["item_key INTEGER!", "algorithm TEXT!", "version INTEGER!",
                      "source_hash BLOB!", "full TEXT!", "gist TEXT!", "micro TEXT!"],
        "receipt": ["id TEXT!", "at_us INTEGER!", "text TEXT!"],
        "erased": ["id_hash BLOB!", "at_us INTEGER!", "version INTEGER!"],
        "proposal": ["id TEXT!", "created_us INTEGER!", "status TEXT!", "decided_us INTEGER",
                     "body TEXT!"],
        "request": ["digest TEXT!", "mark TEXT!", "at_us INTEGER!"],
        "revision": ["revision INTEGER", "at_us INTEGER!", "epoch INTEGER!"],
    }  # fmt: skip
    assert {strict[table] for table in shape} == {1}
    assert indexes == [
        "background_latest", "chunk_embedded", "engagement_item", "item_archive_died",
        "item_archive_id", "item_document_session", "item_moved", "proposal_status",
        "request_at",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE item SET kind = 'dream'",
        "UPDATE item SET version = 0",
        "UPDATE item SET born = 0",
        "UPDATE item SET metadata = '{'",
        "UPDATE item SET source = ''",
        "UPDATE item SET happened_us = 'noon'",
        "UPDATE chunk SET start = 5, stop = 4",
        "UPDATE chunk SET dated = 2",
        "UPDATE chunk SET terms = x'00'",
        "UPDATE chunk SET item_key = 99",
        "DELETE FROM item",
        "INSERT INTO mention VALUES (1, 0, 'a', 'ghost', 'A', 'to')",
        "INSERT INTO mention VALUES (1, 0, 'a', 'topic', 'A', 'king')",
        "INSERT INTO background VALUES (1, '', 'main', 0, 1, NULL, '', x'')",
        "INSERT INTO background VALUES (1, 'a', '', 0, 1, NULL, '', x'')",
        "INSERT INTO background VALUES (1, 'a', 'main', 0, 0, NULL, '', x'')",
        "INSERT INTO background VALUES (1, 'a', 'main', 0, 1, NULL, '', x'00')",
        "INSERT INTO engagement VALUES (1, 'a', 0, 'found', 1, 1)",
        "INSERT INTO engagement VALUES (1, '', 0, 'used', 1, 1)",
        "INSERT INTO engagement VALUES (1, 'a', 0, 'used', 1, 0)",
        "INSERT INTO revision VALUES (0, 0, 0)",
        "INSERT INTO revision VALUES (9, 0, -1)",
        "INSERT INTO erased VALUES (zeroblob(16), 0, -1)",
        "INSERT INTO surrogate VALUES (99, 'a', 1, x'', '', '', '')",
        "INSERT INTO surrogate VALUES (1, '', 1, x'', '', '', '')",
        "INSERT INTO surrogate VALUES (1, 'a', 0, x'', '', '', '')",
        "INSERT INTO receipt VALUES ('a', 0, '{')",
        "INSERT INTO receipt VALUES ('', 0, '{}')",
    ],
)
def test_the_schema_refuses_rows_that_break_its_rules(
    space: Space, file: Path, prepare: Callable[..., Prepared], noon: datetime, change: str
) -> None:
    space.commit([prepare("words")], stored_at=noon)
    handle = opened(file)

    with pytest.raises(apsw.ConstraintError):
        handle.sqlite.execute(change)
    handle.close()


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, FORMAT + 1))


def test_an_older_file_is_brought_to_the_newest_format_with_its_rows(
    space: Space, file: Path, prepare: Callable[..., Prepared], noon: datetime
) -> None:
    space.commit([prepare("kept", id="k")], stored_at=noon)
    space.close()
    handle = opened(file)

    migrate(handle, begin=never, migrations=[*MIGRATIONS, NEXT])

    assert pragma(handle.sqlite, "user_version") == FORMAT + 1
    assert list(handle.sqlite.execute("SELECT id, mood FROM item")) == [("k", "calm")]
    handle.close()


def test_the_store_migrates_an_older_file_when_it_is_opened(
    make_store: Callable[..., SQLiteStore],
    file: Path,
    prepare: Callable[..., Prepared],
    noon: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    space.commit([prepare("kept", id="k")], stored_at=noon)
    space.close()
    steps = [*MIGRATIONS, NEXT]
    monkeypatch.setattr(store_module, "FORMAT", NEXT.number)
    monkeypatch.setattr(
        store_module, "check_format", lambda one: check_format(one, newest=NEXT.number)
    )
    monkeypatch.setattr(
        store_module, "migrate", lambda one, begin: migrate(one, begin=begin, migrations=steps)
    )

    make_store().open("ana", embedder=NO_EMBEDDER, create=False)

    handle = opened(file)
    assert list(handle.sqlite.execute("SELECT id, mood FROM item")) == [("k", "calm")]
    handle.close()


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    handle = opened(tmp_path / "a.sqlite3")
    migrate(handle, begin=nothing)
    changes = handle.sqlite.total_changes()

    migrate(handle, begin=never)

    assert handle.sqlite.total_changes() == changes
    handle.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    handle = opened(tmp_path / "a.sqlite3")
    migrate(handle, begin=nothing)
    broken = Migration(number=FORMAT + 1, script="CREATE TABLE extra (a); DROP TABLE nowhere;")

    with pytest.raises(StoreError, match="nowhere"):
        migrate(handle, begin=nothing, migrations=[*MIGRATIONS, broken])

    assert pragma(handle.sqlite, "user_version") == FORMAT
    assert list(handle.sqlite.execute("SELECT * FROM sqlite_schema WHERE name = 'extra'")) == []
    handle.close()


def test_a_newer_file_is_refused_with_both_versions(
    make_store: Callable[..., SQLiteStore], space: Space, file: Path
) -> None:
    space.close()
    handle = opened(file)
    handle.sqlite.execute("PRAGMA user_version=99")
    handle.close()

    for create in (False, True):
        with pytest.raises(NewerFormat, match=f"format 99, this engine reads up to {FORMAT}"):
            make_store().open("ana", embedder=NO_EMBEDDER, create=create)
    with pytest.raises(NewerFormat):
        make_store().open_any("ana")


def test_a_file_migrated_by_another_process_is_not_written_in_the_old_way(
    space: Space, file: Path, prepare: Callable[..., Prepared], noon: datetime
) -> None:
    handle = opened(file)
    migrate(handle, begin=never, migrations=[*MIGRATIONS, NEXT])

    with pytest.raises(NewerFormat):
        space.commit([prepare("late")], stored_at=noon)
    with pytest.raises(NewerFormat), space.read():
        pass
    assert list(handle.sqlite.execute("SELECT * FROM item")) == []
    handle.close()


def test_a_space_whose_making_was_cut_short_is_made_when_it_is_asked_for(
    make_store: Callable[..., SQLiteStore], file: Path
) -> None:
    file.parent.mkdir(parents=True)
    opened(file).close()  # an empty database: what a crash leaves before the first transaction

    with pytest.raises(NotFound):
        make_store().open("ana", embedder=NO_EMBEDDER, create=False)
    with pytest.raises(NotFound):
        make_store().open_any("ana")
    made = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    assert made.stats().revision == 0


def test_an_empty_file_is_no_space_yet(make_store: Callable[..., SQLiteStore], file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.touch()

    with pytest.raises(NotFound):
        make_store().open_any("ana")
    assert make_store().open("ana", embedder=NO_EMBEDDER, create=True).stats().items == 0
