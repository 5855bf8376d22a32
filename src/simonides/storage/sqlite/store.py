"""All spaces under one home, one SQLite file each.

Knows how a space is made, found and opened. Must not know what is kept in it.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from simonides import storage
from simonides.errors import InvalidInput, NotFound, StoreError
from simonides.model.stored import EmbedderIdentity
from simonides.ports.maintenance import Check, Remake, SearchedFiles
from simonides.ports.space import Reader, Space, StoreLoad
from simonides.storage import sqlite
from simonides.storage.sqlite import pool
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import (
    Handle,
    check_library,
    has_moved,
    is_blank,
    make_folder,
)
from simonides.storage.sqlite.erasing import erasures_of, list_unfinished
from simonides.storage.sqlite.error_mapping import translate_errors
from simonides.storage.sqlite.file_names import (
    check_not_truncated,
    remove_mark,
    snapshot_file,
    space_file,
    space_names,
    write_mark,
)
from simonides.storage.sqlite.home_files import foreign_files, list_searched, remove_temporaries
from simonides.storage.sqlite.meta import (
    FORMAT,
    Meta,
    check_format,
    check_pages,
    migrate,
    read_meta,
    write_first,
)
from simonides.storage.sqlite.pool import Pool
from simonides.storage.sqlite.space import SqliteSpace

if TYPE_CHECKING:
    from simonides.model.maintenance import RepairReport, WipeResult


class SQLiteStore:
    """Keeps spaces in `<home>/spaces/<name>.sqlite3`; an adapter of `ports.SpaceStore`.

    `durability` is `full` (a commit is on disk when it returns) or `relaxed` (a power cut may
    lose the last commits, never damage the file). `timeout_s`: how long a writer waits for
    others. `checksums`: whether the pages of files that it makes get checksums.
    `connections_max`: about how many connections stay open at once, over all spaces;
    each takes three descriptors and some 0.2 MB.
    """

    def __init__(
        self,
        home: Path,
        *,
        durability: str = "full",
        timeout_s: float = 10.0,
        checksums: bool = True,
        connections_max: int = 128,
    ) -> None:
        check_library(apsw.sqlite_lib_version())
        _check_settings(durability, timeout_s, connections_max)
        self._home = home.absolute()
        tuning = Tuning(durability=durability, timeout_s=timeout_s, checksums=checksums)
        self._pool = Pool(tuning=tuning, connections_max=connections_max)
        self._spaces: dict[str, SqliteSpace] = {}
        self._finished: dict[str, WipeResult] = {}
        self._is_begun = False
        self._is_closed = False

    @property
    def connections(self) -> int:
        """How many connections are open, idle or in use."""
        return self._pool.connections

    def load(self) -> StoreLoad:
        """Return the number of open spaces and connections; nobody waits, another one is opened."""
        idle = self._pool.idle
        in_use = max(0, self._pool.connections - idle)
        return StoreLoad(spaces=len(self._spaces), in_use=in_use, idle=idle, waiting=0)

    def open(self, name: str, *, embedder: EmbedderIdentity, create: bool) -> Space:
        """Return the space, the same object while it stays open.

        Raises:
            InvalidSpaceName: The name is not safe.
            NotFound: There is no such space and `create` is false.
            NotASpace: Something else lies there.
            NewerFormat: A newer engine wrote it.
            WrongEmbedder: Its vectors come from another model; says how to re-embed.
        """
        space = self._open(name, create_for=embedder if create else None)
        storage.writer.check_embedder(space.embedder, embedder, space=name)
        return space

    def open_any(self, name: str) -> Space:
        """Return an existing space whatever its embedder, as re-embedding and `doctor` need."""
        return self._open(name, create_for=None)

    @contextmanager
    def reading(self, name: str) -> Iterator[tuple[Space, Reader]]:
        """Open an existing space, whatever its embedder, and a view of it."""
        space = self.open_any(name)
        with space.read() as reader:
            yield space, reader

    def names(self) -> list[str]:
        """Return the names of all spaces, sorted.

        Raises:
            StoreError: The home cannot be read.
        """
        self._begin()
        try:
            return space_names(self._home)
        except OSError as error:
            problem = f"{self._home} cannot be read ({error.strerror})"
            raise StoreError(f"{problem}; check its rights") from error

    def snapshot_path(self, name: str) -> str:
        """Return the path of the disposable index snapshot."""
        return str(snapshot_file(self._home, name))

    def remove(self, name: str, *, check: Check | None = None) -> "WipeResult":
        """Remove a space with all its files; report those that another process holds.

        `check` looks at it first, while nobody can write to it until it is empty. A removal that
        was broken off is finished, whoever began it.

        Raises:
            NotFound: There is no such space, and nothing is left of one.
            StoreBusy: Another writer held it past the time-out; nothing was erased.
            StoreFull: The system refuses it; what is left goes with the next removal.
        """
        file = space_file(self._home, name)
        self._let_go(name)
        self.finish_erasures()
        finished = self._finished.pop(name, None)
        make_way = partial(self._pool.end_readers, file, held_s=pool.LEASE_S)
        try:
            return sqlite.delete_space.remove_space(
                file, tuning=self._pool.tuning, make_way=make_way, check=check
            )
        except NotFound:
            if finished is None:
                raise
            return finished

    def finish_erasures(self) -> tuple[str, ...]:
        """Finish interrupted removals of spaces; return those that are still unfinished."""
        if not list_unfinished(self._home):
            return ()
        self._finished |= sqlite.delete_space.finish_removals(self._home, tuning=self._pool.tuning)
        return erasures_of(self._home)

    def files(self, name: str) -> SearchedFiles:
        """Return the files that may contain bytes of a space, whether it exists or not."""
        return list_searched(space_file(self._home, name))

    def foreign_files(self) -> tuple[str, ...]:
        """Return the foreign files in the folders of spaces and uploads."""
        return foreign_files(self._home)

    def _begin(self) -> None:
        """Finish once what a killed process left unfinished."""
        if not self._is_begun:
            self._is_begun = True
            self.finish_erasures()
            remove_temporaries(self._home)

    def repair(
        self, name: str, *, remake: Callable[[EmbedderIdentity], Remake], fallback: EmbedderIdentity
    ) -> "RepairReport":
        """Copy all readable data of a space into a new file, which replaces the old one.

        Raises:
            NotFound: There is no such space.
            StoreBusy: Others have it open; nothing was changed.
            StoreCorrupt: Nothing of it can be read.
        """
        file = space_file(self._home, name)
        self._begin()
        self._let_go(name)
        return sqlite.repair.repair(
            file, tuning=self._pool.tuning, remake=remake, fallback=fallback
        )

    def replace(self, name: str, backup: str) -> "RepairReport":
        """Replace a space by a copy of a backup; its own file is set aside.

        Raises:
            InvalidInput: The backup is no space, or is damaged itself.
            StoreBusy: Others have the space open; nothing was changed.
        """
        file = space_file(self._home, name)
        make_folder(file.parent)
        self.finish_erasures()
        self._let_go(name)
        return sqlite.repair.restore_backup(file, Path(backup), tuning=self._pool.tuning)

    def _let_go(self, name: str) -> None:
        """Close an open space, so that its file can be removed."""
        open_space = self._spaces.get(name)
        if open_space is not None:
            open_space.close()
        self._pool.close(space_file(self._home, name))

    def close(self) -> None:
        """Close every open space. Closing twice is no error."""
        self._is_closed = True
        for space in list(self._spaces.values()):
            space.close()
        self._pool.close_all()

    def _open(self, name: str, *, create_for: EmbedderIdentity | None) -> SqliteSpace:
        if self._is_closed:
            raise StoreError(f"the store of {self._home} was closed; make a new one")
        found = self._spaces.get(name)
        if found is not None:
            if found.is_still_there():
                return found
            self._forget(found)
        file = space_file(self._home, name)
        self._begin()
        meta = self._admit(file, create_for=create_for)
        space = SqliteSpace(
            name=name,
            file=file,
            pool=self._pool,
            meta=meta,
            on_close=lambda: self._spaces.pop(name, None),
        )
        return self._spaces.setdefault(name, space)  # of two threads at once, the first one's

    def _forget(self, space: SqliteSpace) -> None:
        """Drop an open space, so that the next call opens the file at its path."""
        if self._spaces.get(space.name) is space:
            del self._spaces[space.name]

    def _admit(self, file: Path, *, create_for: EmbedderIdentity | None) -> Meta:
        """Return the facts of the space at `file`, made or brought to the present format."""
        if create_for is not None and not os.path.lexists(file):
            make_folder(file.parent)
            remove_mark(file)
            return self._make(file, create_for)
        check_not_truncated(file)
        with self._pool.lend(file, writes=False) as loan, translate_errors(file):
            found = check_format(loan.handle)
            if found == FORMAT:
                meta = read_meta(loan.handle.sqlite)
                check_pages(meta, loan.handle)
                _note_made(loan.handle, meta)
                return meta
            if is_blank(loan.handle.sqlite) and create_for is None:
                raise NotFound("space", file.stem)
        return self._make(file, create_for)

    def _make(self, file: Path, embedder: EmbedderIdentity | None) -> Meta:
        """Make a space, or bring an older one to the present format."""
        if embedder is not None:
            self.finish_erasures()  # nothing of one of this name may lie beside the new one

        def begin(sqlite: apsw.Connection) -> None:
            if embedder is None:
                raise NotFound("space", file.stem)
            write_first(sqlite, embedder)

        with self._pool.lend(file, writes=True, create=embedder is not None) as loan:
            handle: Handle = loan.handle
            migrate(handle, begin=begin)
            with translate_errors(file):
                meta = read_meta(handle.sqlite)
                _note_made(handle, meta)
        return meta


def _note_made(handle: Handle, meta: Meta) -> None:
    """Note that a space was made, while its file is held open and holds it."""

    def is_there() -> bool:
        sqlite = handle.sqlite
        return not (has_moved(handle) or is_blank(sqlite)) and read_meta(sqlite).uuid == meta.uuid

    write_mark(handle.file, is_there=is_there)


def _check_settings(durability: str, timeout_s: float, connections_max: int) -> None:
    if durability not in ("full", "relaxed"):
        raise InvalidInput("durability", f"must be full or relaxed, got {durability!r}")
    if not timeout_s > 0:
        raise InvalidInput("timeout_s", f"must be above 0, got {timeout_s}")
    if connections_max < 1:
        raise InvalidInput("connections_max", f"must be at least 1, got {connections_max}")
