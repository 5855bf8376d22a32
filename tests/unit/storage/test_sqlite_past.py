"""How the past is read from SQLite: its statements, and files that older engines wrote."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

import simonides.storage.sqlite as package
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides.storage.revisions import derive_revisions
from simonides.storage.sqlite import SQLiteStore, pages
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import Handle, connect, pragma
from simonides.storage.sqlite.meta import MIGRATIONS, migrate
from simonides.storage.sqlite.queries import QUERIES, statements
from simonides.storage.sqlite.transaction import transaction

Prepare = Callable[..., Prepared]
ROOM = Path(package.__file__).parent
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.parent.glob("**/*.py")))
PAST, REVISIONS, COMPACTION = (
    statements(f"{file}.sql") for file in ("past", "revisions", "compaction")
)
OWN = {"ceiling", "last_key"}
"""Statements of a look back that have no twin on the present."""


def every() -> list[tuple[str, str]]:
    files: dict[str, Mapping[str, str]] = {
        "past": PAST,
        "revisions": REVISIONS,
        "compaction": COMPACTION,
    }
    return [(file, name) for file, found in files.items() for name in found]


def text_of(file: str, name: str) -> str:
    return {"past": PAST, "revisions": REVISIONS, "compaction": COMPACTION}[file][name]


def blank() -> apsw.Connection:
    sqlite = apsw.Connection(":memory:")
    for step in MIGRATIONS:
        sqlite.execute(step.script)
    return sqlite


@pytest.mark.parametrize(("file", "name"), every())
def test_a_statement_is_described_used_and_understood(file: str, name: str) -> None:
    sql = text_of(file, name)
    said = (ROOM / f"{file}.sql").read_text("utf-8")

    assert re.search(rf"^-- name: {name}\n-- [A-Z]", said, re.MULTILINE)
    assert f'"{name}"' in CODE or f'"past.{name}"' in CODE
    assert sql.count(";") == 1
    assert list(blank().execute("EXPLAIN " + sql, dict.fromkeys(re.findall(r":(\w+)", sql))))


def test_a_look_back_stands_for_questions_to_the_present_and_answers_in_their_form() -> None:
    assert set(PAST) - set(QUERIES) == OWN
    sqlite = blank()
    for name in sorted(set(PAST) - OWN - {"mention_rows"}):
        columns = [_columns(sqlite, found[name]) for found in (PAST, QUERIES)]
        assert columns[0] == columns[1], name


def _columns(sqlite: apsw.Connection, sql: str) -> list[str]:
    cursor = sqlite.cursor()
    found: list[str] = []

    def note(traced: apsw.Cursor, _sql: str, _values: object) -> bool:
        found.extend(name for name, _ in traced.get_description())
        return True

    cursor.exec_trace = note
    values = dict.fromkeys(re.findall(r":(\w+)", sql), 0)
    cursor.execute(sql, values).fetchall()
    return found


@pytest.mark.parametrize("name", ["item_by_key", "item_by_id", "version", "key", "digest"])
def test_one_item_of_then_is_found_without_a_scan(name: str) -> None:
    values = dict.fromkeys(re.findall(r":(\w+)", PAST[name]))
    steps = [row[3] for row in blank().execute("EXPLAIN QUERY PLAN " + PAST[name], values)]

    assert not [step for step in steps if "SCAN" in step]


@pytest.mark.parametrize("name", ["item_rows", "chunk_rows", "mention_rows", "item_texts"])
def test_of_the_archive_only_what_was_alive_is_read(name: str) -> None:
    values = dict.fromkeys(re.findall(r":(\w+)", PAST[name]))
    steps = [row[3] for row in blank().execute("EXPLAIN QUERY PLAN " + PAST[name], values)]

    assert not [step for step in steps if re.match(r"SCAN \w+_archive", step)]


def test_new_files_give_pages_back(space: Space, file: Path) -> None:
    assert space.name == "ana"
    handle = opened(file)
    assert pragma(handle.sqlite, "auto_vacuum") == 2
    handle.close()


def test_a_file_made_before_that_is_written_anew_once(
    make_store: Callable[..., SQLiteStore], file: Path, prepare: Prepare, noon: datetime
) -> None:
    file.parent.mkdir(parents=True)
    old = pages.open_file(file)
    old.execute("PRAGMA journal_mode=wal; CREATE TABLE x (y); DROP TABLE x")
    old.close()
    space = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    for number in range(80):
        space.commit([prepare(f"{number} " + "words " * 900, id="a")], stored_at=noon)
    space.compact(before=80, now=noon, decided_before=None, limit=999)

    assert space.is_loose()
    assert space.give_back(pages=9) == 0
    large = space.stats().bytes_on_disk
    space.write_anew()

    assert not space.is_loose()
    assert space.stats().bytes_on_disk < large / 3
    with space.read() as reader:
        assert [row.id for row in reader.item_rows(0)] == ["a"]


def test_an_older_format_learns_its_revisions_from_its_rows(
    make_store: Callable[..., SQLiteStore], file: Path, prepare: Prepare, noon: datetime
) -> None:
    file.parent.mkdir(parents=True)
    handle = opened(file)
    migrate(handle, begin=_no_values, migrations=MIGRATIONS[:3])
    handle.sqlite.execute(THIRD_FORMAT)
    handle.close()

    space = make_store().open("ana", embedder=NO_EMBEDDER, create=False)

    with space.read() as reader:
        seconds = [(reader.revision_row(n).at - EPOCH).total_seconds() for n in (1, 2, 3, 5)]  # type: ignore[union-attr]
        assert seconds == [10, 20, 30, 50]  # revision 4 left no row with a time
        assert reader.revision_at(EPOCH + timedelta(seconds=25)) == 2
        assert [item.content for item in reader.past(1).items([1]).values()] == ["old"]
        assert reader.engagements(["a"])["a"].count == 1
    (outcome,) = space.commit([prepare("newer", id="a")], stored_at=noon)
    assert outcome.revision == 6


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
THIRD_FORMAT = """
INSERT INTO meta VALUES ('uuid', 'third'), ('created_us', 0), ('revision', 5), ('epoch', 0),
  ('model', 'none'), ('dimension', 0), ('window_words', 180), ('quantiser', 'none');
