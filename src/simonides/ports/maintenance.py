"""What maintenance asks of a store and a space, and what may be asked of a space's past.

The part of the ports that history and maintenance need; `ports.space` joins it. Protocols with
their laws, held by the same contract suite. Must not import an adapter.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, Self, runtime_checkable

from simonides.model.export import ExportHead, Kept
from simonides.model.item import Item
from simonides.model.maintenance import (
    Erased,
    Removed,
    RepairReport,
    Scrub,
    SearchedFiles,
    WipeResult,
)
from simonides.model.stored import EmbedderIdentity, Prepared, PreparedBackground, PreparedChunk


class RevisionRow(NamedTuple):
    """A revision: its number, when it was committed, and the epoch of the space at that time."""

    revision: int
    at: datetime
    epoch: int


class VersionRow(NamedTuple):
    """One version of an item, and when and why it left the present; the present one never did.

    `cause` is `replaced`, `forgotten` or empty.
    """

    item: Item
    died: int | None
    died_at: datetime | None
    cause: str


class PastReader(Protocol):
    """One consistent look at a space, as those see it who ask about its past."""

    @property
    def floor(self) -> int:
        """The oldest revision that `past` can show: compaction took what was before it."""
        ...

    def past(self, revision: int) -> Self:
        """Return a look at the space as it was at a revision, part of this look: closed with it.

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
        """Return what is known of a revision: of the last one noted up to it."""
        ...

    def late_death(self, when: datetime, *, until: int) -> int | None:
        """Return the first revision over `floor`, up to one, by which a version died after a time.

        None where the clock was never set back: what is committed later has a higher number then.
        """
        ...

    def versions(self, item_id: str) -> Sequence[VersionRow]:
        """Return every version of an id that is kept, the first first; empty where none is."""
        ...


class CompactableSpace(Protocol):
    """One open space, as those see it who take the past out of it."""

    @property
    def departed(self) -> int:
        """How many versions have left the present through this object, about."""
        ...

    def compact(
        self, *, before: int, now: datetime, decided_before: datetime | None, limit: int
    ) -> Removed:
        """Remove up to `limit` rows of each sort that nobody can ask for any more.

        Versions that died up to revision `before`: the floor of history rises with them, in the
        same transaction, so that no past is shown in part. Then backgrounds that were due by
        `now`, proposals accepted or undone up to `decided_before` (rejected ones stay), and what is
        told by others. Takes no revision, and disturbs no reader. What was forgotten stays unknown
        to imports.
        """
        ...

    def due(self, *, before: int, now: datetime, limit: int) -> int:
        """Return how many versions and backgrounds `compact` could remove, up to `limit` each."""
        ...

    def give_back(self, *, pages: int) -> int:
        """Cut up to so many free pages off the file; return how many could still go."""
        ...

    def is_loose(self) -> bool:
        """Return whether the file lacks what only writing it anew can give it.

        That is, to give room back, or checksums on its pages.
        """
        ...

    def write_anew(self) -> None:
        """Write the whole file anew and dense. Other writers wait, readers do not."""
        ...


