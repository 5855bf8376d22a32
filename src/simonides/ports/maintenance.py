"""What maintenance asks of a store and a space, and what may be asked of a space's past.

The part of the ports that history and maintenance need; `ports.space` joins it. Protocols with
their laws, held by the same contract suite. Must not import an adapter.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

from simonides.model.item import Item
from simonides.model.stored import EmbedderIdentity, Prepared, PreparedBackground, PreparedChunk

if TYPE_CHECKING:
    from simonides.model.export import ExportHead, Kept
    from simonides.model.maintenance import Erased, Removed, RepairReport, WipeResult
    from simonides.model.scrub import Scrub
    from simonides.ports.space import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedFiles:
    """The files of a home that may hold bytes of one space, by their paths.

    `paths` are all of them: the space's own, there or not, and those that are of no other space.
    Among them, `settings` were written by whoever looks after the home (settings, names of keys),
    `uploads` are read by an import that goes on, and `set_aside` were put there by a repair of the
    space: they can hold what is not in the space any more. `replicas` are folders in which
    Litestream keeps its changes, packed, so that no search of bytes finds words. `foreign` lie in a
    folder of the engine's and are not of the engine, by their paths in the home: nothing removes
    them. `problem` says why no file can be searched, and is empty where they can.
    """

    paths: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    uploads: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    replicas: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    problem: str = ""


class RevisionRow(NamedTuple):
    """A revision: its number, when it was committed, and the epoch of the space at that time."""

    revision: int
    at: datetime
    epoch: int


class VersionRow(NamedTuple):
    """One version of an item, with the time and reason of its end; the present one has none.

    `cause` is `replaced`, `forgotten` or empty.
    """

    item: Item
    died: int | None
    died_at: datetime | None
    cause: str


class PastReader(Protocol):
    """A consistent view of a space, with the methods on its past."""

    @property
    def floor(self) -> int:
        """The oldest revision that `past` can show; earlier ones were compacted away."""
        ...

    def past(self, revision: int) -> Self:
        """Return a view of the space as of a revision, which is closed with this one.

        Every method answers as it would have then, except that what was deleted or erased since
        does not come back: backgrounds, surrogates, receipts.

        Raises:
            HistoryGone: It lies before `floor`; names the oldest revision there is.
            InvalidInput: The space has not reached it yet.
        """
        ...

    def revision_at(self, when: datetime) -> int:
        """Return the last revision that was committed at or before a time (aware); 0 for none.

        Raises:
            HistoryGone: It lies before `floor`; names the oldest revision there is.
        """
        ...

    def revision_row(self, revision: int) -> RevisionRow | None:
        """Return the record of a revision, or of the last recorded one before it."""
        ...

    def late_death(self, when: datetime, *, until: int) -> int | None:
        """Return the first revision over `floor`, up to one, by which a version died after a time.

        None where the clock was never set back: what is committed later has a higher number then.
        """
        ...

    def versions(self, item_id: str) -> Sequence[VersionRow]:
        """Return every stored version of an id, oldest first; may be empty."""
        ...


class CompactableSpace(Protocol):
    """An open space, with the methods of compaction."""

    @property
    def departed(self) -> int:
        """The approximate number of versions replaced or removed through this object."""
        ...

    def compact(
        self, *, before: int, now: datetime, decided_before: datetime | None, limit: int
    ) -> "Removed":
        """Remove up to `limit` rows of each sort that no query can reach any more.

        Versions that died up to revision `before`: the floor of history rises with them, in the
        same transaction, so that no past is shown in part. Then backgrounds that were due by
        `now`, proposals accepted or undone up to `decided_before` (rejected ones stay), and what is
        known from others. Takes no revision, and disturbs no reader. What was forgotten stays
        unknown to imports.
        """
        ...

    def due(self, *, before: int, now: datetime, limit: int) -> int:
        """Return how many versions and backgrounds `compact` could remove, up to `limit` each."""
        ...

    def give_back(self, *, pages: int) -> int:
        """Cut up to so many free pages off the file; return the number of remaining ones."""
        ...

    def is_loose(self) -> bool:
        """Return whether the file needs to be rewritten.

        That is, to give room back, or checksums on its pages.
        """
        ...

    def write_anew(self) -> None:
        """Rewrite the whole file without free space. Other writers wait, readers do not."""
        ...


Made = Prepared | PreparedBackground | None
"""What is derived of a record, made anew; None for records that nothing is derived of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """An item ready to be stored; `is_anew` if its chunks had to be made again."""

    prepared: Prepared
    is_anew: bool


Remake = Callable[[Item, Sequence[PreparedChunk]], Remade]
"""Returns an item with the chunks found of it, if these say what it says, or else made anew."""


@runtime_checkable
class ErasableSpace(Protocol):
    """An embedder with a cache of questions that can be cleared."""

    def forget_questions(self) -> None:
        """Clear the cache of questions; only speed is lost."""
        ...