INSERT INTO item VALUES
  (2, 'a', 2, 2, 20000000, x'0a', 'memory', 'note', '', 'main', '', NULL, NULL, 'en', '[]',
   NULL, '[]', '{}', '', '', 'new', '');
INSERT INTO item_archive VALUES
  (1, 'a', 1, 1, 10000000, x'01', 'memory', 'note', '', 'main', '', NULL, NULL, '', '[]', NULL,
   '[]', '{}', '', '', 'old', '', 2, 20000000, 'replaced');
INSERT INTO chunk VALUES (2, 0, 0, 3, 1, 0, 1, x'', x'');
INSERT INTO background VALUES (1, 's', 'main', 30000000, 3, NULL, 'text', x'');
INSERT INTO engagement VALUES (1, 'a', 50000000, 'used', 5);
"""


def test_revisions_that_are_known_are_not_derived_anew(
    space: Space, file: Path, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("tea", id="a")], stored_at=noon)
    handle = opened(file)
    handle.sqlite.execute("UPDATE item SET stored_us = 7")

    derive_revisions(transaction(handle.sqlite))

    assert handle.sqlite.execute("SELECT revision, at_us = 7 FROM revision").fetchall() == [(1, 0)]
    handle.sqlite.execute("DELETE FROM revision")
    derive_revisions(transaction(handle.sqlite))
    assert handle.sqlite.execute("SELECT revision, at_us FROM revision").fetchall() == [(1, 7)]
    handle.close()


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_any_revision_is_found_among_any_number_of_keys(
    space: Space, prepare: Prepare, noon: datetime, count: int
) -> None:
    for number in range(count):
        items = [prepare(f"{number} {i}", id=f"{number} {i}") for i in range(number % 3 + 1)]
        space.commit([*items, prepare(f"{number}", id="changing")], stored_at=noon)

    with space.read() as reader:
        for revision in range(count + 1):
            then = reader.past(revision)
            born = [row.born for row in then.item_rows(0)]
            assert born == sorted(born)
            assert max(born, default=0) == revision
            assert len(born) == sum(n % 3 + 1 for n in range(revision)) + (revision > 0)


def opened(file: Path) -> Handle:
    return connect(file, tuning=Tuning(), writes=True, create=True)


def _no_values(_sqlite: apsw.Connection) -> None:
    """Give a file no first values: the test writes them."""
