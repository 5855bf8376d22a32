"""Compaction: what nobody can ask for any more is removed, and the file gives its room back.

Knows which rows those are and what must stay: the floor of history rises with the first of them,
so that no past is ever shown in part. Its writes run inside a transaction that another module
began and will end. A file that was made before there were page checksums gets them in a copy that
takes its place while nobody else has it open: of two connections to one file, one that was there
before would go on writing pages without. Must not know when retention ends, nor who waits.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from simonides.model.maintenance import Removed
from simonides.storage.sqlite import pages
from simonides.storage.sqlite.backup import (
    copy_pages,
    exclusive_connection,
    remove_set_aside,
    replace_by,
    temporary_copy,
)
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import Handle, connect, pragma, writing
from simonides.storage.sqlite.erase import ERASE, checkpoint_fully, id_hash, remove_due_backgrounds
from simonides.storage.sqlite.error_mapping import translated
from simonides.storage.sqlite.file_names import SUFFIX
from simonides.storage.sqlite.meta import PAGE_CHECKSUMS, Meta, set_meta
from simonides.storage.sqlite.queries import statements

COMPACTION = statements("compaction.sql")

REVISIONS_A_VERSION = 16
"""So many rows of small numbers are removed in the time of one version with its chunks."""

_INCREMENTAL = 2
"""SQLite's number for a file that gives pages back a few at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePast:
    """Removes up to `limit` rows of each sort; the result has the counts, and if there are more.

    Versions that died up to revision `before` go, those that died first before the others. Then
    engagement of before the floor is summed up, and backgrounds due at `now_us` go, proposals
    accepted up to `decided_us` (None: none), and times of revisions that cannot be asked for.
    """

    before: int
    now_us: int
    decided_us: int | None
    limit: int

    def __call__(self, sqlite: apsw.Connection, meta: Meta, _revision: int) -> tuple[Removed, bool]:
        """Remove one slice, without a new revision, since present data does not change."""
        found = self._versions(sqlite)
        floor = max([meta.floor, *(died for _, _, _, died, _ in found)])
        if floor > meta.floor:
            set_meta(sqlite, "floor", floor)
        for key, item_id, version, _, cause in found:
            self._remove(sqlite, key, item_id, version=version, cause=cause)
        removed = Removed(versions=len(found), more=len(found) == self.limit)
        return (removed if removed.more else self._rest(sqlite, removed, floor=floor)), False

    def _versions(self, sqlite: apsw.Connection) -> list[tuple[int, str, int, int, str]]:
        values = {"before": self.before, "limit": self.limit}
        found: list[Any] = sqlite.execute(COMPACTION["past_due"], values).fetchall()
        return found

    def _remove(
        self, sqlite: apsw.Connection, key: int, item_id: str, *, version: int, cause: str
    ) -> None:
        """Remove one version; the last one of a forgotten item leaves a mark.

        The mark is the hash of its id: no import brings it back.
        """
        for step in ("drop_archived_chunks", "drop_archived_mentions", "drop_archived_item"):
            sqlite.execute(COMPACTION[step], {"key": key})
        is_last = sqlite.execute(COMPACTION["other_version"], {"id": item_id}).fetchone() is None
        if is_last and cause == "forgotten":
            marked = {"id_hash": id_hash(item_id), "at_us": self.now_us, "version": version}
            sqlite.execute(ERASE["mark_erased"], marked)
            sqlite.execute(COMPACTION["drop_engagement"], {"id": item_id})

    def _rest(self, sqlite: apsw.Connection, removed: Removed, *, floor: int) -> Removed:
        """Return `removed` with the rows that are removed after the versions."""
        groups, engagements = self._sum_up(sqlite, floor=floor)
        backgrounds = remove_due_backgrounds(sqlite, at_us=self.now_us, limit=self.limit)
        decided = self._named(decided_us=self.decided_us)
        proposals = _changed(sqlite, "drop_decided_proposals", decided)
        revisions_max = REVISIONS_A_VERSION * self.limit
        revisions = _changed(sqlite, "drop_revisions", {"floor": floor, "limit": revisions_max})
        is_full = self.limit in (groups, backgrounds, proposals) or revisions == revisions_max
        return replace(
            removed, engagements=engagements, backgrounds=backgrounds, proposals=proposals,
            revisions=revisions, more=is_full,
        )  # fmt: skip

    def _named(self, **values: Any) -> dict[str, Any]:
        return {"limit": self.limit, **values}

    def _sum_up(self, sqlite: apsw.Connection, *, floor: int) -> tuple[int, int]:
        """Make one row of many of the same item and sort; return how many rows of how many."""
        found = sqlite.execute(COMPACTION["engagement_to_sum_up"], self._named(floor=floor))
        names = ("item_id", "how", "number", "times", "at_us", "born")
        sums: list[dict[str, Any]] = [
            dict(zip(names, row, strict=True)) for row in found.fetchall()
        ]
        for one in sums:
            sqlite.execute(COMPACTION["drop_summed_up"], one)
            sqlite.execute(COMPACTION["add_sum"], one)
        return len(sums), sum(one["number"] - 1 for one in sums)


