"""A space's file taken away, or another one put in its place, while others may have it open.

It is emptied first, in a transaction that every other process sees: whoever still has it open
is refused from then on, and no write is acknowledged that would then be lost. Only then, and only
if nobody has it open any more, its name goes. A file that somebody holds stays, empty: that is a
space whose making was cut short, and the next writer makes a new one of it.

Knows files, their names and SQLite's locks. Must not know what is in the tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from simonides.disk import sync_folder
from simonides.errors import NotFound, StoreBusy
from simonides.model.upkeep import Swept
from simonides.store.sqlite.connection import Handle, Tuning, connect, pragma
from simonides.store.sqlite.faults import translated
from simonides.store.sqlite.made import forget_made
from simonides.store.sqlite.sweep import empty_log, remove_snapshot

ALONE_S = 1.0
"""How long to wait for others to let go of a file, in seconds: they do soon, or not at all."""

ASIDE = ".damaged-"
"""What a repair puts between the name of a file it sets aside and a number."""

_READER = "somebody still reads what is erased, and its log cannot be emptied under a reader"
_HELD = (
    "another process still has the emptied file open, so its name stays: it holds nothing, and the "
    "next writer makes a new space of it"
)


def remove(file: Path, *, tuning: Tuning) -> Swept:
    """Empty the space's file and remove it with all that lies beside it.

    Raises:
        NotFound: There is no such file.
        StoreBusy: Another writer held it past the time-out; nothing was erased.
    """
    if not file.is_file():
        raise NotFound("space", file.stem)
    gone = [file, file.with_name(f"{file.name}-wal"), *kept_aside(file)]
    before = file.stat().st_size
    forget_made(file)
    handle = connect(file, tuning=tuning, writes=True)
    try:
        _empty(handle)
        emptied = empty_log(handle)
        is_gone = emptied and _unlinked(handle)
    finally:
        handle.close()
    for aside in kept_aside(file):
        aside.unlink(missing_ok=True)
    gone += map(Path, remove_snapshot(file))
    forget_made(file)  # who opened it meanwhile may have put it back
    sync_folder(file.parent)
    if is_gone:
        file.with_name(file.name + "-journal").unlink(missing_ok=True)
    return Swept(
        rewritten=True,
        log_emptied=emptied,
        bytes_before=before,
        bytes_after=0 if is_gone else file.stat().st_size,
        files=tuple(map(str, gone)),
        problem="" if is_gone else (_HELD if emptied else _READER),
    )


def kept_aside(file: Path) -> list[Path]:
    """Return the damaged files that repairs of this space set aside, with their logs."""
    return sorted(file.parent.glob(f"{file.name}{ASIDE}*"))


def _empty(handle: Handle) -> None:
    """Make the file one that holds nothing, not even a table: as if it had just been made."""
    with translated(handle.file):
        handle.sqlite.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)
        try:
            handle.sqlite.execute("VACUUM")
        finally:
            handle.sqlite.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)


def _unlinked(handle: Handle) -> bool:
    """Remove the file's name if nobody else has it open; return whether that was so."""
    handle.patience.timeout_s = min(ALONE_S, handle.patience.timeout_s)
    try:
        with alone(handle):
            handle.file.unlink()
    except StoreBusy:
        return False
    return True


@contextmanager
def alone(handle: Handle) -> Iterator[None]:
    """Hold the file so that no other connection of any process has it open, nor can read it.

    It has no log then: all of it is in the file.

    Raises:
        StoreBusy: Others have it open.
    """
    with translated(handle.file):
        _set(handle, "locking_mode", "exclusive")
        try:
            _set(handle, "journal_mode", "delete")
        except apsw.BusyError:
            _set(handle, "locking_mode", "normal")
            raise
    yield


def _set(handle: Handle, name: str, value: str) -> None:
    """Set one of SQLite's modes; it says busy where it cannot take it."""
    for _ in handle.sqlite.execute(f"PRAGMA {name}={value}"):
        pass
    if pragma(handle.sqlite, name) != value:
        raise apsw.BusyError(f"the mode {name} stays as it is: others have the file open")