Made = Prepared | PreparedBackground | None
"""What is derived of a record, made anew; None for records that nothing is derived of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """An item ready to be kept; `is_anew` where its chunks had to be made again."""

    prepared: Prepared
    is_anew: bool


Remake = Callable[[Item, Sequence[PreparedChunk]], Remade]
"""Returns an item with the chunks found of it, if these say what it says, or else made anew."""


@runtime_checkable
class ErasableSpace(Protocol):
    """An embedder that remembers questions, and can forget them."""

    def forget_questions(self) -> None:
        """Drop what is remembered of questions; nothing but speed is lost."""
        ...


class MaintainedSpace(Protocol):
    """One open space, as those see it who look after it."""

    @property
    def files(self) -> SearchedFiles:
        """The files in which bytes of the space can be, those of no known space among them."""
        ...

    @property
    def written_bytes(self) -> int:
        """Bytes that this process has added to the space's log since it opened it."""
        ...

    def own_texts(self) -> Sequence[str]:
        """Return what the files say by themselves, whatever is kept: names of tables and such."""
        ...

    def erase(self, ids: Sequence[str], *, at: datetime) -> Erased:
        """Remove every version of items, and what names them, in one transaction.

        What names them: engagement, surrogates, stored receipts and proposals in which an id
        stands. Backgrounds that were deleted and are due go, too. The epoch grows. An id that is
        gone comes back only by a `commit` with `revive`; unknown ids are no error.
        """
        ...

    def sweep(self) -> WipeResult:
        """Leave no byte of what is gone in any file of the space, or say what stood in the way."""
        ...

    def making_way(self) -> AbstractContextManager[None]:
        """Have reads of this process end where an erasure of another one waits for them.

        For whoever reads at the pace of somebody else; such a read ends with `StoreBusy`.
        """
        ...

    def scrub(
        self,
        *,
        at: datetime,
        go_on: Callable[[], bool] = ...,
        unless_since: datetime | None = None,
    ) -> Scrub | None:
        """Compare every page of the space's file with its checksum; note when, and what was found.

        Holds no transaction, and changes nothing that is kept. `go_on` is asked after each 256
        pages; where it says no, the look is broken off, nothing noted and None returned. Where the
        last look was after `unless_since`, none is made: its time is returned, with no pages.
        """
        ...

    def clear(self) -> tuple[str, ...]:
        """Remove what is derived of the space on disk, and what the dead left in the home.

        Returns what was removed. Nothing that is kept goes.
        """
        ...

    def is_sweep_due(self) -> bool:
        """Return whether an erasure was not brought to its end by a `sweep`."""
        ...

    def altered(self) -> Sequence[str]:
        """Return which versions are not what was written, by the hash written with them."""
        ...

    def is_empty(self) -> bool:
        """Return whether nothing was ever kept here: no item, no trace of one, nothing beside."""
        ...

    def fill(
        self,
        head: ExportHead,
        records: Iterable[tuple[Kept, Made]],
        *,
        refuse: Callable[[Kept, str], None],
    ) -> int:
        """Put an export back into an empty space, in one transaction; return how many records.

        Versions, times, revisions and the space's uuid are as they were. `records` come in the
        order of `Reader.kept`; `refuse` is told of each that cannot be kept, and why.

        Raises:
            InvalidInput: The space holds something; nothing was written.
        """
        ...

    def merge_aside(self, records: Sequence[tuple[Kept, Made]]) -> tuple[str, ...]:
        """Put all but versions of items beside what is kept here, in one transaction.

        Returns for each `added`, `unchanged` (the same is there), or why it cannot be kept.
        """
        ...

    def backup(
        self, target: str, *, on_progress: Callable[[int, int], None] | None = None
    ) -> tuple[int, int]:
        """Copy the space as it is to a new file, while others go on; return (revision, items).

        Raises:
            InvalidInput: There is a file of that name, or no such folder.
            StoreFull: There is no room, or no right to write there.
        """
        ...


class MaintainedStore(Protocol):
    """All spaces under one home, as those see it who look after them."""

    def repair(
        self, name: str, *, remake: Callable[[EmbedderIdentity], Remake], fallback: EmbedderIdentity
    ) -> RepairReport:
        """Carry over all that can be read of a space into a new file, which takes its place.

        `remake` gets the embedder whose vectors the space holds, or `fallback` where that cannot
        be read. A file that was damaged is kept aside.

        Raises:
            NotFound: There is no such space.
            StoreBusy: Others have it open; nothing was changed.
            StoreCorrupt: Nothing of it can be read.
        """
        ...

    def replace(self, name: str, backup: str) -> RepairReport:
        """Put a copy of a backup in the place of a space, whose file is kept aside.

        Raises:
            InvalidInput: The backup is no space, or is damaged itself.
            StoreBusy: Others have the space open; nothing was changed.
        """
        ...

    def remove(self, name: str) -> WipeResult:
        """Remove a space with all its files, and what was set aside of it.

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
        """Finish the removals of spaces that were broken off; return those that are not yet."""
        ...

    def files(self, name: str) -> SearchedFiles:
        """Return the files in which bytes of a space can be, whether it is there or not."""
        ...

    def foreign_files(self) -> tuple[str, ...]:
        """Return what lies in the engine's folders and is not of it, by its path in the home."""
        ...
