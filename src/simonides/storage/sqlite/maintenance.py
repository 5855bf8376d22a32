"""What a space does to be looked after: erase, sweep, fill, copy, compact, scrub.

Knows which of these is one transaction and which needs the file for itself. Must not know the
statements.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import apsw

from simonides import storage
from simonides.errors import (
    NotFound,
    SimonidesError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
)
from simonides.model.scrub import Scrub
from simonides.model.stored import EmbedderIdentity
from simonides.model.times import microseconds, moment
from simonides.ports.maintenance import Made, SearchedFiles
from simonides.storage import sqlite
from simonides.storage.group_commit import Queue
from simonides.storage.rows import lookup_text
from simonides.storage.sqlite import pages, pool
from simonides.storage.sqlite.connection import Handle, pragma, writing
from simonides.storage.sqlite.error_mapping import translate_errors, translate_removal_errors
from simonides.storage.sqlite.home_files import (
    home_of,
    list_searched,
    remove_left_behind,
    remove_snapshot,
)
from simonides.storage.sqlite.meta import (
    BACKED_UP_US,
    PAGES_DAMAGED,
    SCRUBBED_US,
    read_meta,
    set_meta,
)
from simonides.storage.sqlite.pages import find_damaged_pages
from simonides.storage.sqlite.pool import Pool, PooledConnection
from simonides.storage.sqlite.queries import DUMP, QUERIES
from simonides.storage.sqlite.transaction import transaction

if TYPE_CHECKING:
    from simonides.model.export import ExportHead, Kept
    from simonides.model.maintenance import Erased, WipeResult
    from simonides.storage.reader import StoredReader
    from simonides.storage.restore_export import Refuse
    from simonides.storage.sqlite.meta import Meta
    from simonides.storage.writer import Write


PAGE_BYTES = 4096

LOOK_S = 0.5
"""How often a long reader looks whether an erasure waits for it."""


class Maintenance:
    """The part of `SqliteSpace` for maintenance."""

    _file: Path
    _pool: Pool
    _queue: Queue
    _uuid: str
    _embedder: EmbedderIdentity
    _written_bytes: int = 0
    _departed: int = 0

    if TYPE_CHECKING:  # the space itself has these

        def _submit(self, write: "Write") -> Any: ...
        def _lend(self, *, writes: bool) -> AbstractContextManager[PooledConnection]: ...
        def _fold_in(self, handle: Handle) -> None: ...
        def _recognise(self, handle: Handle) -> "Meta": ...
        def _look(self) -> "AbstractContextManager[tuple[StoredReader, Handle]]": ...

    @property
    def files(self) -> SearchedFiles:
        """The files of the home in which bytes of the space can be."""
        return list_searched(self._file)

    @property
    def written_bytes(self) -> int:
        """The number of bytes that this process has added to the log of the space."""
        return self._written_bytes

    def _note_written(self, handle: Handle) -> None:
        """Count the bytes that a connection added to the log since the last call."""
        self._written_bytes += PAGE_BYTES * handle.written_pages
        handle.written_pages = 0

    def own_texts(self) -> list[str]:
        """Return the texts that the file contains in any case: its schema and properties."""
        with self._look() as (_reader, handle), translate_errors(self._file):
            return [text for (text,) in handle.sqlite.execute(DUMP["own_texts"])]

    def erase(self, ids: Sequence[str], *, at: datetime) -> "Erased":
        """Remove every version of items, and all references to them, in one transaction.

        Also the snapshots of backgrounds that had been deleted and are due. The epoch grows. What
        is gone may still lie in the file's free pages and in its log, until `sweep`.

        Raises:
            StoreBusy: Another writer held the space past the time-out; nothing was erased.
            StoreCorrupt: A page is damaged, and the file could not be written anew without what is
                gone; nothing was erased.
        """
        self._check_pages()
        asked = tuple(one for one in ids if lookup_text(one) == one)
        write = storage.erase.Erase(ids=asked, at_us=microseconds(at, field="at"))
        return cast("Erased", self._submit(write))

    def _check_pages(self) -> None:
        """Raise `StoreCorrupt` unless every page with a checksum matches it."""
        with self._look() as (_reader, handle), translate_errors(self._file):
            page_bytes = int(pragma(handle.sqlite, "page_size"))
            can = handle.has_checksums
        with translate_errors(self._file):
            bad = pages.find_damaged_pages(self._file, page_bytes=page_bytes) if can else None
        if bad:
            problem = f"{len(bad):,} pages of {self._file} are damaged, and nothing was erased"
            raise StoreCorrupt(
                f"{problem}; run `simonides repair`, or restore a backup, and erase then"
            )

    def sweep(self) -> "WipeResult":
        """Rewrite the file without deleted data, empty its log, remove the index snapshot.

        Waits for writers and readers up to the time-out and says what stood in the way, if
        anything did.
        """
        with self._alone() as handle:
            timeout_s = self._pool.tuning.timeout_s
            return sqlite.erase.sweep(handle, timeout_s=timeout_s, make_way=self._end_readers)

    @contextmanager
    def making_way(self) -> Iterator[None]:
        """End readers of this process that block erasures of other processes, within a block.

        For whoever reads at the pace of somebody else. Looks every `LOOK_S` seconds.
        """
        over = threading.Event()
        looking = threading.Thread(
            target=self._make_way_until, args=(over,), name="simonides-make-way", daemon=True
        )
        looking.start()
        try:
            yield
        finally:
            over.set()
            looking.join()

    def _make_way_until(self, over: threading.Event) -> None:
        while not over.wait(LOOK_S):
            with suppress(SimonidesError, apsw.Error):  # it is asked again soon
                self._make_way()

    def _make_way(self) -> None:
        if not self._pool.has_readers(self._file, held_s=pool.LEASE_S):
            return
        with self._pool.lend(self._file, writes=False) as loan:
            is_wanted = sqlite.erase.readers_wanted_away(loan.handle)
        if is_wanted:
            self._end_readers()

    def _end_readers(self) -> None:
        self._pool.end_readers(self._file, held_s=pool.LEASE_S)

    def clear(self) -> tuple[str, ...]:
        """Remove the index snapshot, and temporary files of dead processes in the home.

        Returns what was removed.

        Raises:
            StoreFull: The system refuses it.
        """
        with translate_removal_errors(self._file):
            return (*remove_snapshot(self._file), *remove_left_behind(home_of(self._file)))

    def is_sweep_due(self) -> bool:
        """Return whether an erasure was interrupted before its `sweep`."""
        with self._look() as (_reader, handle):
            return sqlite.erase.is_sweep_due(handle.sqlite)

    def fill(
        self, head: "ExportHead", records: Iterable[tuple["Kept", Made]], *, refuse: "Refuse"
    ) -> int:
        """Import an export into an empty space or an earlier copy; return the number of records.

        Versions, times and revisions are as they were, and so is the space's uuid. `records` come
        in the order of the export, with what is derived of each; `refuse` is called with each that
        cannot be kept, and why.

        Raises:
            InvalidInput: The space holds something; nothing was written.
        """
        with self._alone() as handle:
            with writing(handle) as sqlite:
                self._recognise(handle)
                tx = transaction(sqlite, self._file)
                storage.leases.check_leases(tx, storage.leases.list_held(self._uuid))
                since, dimension = (
                    storage.restore_export.filled_until(tx, head),
                    self._embedder.dimension,
                )
                filling = storage.restore_export.ExportRestorer(
                    tx, head, dimension=dimension, since=since
                )
                done = filling.fill(records, refuse=refuse)
            self._uuid = head.uuid
            remove_snapshot(self._file)
            self._fold_in(handle)
        return done

    def backup(
        self,
        target: str,
        *,
        at: datetime,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> tuple[int, int]:
        """Copy the space as it is now to a new file; return its revision and number of items.

        Others go on reading and writing. `on_progress` is called with (done, all) pages. The time
        is noted in the space, where it can be written.

        Raises:
            InvalidInput: There is a file of that name, or no such folder.
            StoreFull: There is no room, or no right to write there.
        """
        with self._look() as (reader, handle):
            sqlite.backup.copy(
                handle.sqlite, Path(target), space=self._file.stem, on_progress=on_progress
            )
            with translate_errors(self._file):
                copied = reader.revision, int(handle.sqlite.execute(QUERIES["count_items"]).get)
        with suppress(StoreError), self._alone() as handle, writing(handle) as connection:
            set_meta(connection, BACKED_UP_US, microseconds(at, field="at"))
        return copied

    @contextmanager
    def _alone(self) -> Iterator[Handle]:
        """Hold the space's writing connection while no other writer of this process runs."""
        with self._queue.alone(), self._lend(writes=True) as loan:
            loan.handle.patience.timeout_s = self._pool.tuning.timeout_s
            yield loan.handle

    def give_back(self, *, pages: int) -> int:
        """Cut up to so many free pages off the file; return the number of remaining ones."""
        with self._alone() as handle:
            left = sqlite.compaction.release_pages(handle, pages=pages)
            sqlite.compaction.cut_log(handle)
        return left

    def is_loose(self) -> bool:
        """Return whether the file was made before it gave room back, or had page checksums."""
        with self._look() as (_reader, handle):
            return sqlite.compaction.needs_rewrite(handle, tuning=self._pool.tuning)

    def write_anew(self) -> None:
        """Rewrite the whole file without free space; from then on it can shrink.

        Needs as much room beside the file as it takes, and twice that where its pages get
        checksums for the first time; they do if nobody else has it open. Other writers wait,
        readers do not.
        """
        with self._alone() as handle:
            is_bare = sqlite.compaction.lacks_checksums(handle, tuning=self._pool.tuning)
        if is_bare and self._is_protected():
            return
        with self._alone() as handle:
            sqlite.compaction.rewrite_file(handle)
            sqlite.compaction.cut_log(handle)

    def _is_protected(self) -> bool:
        """Give the file's pages checksums; return whether that was possible."""
        with self._queue.alone():
            self._pool.close(self._file)
            try:
                sqlite.compaction.add_page_checksums(self._file, tuning=self._pool.tuning)
            except StoreBusy:
                return False
        return True

    def scrub(
        self,
        *,
        at: datetime,
        go_on: Callable[[], bool] = lambda: True,
        unless_since: datetime | None = None,
    ) -> Scrub | None:
        """Compare every page of the file with its checksum, and store the time and the result.

        No transaction is held. `go_on` is asked after each 256 pages; where it says no, the look
        is broken off, and None returned. Where the last look was after `unless_since`, none is
        made, and its time returned. What cannot be noted, where nothing can be written, is returned
        all the same.
        """
        with self._look() as (_reader, handle), translate_errors(self._file):
            page_bytes = int(pragma(handle.sqlite, "page_size"))
            last_us = read_meta(handle.sqlite).scrubbed_us
            can = handle.has_checksums
        if last_us is not None and unless_since is not None and moment(last_us) > unless_since:
            return Scrub(at=moment(last_us))
        return self._scrub(at, page_bytes=page_bytes, go_on=go_on) if can else Scrub(at=at)

    def _scrub(self, at: datetime, *, page_bytes: int, go_on: Callable[[], bool]) -> Scrub | None:
        began = time.perf_counter()
        try:
            with translate_errors(self._file):
                count = self._file.stat().st_size // page_bytes
                found = find_damaged_pages(self._file, page_bytes=page_bytes, go_on=go_on)
        except FileNotFoundError as error:
            raise NotFound("space", self._file.stem) from error  # erased meanwhile
        if found is None:
            return None
        with suppress(StoreError), self._alone() as handle, writing(handle) as sqlite:
            set_meta(sqlite, SCRUBBED_US, microseconds(at, field="at"))
            set_meta(sqlite, PAGES_DAMAGED, len(found))
        took_s = time.perf_counter() - began
        return Scrub(at=at, pages=count, damaged=tuple(found), took_s=took_s)
