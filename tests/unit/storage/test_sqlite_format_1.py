"""A file that an engine of format 1 wrote: it is brought up to date and loses nothing."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from simonides.errors import StoreError
from simonides.model.stored import NO_EMBEDDER, Engaged, Prepared, PreparedBackground, Surrogate
from simonides.storage.sqlite import SQLiteStore
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import Handle, connect, pragma
from simonides.storage.sqlite.meta import FORMAT, MIGRATIONS, migrate

FIRST_ROWS = """
INSERT INTO meta VALUES ('uuid', 'first'), ('created_us', 0), ('revision', 3), ('epoch', 1),
  ('model', 'none'), ('dimension', 0), ('window_words', 180), ('quantiser', 'none');
INSERT INTO item VALUES
  (2, 'a', 2, 2, 1000000, x'0a', 'memory', 'note', '', 'main', '', NULL, NULL, 'en', '["t"]',
   NULL, '[["Ana","","author"]]', '{"n":1}', 'Tea', '', 'new words', ''),
  (4, 'c', 1, 3, 3000000, x'0c', 'email', 'gmail', 'm-1', 'main', 's', 7, 5, '', '[]',
   NULL, '[]', '{}', '', '', 'kept', '> old');
INSERT INTO item_archive VALUES
  (1, 'a', 1, 1, 0, x'01', 'memory', 'note', '', 'main', '', NULL, NULL, '', '[]', NULL, '[]',
   '{}', '', '', 'old words', '', 2, 1000000, 'replaced'),
  (3, 'b', 1, 2, 1000000, x'0b', 'task', 'jira', '', 'main', '', NULL, NULL, '', '[]', NULL, '[]',
   '{}', '', '', 'gone', '', 3, 2000000, 'forgotten');
INSERT INTO chunk VALUES (2, 0, 0, 9, 2, 0, 2, zeroblob(18), x''), (4, 0, 0, 4, 1, 1, 1, x'', x'');
INSERT INTO chunk_archive VALUES (1, 0, 0, 9, 2, 0, 2, zeroblob(18), x'');
INSERT INTO mention VALUES (2, 0, 'person:~ana', 'person', 'Ana', 'author');
INSERT INTO mention_archive VALUES (3, 0, 'issue:A-1', 'issue', 'A-1', 'mentioned');
"""

FIRST_TABLES = ("meta", "item", "item_archive", "chunk", "chunk_archive", "mention",
                "mention_archive", "sqlite_sequence")  # fmt: skip


@pytest.fixture
def first_format(file: Path) -> Path:
    """A file of format 1 with rows in each of its tables."""
    file.parent.mkdir(parents=True)
    handle = opened(file)
    migrate(handle, begin=fill, migrations=MIGRATIONS[:1])
    handle.close()
    return file


def fill(sqlite: apsw.Connection) -> None:
    """Write the rows that a format 1 engine might have written."""
    sqlite.execute(FIRST_ROWS)


def opened(file: Path) -> Handle:
    return connect(file, tuning=Tuning(), writes=True, create=True)


def dump(file: Path, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of some tables."""
    handle = opened(file)
    rows = {
        one: list(handle.sqlite.execute(f"SELECT * FROM {one}"))  # noqa: S608  our own names
        for one in tables
    }
    handle.close()
    return rows


def format_of(file: Path) -> int | str:
    handle = opened(file)
    found = pragma(handle.sqlite, "user_version")
    handle.close()
    return found


def test_a_file_of_format_1_is_brought_up_to_date_and_keeps_everything(
    make_store: Callable[..., SQLiteStore], first_format: Path
) -> None:
    before = dump(first_format, *FIRST_TABLES)
    assert format_of(first_format) == 1

    space = make_store().open("ana", embedder=NO_EMBEDDER, create=False)

    for late in ("chunk", "chunk_archive"):  # format 6: their vectors came with their items
        before[late] = [(*row, None) for row in before[late]]
    assert dump(first_format, *FIRST_TABLES) == before
    assert format_of(first_format) == FORMAT
    with space.read() as reader:
        assert (space.uuid, reader.revision, reader.epoch) == ("first", 3, 1)
        assert [row.id for row in reader.item_rows(0)] == ["a", "c"]
        versions = [reader.version(*one) for one in (("a", 1), ("a", 2), ("b", 1), ("c", 1))]
        assert [one and one.content for one in versions] == [
            "old words",
            "new words",
            "gone",
            "kept",
        ]
        assert [tuple(death) for death in reader.deaths(0)] == [(1, 2), (3, 3)]
        assert reader.background("main") is None
        assert reader.engagements(["a", "b", "c"]) == {}
    assert all(finding.sound for finding in space.check())


def test_what_came_with_format_2_works_in_a_file_that_was_of_format_1(
    make_store: Callable[..., SQLiteStore],
    first_format: Path,
    prepare: Callable[..., Prepared],
    noon: datetime,
) -> None:
    space = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    snapshot = PreparedBackground(id="b", collection="main", text="latest", terms=b"")
    made = Surrogate(
        item_key=2, algorithm="x", version=1, source_hash=b"\n", full="f", gist="g", micro="m"
    )

    put = space.put_background(snapshot, at=noon)
    there = space.record_usage(["a", "b", "c"], how=Engaged.CITED, at=noon)
    space.keep_receipt("r", "{}", at=noon)
    kept = space.put_surrogates([made])
    space.commit([prepare("newest words", id="a")], stored_at=noon)

    assert (put.revision, there, kept) == (4, ("a", "c"), 1)
    assert dump(first_format, "surrogate") == {"surrogate": []}
    with space.read() as reader:
        assert (reader.revision, reader.background("main"), reader.receipt("r")) == (6, put, "{}")
    assert all(finding.sound for finding in space.check())


def test_a_file_put_back_in_an_older_format_is_not_used_unawares(
    make_store: Callable[..., SQLiteStore],
    first_format: Path,
    prepare: Callable[..., Prepared],
    noon: datetime,
) -> None:
    backup = first_format.read_bytes()
    store = make_store()
    space = store.open("ana", embedder=NO_EMBEDDER, create=False)
    store._pool.close(first_format)
    first_format.unlink()
    first_format.write_bytes(backup)

    with pytest.raises(StoreError, match="older format since it was opened; close it and open it"):
        space.commit([prepare("late", id="a")], stored_at=noon)
    with pytest.raises(StoreError, match="older format"), space.read():
        pass
    space.close()
    again = store.open("ana", embedder=NO_EMBEDDER, create=False)
    assert again.commit([prepare("late", id="a")], stored_at=noon)[0].revision == 4
