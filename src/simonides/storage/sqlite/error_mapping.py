"""The translation of SQLite's errors into the engine's.

Knows which failure means what and what to do about it. Must not know what was being done.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from simonides.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreFull
from simonides.storage.sqlite.pages import is_damage

_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
_FULL = (apsw.FullError, apsw.IOError, apsw.ReadOnlyError)
_CORRUPT = (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError)
_REFUSED = (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError)


MEND_SPACE = "run `simonides verify`, then `simonides repair`, or restore a backup"
MEND_KEYS = "restore a copy of it, or remove it with its log and access.made, and make new keys"
"""What helps where a file is damaged."""


@contextmanager
def translate_errors(file: Path, *, mend: str = MEND_SPACE) -> Iterator[None]:
    """Translate SQLite's errors inside the block into the engine's; say how to `mend` `file`."""
    try:
        yield
    except (apsw.Error, UnicodeDecodeError) as error:
        raise as_store_error(error, file=file, mend=mend) from error


def as_store_error(
    error: apsw.Error | UnicodeDecodeError, *, file: Path, mend: str = MEND_SPACE
) -> StoreError | InvalidInput:
    """Return the engine's error for one of SQLite's, or for text that no longer is any.

    Busy and locked → `StoreBusy`; full, read-only and failing disks → `StoreFull`; pages that
    contradict each other or their checksums → `StoreCorrupt`; a value that the schema refuses →
    `InvalidInput`.
    """
    if isinstance(error, _BUSY):
        return StoreBusy(f"{file} is held by another process ({error}); try again")
    if isinstance(error, _CORRUPT) or is_damage(error):
        said = "a page is not what was written" if is_damage(error) else error
        return StoreCorrupt(f"{file} fails its own check ({said}); stop writing to it, {mend}")
    if isinstance(error, _FULL):
        return StoreFull(_full_text(error, file))
    if isinstance(error, _REFUSED):
        return InvalidInput("item", f"the store refuses a value: {error}")
    return StoreError(f"{file}: {_other_text(error)}")


def _full_text(error: apsw.Error, file: Path) -> str:
    if isinstance(error, apsw.FullError):
        return f"no room left to write {file}; free some space on its disk and try again"
    if isinstance(error, apsw.ReadOnlyError):
        return f"{file} is read-only; give this user the right to write it and its folder"
    unsure = "what was being written may be kept, whole, or not at all"
    return f"the disk failed under {file} ({error}); {unsure}; check space and disk"


def _other_text(error: apsw.Error) -> str:
    if isinstance(error, apsw.CantOpenError):
        return "cannot be opened; check that the file and its folder are readable by this user"
    if isinstance(error, apsw.CursorClosedError | apsw.ConnectionClosedError):
        return "was closed while it was being read; open it again"
    return f"{type(error).__name__}: {error}"


def as_disk_error(error: OSError, *, file: Path) -> StoreFull:
    """Return the error for a file or folder that the system did not let us make or write."""
    reason = error.strerror or str(error)
    return StoreFull(f"cannot write {file} ({reason}); make its folder writable or make room")


@contextmanager
def translate_removal_errors(file: Path) -> Iterator[None]:
    """Translate an error of the system on removing `file` into `StoreFull`."""
    try:
        yield
    except OSError as error:
        reason, which = error.strerror or str(error), error.filename or file
        remedy = "give this user the right to, or move it away, and do this once more"
        raise StoreFull(f"cannot remove {which} ({reason}); {remedy}") from error
