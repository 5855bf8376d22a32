"""What may be asked of the past: earlier states of a space, versions of an item, and compaction.

The part of the ports that history needs; `ports` joins it. Protocols with their laws, held by the
same contract suite. Must not import an adapter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, Self

from simonides.model.item import Item
from simonides.model.maintenance import Removed


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
