"""The laws of `ports.access.AccessStore`. Another adapter joins by one entry of `ADAPTERS`."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from simonides.errors import InvalidInput, StoreCorrupt, StoreError
from simonides.model.access import ApiKey, AuditEntry, Permission
from simonides.ports.access import AccessStore
from simonides.storage.sqlite.access import SQLiteAccessStore

NOW = datetime(2026, 3, 6, 15, 30, 0, 123456, tzinfo=UTC)
DIGEST = bytes(range(32))

ADAPTERS: Final[dict[str, Callable[[Path], AccessStore]]] = {"sqlite": SQLiteAccessStore}
Open = Callable[[], AccessStore]


@pytest.fixture(params=list(ADAPTERS))
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Gives stores of one home, as several processes would open them."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(ADAPTERS[request.param](tmp_path)))


@pytest.fixture
def store(opened: Open) -> AccessStore:
    return opened()


def key(key_id: str = "k1", **more: Any) -> ApiKey:
    given = {"id": key_id, "prefix": f"sim_{key_id}", "space": "alice", "created_at": NOW, **more}
    return ApiKey(**given)


def listed(store: AccessStore) -> list[tuple[str, datetime | None]]:
    """Return id and revocation of each key, in the order of the list."""
    every = store.keys()
    return [(one.id, one.revoked_at) for one in every]


def entry(verb: str = "add", **more: Any) -> AuditEntry:
    return AuditEntry(**{"at": NOW, "verb": verb, "status": 201, **more})


def test_it_is_an_access_store(store: AccessStore) -> None:
    assert isinstance(store, AccessStore)


def test_nothing_is_there_at_first_and_asking_makes_no_file(
    store: AccessStore, tmp_path: Path
) -> None:
    assert not store.has_keys()
    assert store.keys() == ()
    assert store.find("k1") is None
    assert store.read_log(limit=10) == ()
    assert not store.revoke("k1", at=NOW)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "made",
    [
        key(),
        key(name="laptop é 🗝", shared=("a", "b")),
        key(permissions=tuple(Permission)),
        key(permissions=(Permission.ERASE,), expires_at=NOW + timedelta(microseconds=1)),
        key(created_at=datetime(1970, 1, 1, tzinfo=UTC), expires_at=NOW.replace(year=9999)),
        key(revoked_at=NOW),
    ],
    ids=["plain", "shared", "all", "expiring", "far", "revoked"],
)  # fmt: skip
def test_a_key_comes_back_as_it_was_kept_to_whoever_opens_the_home(
    opened: Open, made: ApiKey
) -> None:
    opened().add(made, DIGEST)

    assert opened().find("k1") == (made, DIGEST)
    assert opened().keys() == (made,)


def test_keys_come_the_first_made_first_and_those_of_one_moment_by_id(store: AccessStore) -> None:
    late, early = key("a", created_at=NOW + timedelta(seconds=1)), key("z")
    for one in (late, early, key("y")):
        store.add(one, DIGEST)

    assert [one for one, _ in listed(store)] == ["y", "z", "a"]


def test_an_id_finds_its_own_key_alone(store: AccessStore) -> None:
    store.add(key("k1"), DIGEST)

    for other in ("", "k", "K1", "k1 ", "k%", "k_", "k1\x00"):
        assert store.find(other) is None


def test_a_key_is_never_overwritten(store: AccessStore) -> None:
    store.add(key(), DIGEST)

    with pytest.raises((StoreError, InvalidInput)):
        store.add(key(space="mallory"), bytes(32))

    assert store.find("k1") == (key(), DIGEST)


def test_after_a_refused_key_the_next_one_is_kept(store: AccessStore) -> None:
    store.add(key(), DIGEST)
    with pytest.raises((StoreError, InvalidInput)):
        store.add(key(), DIGEST)

    store.add(key("k2"), DIGEST)

    assert [one for one, _ in listed(store)] == ["k1", "k2"]


def test_a_revoked_key_stays_and_the_first_revocation_counts(store: AccessStore) -> None:
    store.add(key(), DIGEST)

    assert store.revoke("k1", at=NOW)
    assert store.revoke("k1", at=NOW + timedelta(days=1))

    assert store.find("k1") == (replace(key(), revoked_at=NOW), DIGEST)
    assert store.has_keys()


def test_revoking_touches_no_other_key(store: AccessStore) -> None:
    store.add(key("k1"), DIGEST)
    store.add(key("k2"), DIGEST)

    assert not store.revoke("k3", at=NOW)
    store.revoke("k1", at=NOW)

    assert listed(store) == [("k1", NOW), ("k2", None)]


def test_what_another_process_does_is_seen_by_the_next_call(opened: Open) -> None:
    reading, writing = opened(), opened()
    before = reading.has_keys(), reading.find("k1"), reading.read_log(limit=1)

    writing.add(key(), DIGEST)
    writing.note([entry()])
    added = reading.has_keys(), reading.find("k1"), len(reading.read_log(limit=1))
    writing.revoke("k1", at=NOW)
    found = reading.find("k1")

    assert before == (False, None, ())
    assert added == (True, (key(), DIGEST), 1)
    assert found is not None
    assert found[0].revoked_at == NOW


def test_notes_come_latest_first_and_their_numbers_rise(store: AccessStore) -> None:
    first = entry("add", key_id="k1", space="alice", count=3)
    second = entry("erase", status=0, at=NOW - timedelta(days=1))
    store.note([first])
    store.note([second])

    noted = store.read_log(limit=10)

    assert [replace(one, number=0) for one in noted] == [second, first]
    assert noted[0].number > noted[1].number > 0


def test_notes_go_on_below_a_number(store: AccessStore) -> None:
    store.note([entry(count=n) for n in range(7)])

    seen: list[int] = []
    before = 0
    while page := store.read_log(limit=3, before=before):
        seen += [one.count for one in page]
        before = page[-1].number

    assert seen == [6, 5, 4, 3, 2, 1, 0]


def test_notes_of_one_key_are_its_own(store: AccessStore) -> None:
    store.note([entry(key_id="k1", count=1), entry(key_id="k2", count=2), entry(count=3)])

    assert [one.count for one in store.read_log(limit=10, key_id="k1")] == [1]
    assert [one.count for one in store.read_log(limit=10)] == [3, 2, 1]
    assert store.read_log(limit=10, key_id="k") == ()


def test_notes_of_one_space_are_its_own(store: AccessStore) -> None:
    store.note([entry(space="a", count=1), entry(space="b", count=2), entry(space="a", count=3)])
    last = store.read_log(limit=1, space="a")

    assert [one.count for one in store.read_log(limit=10, space="a")] == [3, 1]
    assert [one.count for one in store.read_log(limit=10, before=last[0].number, space="a")] == [1]
    assert store.read_log(limit=10, space="c") == ()


def test_notes_are_added_together_or_not_at_all(store: AccessStore) -> None:
    store.note([entry()])

    with pytest.raises((StoreError, InvalidInput)):
        store.note([entry("good"), entry("bad", status="no number")])

    assert [one.verb for one in store.read_log(limit=10)] == ["add"]


def test_no_notes_are_no_error(store: AccessStore) -> None:
    store.note([])

    assert store.read_log(limit=10) == ()


def test_many_threads_lose_nothing(opened: Open) -> None:
    shared, own = opened(), opened()
    start = threading.Barrier(8)

    def work(n: int) -> None:
        one = shared if n % 2 else own
        start.wait(20)
        one.add(key(f"k{n}"), DIGEST)
        one.note([entry(key_id=f"k{n}", count=each) for each in range(5)])
        assert one.find(f"k{n}") is not None

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len(shared.keys()) == 8
    assert len({one.number for one in own.read_log(limit=100)}) == 40


def test_closing_twice_is_no_error_and_what_was_kept_is_there(opened: Open) -> None:
    store = opened()
    store.add(key(), DIGEST)
    store.close()
    store.close()

    assert opened().keys() == (key(),)


def test_a_file_that_another_process_just_made_is_not_gone(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = opened(), opened()
    look = Path.stat

    def look_too_early(path: Path, **options: Any) -> os.stat_result:
        """Find no file; before the answer arrives, another process makes the first key."""
        try:
            return look(path, **options)
        except FileNotFoundError:
            monkeypatch.setattr(Path, "stat", look)
            other.add(key("k1"), DIGEST)
            raise

    monkeypatch.setattr(Path, "stat", look_too_early)
    store.add(key("k2"), DIGEST)

    assert [key_id for key_id, _ in listed(store)] == ["k1", "k2"]


@pytest.mark.parametrize("size", [None, 0, 1, 99], ids=["gone", "empty", "a byte", "no header"])
def test_keys_that_were_made_are_missed(opened: Open, tmp_path: Path, size: int | None) -> None:
    with closing(opened()) as first:
        first.add(key(), DIGEST)
    [file] = [one for one in tmp_path.iterdir() if one.stat().st_size]
    if size is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:size])

    for ask in (lambda: opened().has_keys(), lambda: opened().add(key("k2"), DIGEST)):
        with pytest.raises(StoreCorrupt, match="keys were made in it"):
            ask()


def test_keys_of_an_earlier_version_are_missed_once_they_were_seen(
    opened: Open, tmp_path: Path
) -> None:
    with closing(opened()) as first:
        first.add(key(), DIGEST)
    [mark] = [one for one in tmp_path.iterdir() if not one.stat().st_size]
    mark.unlink()
    with closing(opened()) as second:
        assert second.has_keys()
    [file] = [one for one in tmp_path.iterdir() if one.stat().st_size]
    file.unlink()

    with pytest.raises(StoreCorrupt, match="is gone"):
        opened().has_keys()
