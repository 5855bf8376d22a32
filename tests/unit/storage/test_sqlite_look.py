"""Damage of every sort is found, and said with what to do."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from simonides.errors import SimonidesError, StoreCorrupt
from simonides.model.stored import Engaged, Prepared, PreparedBackground, Surrogate
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore, pages


@pytest.fixture
def damage(
    space: Space, file: Path, prepare: Callable[..., Prepared], noon: datetime
) -> Callable[[str], set[str]]:
    """Return a function that damages a space in one way and returns the looks that fail."""
    many = [prepare(f"words {n}", id=f"{n}") for n in range(3)]
    space.commit(many, stored_at=noon)
    space.commit([prepare("other words", id="0")], stored_at=noon)
    space.put_background(
        PreparedBackground(id="b", collection="main", text="latest", terms=bytes(9)), at=noon
    )
    space.record_usage(["1", "2"], how=Engaged.USED, at=noon)
    space.put_surrogates(
        [Surrogate(item_key=2, algorithm="x", version=1, source_hash=many[1].digest,
                   full="f", gist="g", micro="m")]
    )  # fmt: skip
    space.keep_receipt("r", "{}", at=noon)

    def damaged(statements: str) -> set[str]:
        sqlite = pages.open_file(file)
        sqlite.execute("PRAGMA ignore_check_constraints=1")
        sqlite.execute("PRAGMA writable_schema=1")
        sqlite.execute(statements)
        sqlite.close()
        unsound = [finding for finding in space.check() if not finding.sound]
        assert all("restore a backup" in finding.detail for finding in unsound)
        return {finding.check for finding in unsound}

    return damaged


@pytest.mark.parametrize(
    ("statements", "look"),
    [
        ("DELETE FROM item WHERE id = '1'", "rows belong together"),
        ("INSERT INTO chunk_archive SELECT * FROM chunk", "rows belong together"),
        ("UPDATE item_archive SET key = 3", "rows belong together"),
        ("UPDATE item SET born = 9 WHERE id = '0'", "revisions rise"),
        ("UPDATE item SET born = 2 WHERE id = '2'", ""),
        ("UPDATE item SET born = 2 WHERE id = '1'; UPDATE item SET born = 1 WHERE id = '0'",
         "revisions rise"),
        ("UPDATE item_archive SET died = 1", "revisions rise"),
        ("UPDATE chunk SET stop = 999 WHERE item_key = 2", "chunks lie in their content"),
        ("UPDATE chunk SET ordinal = 1 WHERE item_key = 2", "chunks lie in their content"),
        ("UPDATE chunk SET terms = x'00' WHERE item_key = 2", "blobs have their sizes"),
        ("UPDATE chunk SET vector = x'00' WHERE item_key = 2", "blobs have their sizes"),
        ("UPDATE chunk_archive SET vector = x'00'", "blobs have their sizes"),
        ("UPDATE item SET metadata = '{' WHERE id = '1'", "items read back"),
        ("UPDATE item SET tags = '' WHERE id = '1'", "items read back"),
        ("UPDATE item SET kind = 'dream' WHERE id = '1'", "items read back"),
        ("UPDATE item SET traits = '{}' WHERE id = '1'", "items read back"),
        ("UPDATE item SET happened_us = 9223372036854775807 WHERE id = '1'", "items read back"),
        ("UPDATE item_archive SET people = '[[1]]'", "items read back"),
        ("UPDATE surrogate SET item_key = 99", "rows belong together"),
        ("UPDATE surrogate SET item_key = 1", "rows belong together"),
        ("UPDATE surrogate SET source_hash = x'00'", ""),
        ("UPDATE background SET born = 9", "revisions rise"),
        ("UPDATE background SET due_us = 0", ""),
        ("UPDATE background SET terms = x'00'", "blobs have their sizes"),
        ("UPDATE background SET created_us = 253402300800000000",
         "what lies beside items reads back"),
        ("UPDATE background SET due_us = -62135596800000001", "what lies beside items reads back"),
        ("UPDATE engagement SET born = 9 WHERE key = 2", "revisions rise"),
        ("UPDATE engagement SET item_id = 'forgotten'", ""),
        ("UPDATE engagement SET at_us = 253402300799999999 WHERE key = 2", ""),
        ("UPDATE engagement SET at_us = 253402300800000000 WHERE key = 2",
         "what lies beside items reads back"),
        ("UPDATE receipt SET at_us = -62135596800000001", "what lies beside items reads back"),
        ("UPDATE receipt SET text = '{'", "what lies beside items reads back"),
    ],
)  # fmt: skip
def test_damage_is_found(damage: Callable[[str], set[str]], statements: str, look: str) -> None:
    found = damage(statements)

    assert (look in found) if look else (found == set())


def test_a_time_that_cannot_be_is_said_when_it_is_read(
    damage: Callable[[str], set[str]], space: Space
) -> None:
    damage("UPDATE background SET created_us = -62135596800000001")
    damage("UPDATE engagement SET at_us = 253402300800000000")

    with space.read() as reader:
        with pytest.raises(StoreCorrupt, match="the time of background 'b' cannot be read back"):
            reader.background("main")
        with pytest.raises(StoreCorrupt, match="the time of engagement with '1' cannot be read"):
            reader.engagements(["1"])


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("UPDATE meta SET value = 'x' WHERE key = 'revision'", "revision"),
        ("UPDATE meta SET value = 7 WHERE key = 'uuid'", "uuid"),
        ("UPDATE meta SET value = 'x' WHERE key = 'floor'", "floor"),
        ("DELETE FROM meta WHERE key = 'epoch'", "epoch"),
        ("DELETE FROM meta WHERE key = 'model'", "model"),
    ],
)
def test_a_space_that_does_not_say_what_it_is_says_how_to_mend_it(
    statement: str, name: str, space: Space, file: Path
) -> None:
    sqlite = pages.open_file(file)
    sqlite.execute("INSERT OR IGNORE INTO meta VALUES ('floor', 0)")
    sqlite.execute(statement)
    sqlite.close()

    with pytest.raises(StoreCorrupt, match=f"say its {name}.*simonides repair"), space.read():
        pass


def test_a_lost_page_is_found(damage: Callable[[str], set[str]]) -> None:
    assert damage("DELETE FROM sqlite_schema WHERE name = 'item_archive_died'") == {"structure"}


def test_a_broken_schema_is_said_when_the_space_is_opened(
    damage: Callable[[str], set[str]],
) -> None:
    with pytest.raises(StoreCorrupt, match="restore a backup"):
        damage("UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'item_archive_died'")


def test_torn_pages_are_found_or_said(
    space: Space, file: Path, prepare: Callable[..., Prepared], noon: datetime
) -> None:
    space.commit([prepare("x" * 50_000, id="big")], stored_at=noon)
    space.close()
    whole = bytearray(file.read_bytes())
    whole[4096 * 8 : 4096 * 12] = b"\xff" * 4096 * 4
    file.write_bytes(whole)

    store = SQLiteStore(file.parent.parent)
    try:
        unsound = [one.check for one in store.open_any("ana").check() if not one.sound]
    except SimonidesError as error:
        unsound = [error.code]
    store.close()

    assert unsound