def count_due(handle: Handle, *, before: int, now_us: int, limit: int) -> int:
    """Return how many versions and snapshots `RemovePast` could remove, up to `limit` each."""
    with translated(handle.file):
        values = {"before": before, "now_us": now_us, "limit": limit}
        return int(handle.sqlite.execute(COMPACTION["count_due"], values).get)


def release_pages(handle: Handle, *, pages: int) -> int:
    """Cut up to so many free pages off the file in one transaction; return how many are left.

    A file that was made before it could do this gives nothing back until `rewrite_file`.
    """
    with writing(handle) as sqlite:
        if pragma(sqlite, "auto_vacuum") != _INCREMENTAL:
            return 0
        _exhaust(sqlite.execute(f"PRAGMA incremental_vacuum({pages:d})"))
        return int(pragma(sqlite, "freelist_count"))


def needs_rewrite(handle: Handle) -> bool:
    """Return whether the file was made before its pages could be cut off, or have checksums."""
    with translated(handle.file):
        is_fixed = pragma(handle.sqlite, "auto_vacuum") != _INCREMENTAL
        return is_fixed or lacks_checksums(handle)


def lacks_checksums(handle: Handle) -> bool:
    """Return whether the file's pages have no checksums, and could get them."""
    return not handle.has_checksums and pages.checksum_vfs() is not None


def rewrite_file(handle: Handle) -> None:
    """Rewrite the whole file without free space, so that it can shrink from then on.

    Needs as much room beside the file as it takes; other writers wait, readers do not.
    """
    with translated(handle.file):
        _exhaust(handle.sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL"))
        handle.sqlite.execute("VACUUM")


def cut_log(handle: Handle) -> None:
    """Fold the log into the file and cut it to nothing, unless a reader still needs it.

    Raises:
        StoreFull: There is no room for what the log holds; it stays there, safe.
    """
    handle.patience.timeout_s = 0.0
    with translated(handle.file), suppress(apsw.BusyError):
        handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        handle.log_pages = 0


def _changed(sqlite: apsw.Connection, query: str, values: dict[str, Any]) -> int:
    sqlite.execute(COMPACTION[query], values)
    return sqlite.changes()


def _exhaust(rows: Iterator[Any]) -> None:
    """Take every row of a statement that works while it is read."""
    for _ in rows:
        pass


def add_page_checksums(file: Path, *, tuning: Tuning) -> None:
    """Put a dense copy with page checksums in the place of a file; it gives room back, too.

    Needs as much room beside the file as two of it take.

    Raises:
        StoreBusy: Others have it open; nothing was changed.
    """
    with (
        exclusive_connection(file, tuning=tuning) as old,
        temporary_copy(file, space=file.name.removesuffix(SUFFIX)) as temporary,
    ):
        with translated(temporary):
            copy_pages(old, temporary)
        give_checksums(temporary, tuning=tuning)
        aside = replace_by(file, temporary)
    if aside is not None:
        remove_set_aside(aside)


def give_checksums(file: Path, *, tuning: Tuning) -> None:
    """Rewrite a file that nobody else has open, so that every page has a checksum."""
    handle = connect(file, tuning=tuning, writes=True)
    try:
        if handle.has_checksums or pages.checksum_vfs() is None:
            return
        with translated(file):
            pages.reserve(handle.sqlite)
            handle.sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL").fetchall()
            handle.sqlite.execute("VACUUM").fetchall()
            set_meta(handle.sqlite, PAGE_CHECKSUMS, 1)
        checkpoint_fully(handle)
    finally:
        handle.close()
