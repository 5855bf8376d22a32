"""What a space does to be compacted and scrubbed: give pages back, be written anew, be looked at.

Knows which of these is one transaction and which needs the file for itself. Must not know the
statements.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import cast

from simonides.errors import NotFound, StoreBusy, StoreError
from simonides.model.maintenance import Removed, Scrub
from simonides.model.times import microseconds, moment
from simonides.storage.sqlite.checksum_upgrade import add_page_checksums
from simonides.storage.sqlite.compaction import (
    RemovePast,
    count_due,
    cut_log,
    lacks_checksums,
    needs_rewrite,
    release_pages,
    rewrite_file,
)
from simonides.storage.sqlite.connection import pragma, writing
from simonides.storage.sqlite.error_mapping import translated
from simonides.storage.sqlite.maintenance import Maintenance
from simonides.storage.sqlite.meta import PAGES_DAMAGED, SCRUBBED_US, read_meta, set_meta
from simonides.storage.sqlite.pages import damaged_pages


class Compacted(Maintenance):
    """The part of a space by which its past is taken out; it is one of `SqliteSpace`."""

    _departed: int = 0

    @property
    def departed(self) -> int:
        """How many versions have left the present through this object, about."""
        return self._departed

    def compact(
        self, *, before: int, now: datetime, decided_before: datetime | None, limit: int
    ) -> Removed:
        """Remove up to `limit` rows of each sort that nobody can ask for any more.

        One short transaction; readers go on seeing what they see. `Removed.more` says whether
        there is more to remove.

        Raises:
            StoreBusy: Another writer held the space past the time-out.
        """
        decided = decided_before
        write = RemovePast(
            before=before,
            now_us=microseconds(now, field="now"),
            decided_us=None if decided is None else microseconds(decided, field="decided_before"),
            limit=limit,
        )
        return cast("Removed", self._submit(write))

    def due(self, *, before: int, now: datetime, limit: int) -> int:
        """Return how many versions and snapshots `compact` could remove, told up to `limit`."""
        now_us = microseconds(now, field="now")
        with self._look() as (_reader, handle):
            return count_due(handle, before=before, now_us=now_us, limit=limit)

    def give_back(self, *, pages: int) -> int:
        """Cut up to so many free pages off the file; return how many could still go."""
        with self._alone() as handle:
            left = release_pages(handle, pages=pages)
            cut_log(handle)
        return left

    def is_loose(self) -> bool:
        """Return whether the file was made before it gave room back, or had page checksums."""
        with self._look() as (_reader, handle):
            return needs_rewrite(handle)

    def write_anew(self) -> None:
        """Write the whole file anew and dense; from then on it gives room back.

        Needs as much room beside the file as it takes, and twice that where its pages get
        checksums for the first time; they do if nobody else has it open. Other writers wait,
        readers do not.
        """
        with self._alone() as handle:
            is_bare = lacks_checksums(handle)
        if is_bare and self._is_protected():
            return
        with self._alone() as handle:
            rewrite_file(handle)
            cut_log(handle)

    def _is_protected(self) -> bool:
        """Give the file's pages checksums; return whether that was possible."""
        with self._queue.alone():
            self._pool.close(self._file)
            try:
                add_page_checksums(self._file, tuning=self._pool.tuning)
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
        """Compare every page of the file with its checksum, and note when, and what was found.

        No transaction is held. `go_on` is asked after each 256 pages; where it says no, the look
        is broken off, and None returned. Where the last look was after `unless_since`, none is
        made, and its time returned. What cannot be noted, where nothing can be written, is returned
        all the same.
        """
        with self._look() as (_reader, handle), translated(self._file):
            page_bytes = int(pragma(handle.sqlite, "page_size"))
            last_us = read_meta(handle.sqlite).scrubbed_us
            can = handle.has_checksums
        if last_us is not None and unless_since is not None and moment(last_us) > unless_since:
            return Scrub(at=moment(last_us))
        return self._scrubbed(at, page_bytes=page_bytes, go_on=go_on) if can else Scrub(at=at)

    def _scrubbed(
        self, at: datetime, *, page_bytes: int, go_on: Callable[[], bool]
    ) -> Scrub | None:
        began = time.perf_counter()
        try:
            with translated(self._file):
                count = self._file.stat().st_size // page_bytes
                found = damaged_pages(self._file, page_bytes=page_bytes, go_on=go_on)
        except FileNotFoundError as error:
            raise NotFound("space", self._file.stem) from error  # erased meanwhile
        if found is None:
            return None
        with suppress(StoreError), self._alone() as handle, writing(handle) as sqlite:
            set_meta(sqlite, SCRUBBED_US, microseconds(at, field="at"))
            set_meta(sqlite, PAGES_DAMAGED, len(found))
        took_s = time.perf_counter() - began
        return Scrub(at=at, pages=count, damaged=tuple(found), took_s=took_s)
