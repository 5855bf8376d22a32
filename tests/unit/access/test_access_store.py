"""The file of keys: what others do in it is seen at once; a file that is not ours is left alone."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree

import apsw
import pytest

from simonides.errors import InvalidInput, NewerFormat, NotASpace, StoreCorrupt, StoreError
from simonides.model.access import ApiKey, AuditEntry, Permission
from simonides.ports.access import AccessStore
from simonides.storage.sqlite import pages
from simonides.storage.sqlite.access import ACCESS_FORMAT, SQLiteAccessStore

NOW = datetime(2026, 3, 6, 15, 30, 0, 123456, tzinfo=UTC)


def key(key_id: str = "k1", **more: object) -> ApiKey:
    given = {"id": key_id, "prefix": f"sim_{key_id}", "space": "alice", "created_at": NOW, **more}
    return ApiKey(**given)  # type: ignore[arg-type]  # fields by name


def test_a_key_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    store = SQLiteAccessStore(tmp_path)
    whole = key(name="laptop", shared=("a", "b"), permissions=(Permission.ERASE,), expires_at=NOW)
    store.add(whole, b"x" * 32)
    other = SQLiteAccessStore(tmp_path)

    assert isinstance(store, AccessStore)
    assert other.find("k1") == (whole, b"x" * 32)
    assert other.find("k2") is None
    assert other.keys() == (whole,)
    store.close()
    other.close()
    store.close()


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_key_that_others_revoke_opens_no_read_only_home_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_closed: bool
) -> None:
    reading, writing = SQLiteAccessStore(tmp_path), SQLiteAccessStore(tmp_path)
    writing.add(key(), b"x" * 32)
    writing.close()
    with monkeypatch.context() as patch:
        patch.setattr("simonides.storage.sqlite.access.is_read_only", lambda _file: True)
        before = reading.find("k1")
    assert before is not None
    assert before[0].revoked_at is None

    assert writing.revoke("k1", at=NOW)
    if is_closed:
        writing.close()

    found = reading.find("k1")
    assert found is not None
    assert found[0].revoked_at == NOW
    reading.close()
    writing.close()


def test_what_another_connection_does_is_seen_at_once(tmp_path: Path) -> None:
    reading, writing = SQLiteAccessStore(tmp_path), SQLiteAccessStore(tmp_path)
    assert not reading.has_keys()
    writing.add(key(), b"x" * 32)
    assert reading.has_keys()

    assert writing.revoke("k1", at=NOW)

    found = reading.find("k1")
    assert found is not None
    assert found[0].revoked_at == NOW
    assert not writing.revoke("k2", at=NOW)
    reading.close()
    writing.close()


def test_nothing_is_revoked_where_there_is_no_file(tmp_path: Path) -> None:
    assert not SQLiteAccessStore(tmp_path).revoke("k1", at=NOW)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_that_a_full_disk_left_is_none(tmp_path: Path) -> None:
    (tmp_path / "access.sqlite3").touch()
    store = SQLiteAccessStore(tmp_path)

    assert store.keys() == ()
    assert (tmp_path / "access.sqlite3").stat().st_size == 0
    store.add(key(), b"x" * 32)
    assert store.keys() == (key(),)
    store.close()


@pytest.mark.parametrize("sql", ["UPDATE audit SET status = 1", "DELETE FROM audit"])
def test_notes_cannot_be_changed_or_removed(tmp_path: Path, sql: str) -> None:
    store = SQLiteAccessStore(tmp_path)
    store.note([AuditEntry(at=NOW, verb="add", status=201)])
    store.close()
    with pytest.raises(apsw.ConstraintError, match="what was noted is never"):
        apsw.Connection(str(tmp_path / "access.sqlite3")).execute(sql)


@pytest.mark.parametrize("_try", range(10))  # without its order, one look in five failed
def test_many_threads_make_the_file_once(tmp_path: Path, _try: int) -> None:
    stores = [SQLiteAccessStore(tmp_path) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(one.add, key(f"k{n}"), b"x" * 32) for n, one in enumerate(stores)]
        for one in made:
            one.result()

    assert len(stores[0].keys()) == 8
    for store in stores:
        store.close()


def test_a_key_of_the_same_id_is_refused(tmp_path: Path) -> None:
    store = SQLiteAccessStore(tmp_path)
    store.add(key(), b"x" * 32)

    with pytest.raises((InvalidInput, StoreError)):
        store.add(key(), b"y" * 32)

    assert len(store.keys()) == 1
    store.close()


def test_another_programs_file_is_left_alone(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "access.sqlite3"))
    other.execute("CREATE TABLE theirs (x)")
    other.close()

    with pytest.raises(NotASpace, match="no file of keys"):
        SQLiteAccessStore(tmp_path).add(key(), b"x" * 32)


def test_what_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "access.sqlite3").write_bytes(b"no database, but long enough to be read" * 100)

    with pytest.raises(StoreError):
        SQLiteAccessStore(tmp_path).has_keys()


def test_a_newer_file_is_not_touched(tmp_path: Path) -> None:
    store = SQLiteAccessStore(tmp_path)
    store.add(key(), b"x" * 32)
    store.close()
    newer = pages.open_file(tmp_path / "access.sqlite3")
    newer.execute(f"PRAGMA user_version={ACCESS_FORMAT + 1}")
    newer.close()

    with pytest.raises(NewerFormat, match="newer simonides"):
        SQLiteAccessStore(tmp_path).keys()


def test_no_flipped_bit_in_the_file_lets_anybody_in(tmp_path: Path) -> None:
    file = tmp_path / "access.sqlite3"
    store = SQLiteAccessStore(tmp_path)
    store.add(key(), b"x" * 32)
    store.note([AuditEntry(at=NOW, verb="add", status=201)])
    before = store.keys(), store.read_log(limit=9)
    store.close()
    whole = file.read_bytes()
    for at in range(7, len(whole), 419):
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        file.write_bytes(bytes(content))
        store = SQLiteAccessStore(tmp_path)
        seen = before
        with suppress(StoreError):  # refused: nobody is let in
            seen = store.keys(), store.read_log(limit=9)
        store.close()

        assert seen == before


def test_a_file_of_keys_that_lost_its_mark_is_refused(tmp_path: Path) -> None:
    store = SQLiteAccessStore(tmp_path)
    store.add(key(), b"x" * 32)
    store.close()
    file = tmp_path / "access.sqlite3"
    content = bytearray(file.read_bytes())
    content[20] = 0
    file.write_bytes(bytes(content))

    with pytest.raises(StoreCorrupt, match="lost the mark"):
        SQLiteAccessStore(tmp_path).has_keys()


@pytest.mark.parametrize("torn_at", [0, 17, 20, 21, 100])
def test_keys_whose_first_page_was_torn_are_read_from_the_log(tmp_path: Path, torn_at: int) -> None:
    before = tmp_path / "before"
    store = SQLiteAccessStore(before)
    store.add(key(), b"x" * 32)
    after = tmp_path / "after"
    copytree(before, after)
    store.close()
    torn = (after / "access.sqlite3").read_bytes()[:torn_at]
    with (after / "access.sqlite3").open("r+b") as file:
        file.write(torn + b"\x55" * (4096 - torn_at))

    store = SQLiteAccessStore(after)
    store.add(key("k2"), b"y" * 32)
    store.close()
    store = SQLiteAccessStore(after)
    kept = store.keys()
    assert [one.id for one in kept] == ["k1", "k2"]
    store.close()


def test_a_file_of_keys_of_an_earlier_format_goes_on_without_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(pages, "_BELOW", "")
        old = SQLiteAccessStore(tmp_path)
        old.add(key("k1"), b"x" * 32)
        old.close()

    store = SQLiteAccessStore(tmp_path)
    store.add(key("k2"), b"y" * 32)

    kept = store.keys()
    assert [one.id for one in kept] == ["k1", "k2"]
    store.close()
