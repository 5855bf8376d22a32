"""SQLite's calls on files, each reported to a watcher who may make it fail: a disk for trials.

Knows SQLite's file layer (its VFS) as apsw shows it. It lies on the layer of page checksums: what
is written is reported as it came to the disk, and what is read was compared. Must not know what is
done with what it reports, nor what a space is. No part of the engine uses it: who wants a trial has
files opened through it for a while, and the store does not know.

The calls on the log's index (`-shm`) go past it: apsw does not show them. A power cut takes that
file away in any case, because SQLite never trusts what it finds there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Protocol

import apsw

from simonides.storage.sqlite import pages

_NAMES_SYNCED = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
"""Kinds of file whose first sync SQLite follows by one of their folder (os_unix.c, `unixSync`)."""

_NAME = "watched"
"""What SQLite calls the layer."""

_LAST_SYSTEM_ERROR = 0
"""What `xGetLastError` says after a failure that the system knows nothing of."""


class What(StrEnum):
    """What SQLite asks of the system."""

    OPEN = "open"
    READ = "read"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    SIZE = "size"
    DELETE = "delete"
    ACCESS = "access"


class Failure(StrEnum):
    """How a call fails."""

    BROKEN = "broken"
    """The device says that it cannot."""
    FULL = "full"
    """There is no room left."""
    SHORT = "short"
    """A read brings only half of what was asked for; other calls are done as they should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call on the file called `name` in `folder`, an absolute path.

    `offset` is where `data` is written or `count` bytes are read, or the size after a truncate.
    `folder_too` says of a sync that it makes the names in the folder durable, too.
    """

    what: What
    name: str
    folder: str = ""
    offset: int = 0
    count: int = 0
    data: bytes = b""
    folder_too: bool = False


class Watcher(Protocol):
    """Is called before and after every call, in any thread."""

    def before(self, call: Call) -> Failure | None:
        """Return how the call is to fail, if it is."""
        ...

    def after(self, call: Call) -> None:
        """Take note of a call that was done."""
        ...


class Refused(apsw.IOError):
    """A call failed because its watcher wanted it to; `extendedresult` says to SQLite how."""

    extendedresult: int


class RefusedFull(apsw.FullError):
    """A call found no room because its watcher wanted it so."""


_RESULTS = {
    What.OPEN: apsw.SQLITE_CANTOPEN,
    What.READ: apsw.SQLITE_IOERR_READ,
    What.WRITE: apsw.SQLITE_IOERR_WRITE,
    What.TRUNCATE: apsw.SQLITE_IOERR_TRUNCATE,
    What.SYNC: apsw.SQLITE_IOERR_FSYNC,
    What.SIZE: apsw.SQLITE_IOERR_FSTAT,
    What.DELETE: apsw.SQLITE_IOERR_DELETE,
    What.ACCESS: apsw.SQLITE_IOERR_ACCESS,
}


@contextmanager
def watch_files(watcher: Watcher) -> Iterator[None]:
    """Have every file that SQLite opens within go through `watcher`, in every thread.

    Connections opened within must be closed within.
    """
    below = pages.checksum_vfs() or "unix"
    usual = apsw.vfs_names()[0]
    layer = _Layer(watcher, below=below)
    try:
        with pages.open_by_vfs(_NAME):
            yield
    finally:
        apsw.set_default_vfs(usual)
        layer.unregister()


class _Layer(apsw.VFS):
    """The file layer below, with every call reported."""

    def __init__(self, watcher: Watcher, *, below: str) -> None:
        self._watcher = watcher
        self._below = below
        super().__init__(_NAME, below, makedefault=True)

    def xOpen(  # noqa: N802  SQLite's name
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:  # a temporary file of SQLite's own, never in our folders
            return apsw.VFSFile("unix", name, flags)
        call = _call_on(path, What.OPEN)
        _ask(self._watcher, call)
        file = _File(name, flags, watcher=self._watcher, opened=call, below=self._below)
        self._watcher.after(call)
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001  SQLite's own
        call = replace(_call_on(filename, What.DELETE), folder_too=syncdir)
        _ask(self._watcher, call)
        super().xDelete(filename, syncdir)
        self._watcher.after(call)

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802  SQLite's name
        _ask(self._watcher, _call_on(pathname, What.ACCESS))
        return super().xAccess(pathname, flags)

    def xGetLastError(self) -> tuple[int, str]:  # noqa: N802  SQLite's name
        return _LAST_SYSTEM_ERROR, ""

    def excepthook(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Pass over refusals that SQLite lives with; anything else is a mistake here."""
        if isinstance(error, Refused | RefusedFull):
            return True
        return bool(super().excepthook(kind, error, trace))


class _File(apsw.VFSFile):
    """One open file, with every call reported."""

    def __init__(
        self,
        name: str | apsw.URIFilename | None,
        flags: list[int],
        *,
        watcher: Watcher,
        opened: Call,
        below: str,
    ) -> None:
        self._watcher = watcher
        self._opened = opened
        self._syncs_folder = bool(flags[0] & _NAMES_SYNCED and flags[0] & apsw.SQLITE_OPEN_CREATE)
        super().__init__(below, name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  SQLite's name
        call = replace(self._opened, what=What.READ, offset=offset, count=amount)
        failure = _ask(self._watcher, call)
        if failure is Failure.SHORT:
            return super().xRead(amount // 2, offset)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  SQLite's name
        call = replace(self._opened, what=What.WRITE, offset=offset, data=bytes(data))
        _ask(self._watcher, call)
        page = bytearray(data)
        super().xWrite(page, offset)  # the layer below puts the checksum in
        self._watcher.after(replace(call, data=bytes(page)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  SQLite's name
        call = replace(self._opened, what=What.TRUNCATE, offset=newsize)
        _ask(self._watcher, call)
        super().xTruncate(newsize)
        self._watcher.after(call)

    def xSync(self, flags: int) -> None:  # noqa: N802  SQLite's name
        call = replace(self._opened, what=What.SYNC, folder_too=self._syncs_folder)
        _ask(self._watcher, call)
        super().xSync(flags)
        self._syncs_folder = False
        self._watcher.after(call)

    def xFileSize(self) -> int:  # noqa: N802  SQLite's name
        _ask(self._watcher, replace(self._opened, what=What.SIZE))
        return super().xFileSize()


def _call_on(path: str, what: What) -> Call:
    file = Path(path)
    return Call(what=what, name=file.name, folder=str(file.parent))


def _ask(watcher: Watcher, call: Call) -> Failure | None:
    """Ask the watcher; raise what SQLite takes for the failure that it wants.

    Raises:
        Refused: The call is to fail.
        RefusedFull: It is to find no room.
    """
    failure = watcher.before(call)
    if failure is Failure.FULL:
        raise RefusedFull(f"{call.what} of {call.name}: no room")
    if failure is Failure.BROKEN:
        error = Refused(f"{call.what} of {call.name}: refused")
        error.extendedresult = _RESULTS[call.what]
        raise error
    return failure
