"""Every failure of SQLite has its own error here, and says the file and what to do."""

from pathlib import Path

import apsw
import pytest

from simonides.errors import (
    InvalidInput,
    SimonidesError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
)
from simonides.storage.sqlite.error_mapping import as_disk_error, as_store_error, translate_errors

FILE = Path("h/spaces/ana.sqlite3")


@pytest.mark.parametrize(
    ("error", "kind", "remedy"),
    [
        (apsw.BusyError("locked"), StoreBusy, "try again"),
        (apsw.LockedError("locked"), StoreBusy, "try again"),
        (apsw.FullError("full"), StoreFull, "free some space"),
        (apsw.IOError("disk I/O error"), StoreFull, "check space and disk"),
        (apsw.ReadOnlyError("readonly"), StoreFull, "the right to write"),
        (apsw.CorruptError("malformed"), StoreCorrupt, "simonides verify"),
        (apsw.NotADBError("not a database"), StoreCorrupt, "restore a backup"),
        (apsw.CantOpenError("unable"), StoreError, "readable by this user"),
        (apsw.CursorClosedError("closed"), StoreError, "open it again"),
        (apsw.NoMemError("out of memory"), StoreError, "NoMemError: out of memory"),
    ],
)
def test_a_failure_becomes_its_own_error(
    error: apsw.Error, kind: type[StoreError], remedy: str
) -> None:
    said = as_store_error(error, file=FILE)

    assert type(said) is kind
    assert str(FILE) in str(said)
    assert remedy in str(said)


@pytest.mark.parametrize("error", [apsw.ConstraintError("CHECK failed"), apsw.TooBigError("big")])
def test_a_refused_value_is_the_callers(error: apsw.Error) -> None:
    assert isinstance(as_store_error(error, file=FILE), InvalidInput)


def test_every_class_of_sqlites_errors_is_translated() -> None:
    classes = [one for _, one in vars(apsw).items() if isinstance(one, type)]
    errors = [one for one in classes if issubclass(one, apsw.Error)]

    assert len(errors) > 25
    assert all(isinstance(as_store_error(one("why"), file=FILE), SimonidesError) for one in errors)


def test_the_first_error_is_kept_as_the_cause() -> None:
    with pytest.raises(StoreFull) as raised, translate_errors(FILE):
        raise apsw.FullError("full")

    assert isinstance(raised.value.__cause__, apsw.FullError)


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), translate_errors(FILE):
        raise KeyError


def test_what_the_system_refuses_is_said() -> None:
    said = str(as_disk_error(PermissionError(13, "Permission denied"), file=FILE))

    assert "Permission denied" in said
    assert "make its folder writable" in said
