"""What a space does to be compacted: remove a slice, give pages back, be written anew.

Knows which of these is one transaction and which needs the file for itself. Must not know the
statements.
"""

from datetime import datetime
from typing import cast

from simonides.model.history import Removed
from simonides.model.times import microseconds
from simonides.store.sqlite.compaction import (
    RemovePast,
    count_due,
    cut_log,
    give_back,
    is_loose,
    write_anew,
)
from simonides.store.sqlite.tended import Tended


class Compacted(Tended):
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
            left = give_back(handle, pages=pages)
            cut_log(handle)
        return left

    def is_loose(self) -> bool:
        """Return whether the file gives no room back, having been made before it could."""
        with self._look() as (_reader, handle):
            return is_loose(handle)

    def write_anew(self) -> None:
        """Write the whole file anew and dense; from then on it gives room back.

        Needs as much room beside the file as it takes. Other writers wait, readers do not.
        """
        with self._alone() as handle:
            write_anew(handle)
            cut_log(handle)
