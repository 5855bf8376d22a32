"""The checksum at the end of each page: how a file gets it, and whether every page fits its own.

SQLite's checksum layer (cksumvfs, sqlite.org/cksumvfs.html) writes eight bytes with every page and
compares them with it whenever the page is read; a page that differs is refused, never served. It
works on files that reserve just these eight bytes, and the first page says so. Knows that layer,
which comes with apsw's own builds, and how to look at all pages at once. Must not know what is in
them.
"""

import ctypes
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from simonides.errors import StoreError

LAYER = "cksmvfs"
"""The name by which SQLite knows the layer."""

CHECKSUM_BYTES = 8
"""What it keeps at the end of each page; it does nothing in a file that reserves another number."""

SLICE_PAGES = 256
"""Pages looked at between two pauses: 1 MiB, some 2 ms of work."""

_READS_MAX = 5
"""How often a page is read that does not fit: another process may just be writing it."""
_PAUSE_S = 0.001

_LOG_HEAD = struct.Struct(">16x8s8x")
_FRAME_HEAD = struct.Struct(">I4x8s8x")
"""Heads of the log and of its frames (sqlite.org/fileformat2.html, 4.1): salts, page number."""

_ABOVE: list[str] = []
"""Layers of trials that lie on it for a while."""


def _load() -> str:
    """Load the layer without making it the default; return its name, or an empty text."""
    try:
        from apsw import sqlite_extra
    except ImportError:  # a build of a distribution: it has the module alone
        return ""
    usual = apsw.vfs_names()[0]
    sqlite = apsw.Connection(":memory:")
    try:
        sqlite_extra.load(sqlite, "cksumvfs")
    except (sqlite_extra.NotAvailable, apsw.Error):
        return ""
    finally:
        sqlite.close()
        apsw.set_default_vfs(usual)
    return usual


_BELOW = _load()
"""The layer on which that of the checksums lies: the system's own. Loaded with this module, because
a process may give up its right to read libraries later on."""


def checksum_vfs() -> str | None:
    """Return the name of the VFS layer for files; None if this build has none."""
    if _ABOVE:
        return _ABOVE[-1]
    return LAYER if _BELOW else None


@contextmanager
def open_by_vfs(name: str) -> Iterator[None]:
    """Open files through another VFS layer for a while, on top of that of checksums."""
    _ABOVE.append(name)
    try:
        yield
    finally:
        _ABOVE.remove(name)


def open_file(file: Path | str, *, flags: int = 0, statements: int = 100) -> apsw.Connection:
    """Return a connection that compares pages with their checksums, if they have any."""
    usual = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    return apsw.Connection(
        str(file), flags=flags or usual, vfs=checksum_vfs(), statementcachesize=statements
    )


def reserve(sqlite: apsw.Connection) -> None:
    """Let the file have checksums from its first page on, or from its next `VACUUM` on."""
    if checksum_vfs() is not None:
        _reserve(sqlite, CHECKSUM_BYTES)


def write_first_page(sqlite: apsw.Connection) -> None:
    """Write the first page of an empty file, so that each that follows gets its checksum.

    The layer goes by what the first page says, and SQLite may write that one last.
    """
    reserve(sqlite)
    sqlite.execute("PRAGMA user_version=1").fetchall()


def claims_checksums(sqlite: apsw.Connection) -> bool:
    """Return whether the first page has the flag of page checksums."""
    return _reserve(sqlite, -1) == CHECKSUM_BYTES


def has_checksums(sqlite: apsw.Connection) -> bool:
    """Return whether pages are compared with their checksums by this connection."""
    return claims_checksums(sqlite) and sqlite.execute("PRAGMA checksum_verification").get == "1"


def restore_first_page(file: Path, *, timeout_s: float) -> None:
    """Copy the log into the file if the first page is whole only in the log.

    A power cut can tear that page while the log is folded in. The layer goes by the file, so
    whoever had it open must open it anew afterwards. Nothing happens where it cannot be written.

    A connection that has not seen the first page of the file writes pages without checksums until
    it writes that one. So of several processes only one folds the log in: under the write lock, and
    after it has looked once more.
    """
    with suppress(apsw.Error), open_without_folding(file) as lock:
        lock.set_busy_timeout(int(timeout_s * 1000))
        lock.execute("BEGIN IMMEDIATE")
        try:
            with open_without_folding(file) as sqlite:
                sqlite.execute("PRAGMA schema_version").fetchall()
                if claims_checksums(sqlite) and not has_checksums(sqlite):
                    sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        finally:
            lock.execute("ROLLBACK")