class MaintainedSpace(Protocol):
    """An open space, with the methods of maintenance."""

    @property
    def files(self) -> SearchedFiles:
        """The files that may contain bytes of the space, including those of no known space."""
        ...

    @property
    def written_bytes(self) -> int:
        """The number of bytes that this process has added to the log of the space."""
        ...

    def own_texts(self) -> Sequence[str]:
        """Return the texts that every file contains, such as names of tables."""
        ...

    def erase(self, ids: Sequence[str], *, at: datetime) -> "Erased":
        """Remove every version of items, and all references to them, in one transaction.

        What names them: engagement, surrogates, stored receipts and proposals in which an id
        stands. Backgrounds that were deleted and are due go, too. The epoch grows. An id that is
        gone comes back only by a `commit` with `revive`; unknown ids are no error.
        """
        ...

    def sweep(self) -> "WipeResult":
        """Remove the last bytes of erased data from all files of the space; return the obstacle."""
        ...

    def making_way(self) -> AbstractContextManager[None]:
        """End reads of this process if an erasure of another one waits for them.

        For whoever reads at the pace of somebody else; such a read ends with `StoreBusy`.
        """
        ...

    def scrub(
        self,
        *,
        at: datetime,
        go_on: Callable[[], bool] = ...,
        unless_since: datetime | None = None,
    ) -> "Scrub | None":
        """Compare every page of the file with its checksum; store the time and the result.

        Holds no transaction, and changes nothing that is kept. `go_on` is asked after each 256
        pages; where it says no, the look is broken off, nothing noted and None returned. Where the
        last look was after `unless_since`, none is made: its time is returned, with no pages.
        """
        ...

    def clear(self) -> tuple[str, ...]:
        """Remove derived files of the space, and temporary files of dead processes in the home.

        Returns what was removed. Nothing that is kept goes.
        """
        ...

    def is_sweep_due(self) -> bool:
        """Return whether an erasure was interrupted before its `sweep`."""
        ...

    def find_altered(self) -> Sequence[str]:
        """Return the versions that do not match their stored hash."""
        ...

    def is_empty(self) -> bool:
        """Return whether the space is empty and always was."""
        ...

    def fill(
        self,
        head: "ExportHead",
        records: Iterable[tuple["Kept", Made]],
        *,
        refuse: Callable[["Kept", str], None],
    ) -> int:
        """Import an export into an empty space, in one transaction; return the number of records.

        Versions, times, revisions and the space's uuid are as they were. `records` come in the
        order of `Reader.read_all`; `refuse` is called with each that cannot be kept, and why. A
        space that holds an earlier copy of the same gets what is later; of what it holds already,
        nothing needs to be made ready but vectors that came since.

        Raises:
            InvalidInput: The space holds something else, or a later state; nothing was written.
        """
        ...

    def merge_aside(self, records: Sequence[tuple["Kept", Made]]) -> tuple[str, ...]:
        """Merge an export, without versions of items, with the stored data, in one transaction.

        Returns for each `added`, `unchanged` (the same is there), or why it cannot be kept.
        """
        ...

    def backup(
        self,
        target: str,
        *,
        at: datetime,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> tuple[int, int]:
        """Copy the space to a new file, while others use it; return (revision, items).

        `at`, the present time, is noted in the space as that of its last backup.

        Raises:
            InvalidInput: There is a file of that name, or no such folder.
            StoreFull: There is no room, or no right to write there.
        """
        ...


Check = Callable[["Reader"], object]
"""Looks at a space, and raises what speaks against what is to be done with it."""


class MaintainedStore(Protocol):
    """All spaces of one home, with the methods of maintenance."""

    def repair(
        self, name: str, *, remake: Callable[[EmbedderIdentity], Remake], fallback: EmbedderIdentity
    ) -> "RepairReport":
        """Copy all readable data of a space into a new file, which replaces the old one.

        `remake` gets the embedder whose vectors the space holds, or `fallback` where that cannot
        be read. A file that was damaged is kept aside.

        Raises:
            NotFound: There is no such space.
            StoreBusy: Others have it open; nothing was changed.
            StoreCorrupt: Nothing of it can be read.
        """
        ...

    def replace(self, name: str, backup: str) -> "RepairReport":
        """Replace a space by a copy of a backup; its own file is set aside.

        Raises:
            InvalidInput: The backup is no space, or is damaged itself.
            StoreBusy: Others have the space open; nothing was changed.
        """
        ...

    def remove(self, name: str, *, check: "Check | None" = None) -> "WipeResult":
        """Remove a space with all its files, including those set aside.

        `check` is asked first, with the space as it will be removed, while nobody can write to it:
        what it raises is raised, and nothing was removed.

        It is emptied first, so that a process that has it open is refused from then on and loses
        no write that it acknowledged. Where one holds the emptied file, that stays and says so.
        An earlier removal that was broken off is finished, also where the space's own file is gone
        already.

        Raises:
            NotFound: There is no such space, and nothing is left of one.
            StoreBusy: Another writer held it past the time-out; nothing was erased.
            StoreFull: The system refuses it; what is left goes with the next removal.
        """
        ...

    def finish_erasures(self) -> tuple[str, ...]:
        """Finish interrupted removals of spaces; return those that are still unfinished."""
        ...

    def files(self, name: str) -> SearchedFiles:
        """Return the files that may contain bytes of a space, whether it exists or not."""
        ...

    def foreign_files(self) -> tuple[str, ...]:
        """Return the foreign files in the engine's folders, by their paths in the home."""
        ...