def keep_log(sqlite: apsw.Connection) -> None:
    """Let the log stay as it is when this connection is closed."""
    sqlite.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


@contextmanager
def open_without_folding(file: Path) -> Iterator[apsw.Connection]:
    """Open a file for a while; closing it leaves the log as it is."""
    sqlite = open_file(file)
    keep_log(sqlite)
    try:
        yield sqlite
    finally:
        sqlite.close()


def _reserve(sqlite: apsw.Connection, count: int) -> int:
    """Reserve so many bytes at the end of each page, none if -1; return the previous number."""
    value = ctypes.c_int(count)
    sqlite.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(value))
    return value.value


def check_build(sqlite: apsw.Connection, file: Path) -> None:
    """Raise `StoreError` if a file's pages have checksums that this build of apsw cannot keep."""
    if checksum_vfs() is None and claims_checksums(sqlite):
        problem = f"{file} has checksums on its pages, and this build of apsw cannot keep them"
        raise StoreError(f"{problem}; install the one that can: pip install apsw")


@contextmanager
def read_unchecked(sqlite: apsw.Connection) -> Iterator[None]:
    """Read pages that do not fit their checksums, too; afterwards none of them is remembered."""
    sqlite.execute("PRAGMA checksum_verification=OFF").fetchall()
    try:
        yield
    finally:
        sqlite.execute("PRAGMA shrink_memory").fetchall()
        sqlite.execute("PRAGMA checksum_verification=ON").fetchall()


def is_damage(error: BaseException) -> bool:
    """Return whether SQLite refused a page because it does not fit its checksum."""
    said = getattr(error, "extendedresult", 0)
    return isinstance(error, apsw.IOError) and said == apsw.SQLITE_IOERR_DATA


def find_damaged_pages(
    file: Path, *, page_bytes: int, go_on: Callable[[], bool] = lambda: True
) -> list[int] | None:
    """Return the numbers of the pages that do not fit their checksums, free ones included.

    They are read from the file itself, whatever is remembered of them, and no transaction is held.
    What the log has a newer copy of is passed over. `go_on` is asked after each 256 pages; where
    it says no, the look is broken off, and None returned.
    """
    found: list[int] = []
    judge = apsw.Connection(":memory:")
    try:
        for first in range(1, file.stat().st_size // page_bytes + 1, SLICE_PAGES):
            found += _find_damaged(judge, file, first=first, page_bytes=page_bytes)
            if not go_on():
                return None
    finally:
        judge.close()
    logged = _list_logged(file) if found else frozenset()
    return [one for one in found if one not in logged]


def _find_damaged(judge: apsw.Connection, file: Path, *, first: int, page_bytes: int) -> list[int]:
    """Look at one slice of pages.

    The file is opened by SQLite: closing a descriptor of our own would drop this process's locks.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    opened = apsw.VFSFile(_BELOW, os.fspath(file), flags)
    try:
        last = min(first + SLICE_PAGES - 1, opened.xFileSize() // page_bytes)
        return [
            number
            for number in range(first, last + 1)
            if not _fits(judge, opened, offset=(number - 1) * page_bytes, count=page_bytes)
        ]
    finally:
        opened.xClose()


def _fits(judge: apsw.Connection, opened: apsw.VFSFile, *, offset: int, count: int) -> bool:
    for tries in range(_READS_MAX):
        if tries:
            time.sleep(_PAUSE_S)
        if offset + count > opened.xFileSize():  # cut off meanwhile
            return True
        page = opened.xRead(count, offset)
        if judge.execute("SELECT verify_checksum(?)", (page,)).get:
            return True
    return False


def _list_logged(file: Path) -> frozenset[int]:
    """Return the numbers of the pages that have a newer copy in the log."""
    try:
        log = file.with_name(f"{file.name}-wal").read_bytes()
    except OSError:
        return frozenset()
    if len(log) < _LOG_HEAD.size:
        return frozenset()
    (salts,) = _LOG_HEAD.unpack_from(log)
    (page_bytes,) = struct.unpack_from(">I", log, 8)
    step = _FRAME_HEAD.size + page_bytes
    heads = (
        _FRAME_HEAD.unpack_from(log, at) for at in range(_LOG_HEAD.size, len(log) - step + 1, step)
    )
    return frozenset(number for number, found in heads if found == salts)
