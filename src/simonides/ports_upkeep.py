"""What may be asked of spaces to look after them: the part of the ports that erases, copies, mends.

Protocols with their laws, held by the same contract suite as the rest of `ports`, which joins
them. Must not import an adapter.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from simonides.model.background import PreparedBackground
from simonides.model.export import ExportHead, Kept
from simonides.model.kept import Prepared
from simonides.model.upkeep import Erased, Swept

Made = Prepared | PreparedBackground | None
"""What is derived of a record, made anew; None for records that nothing is derived of."""

Salvage = Callable[[Kept], Made]
"""Makes anew what is derived of a record."""


@runtime_checkable
class Forgetful(Protocol):
    """An embedder that remembers questions, and can forget them."""

    def forget_questions(self) -> None:
        """Drop what is remembered of questions; nothing but speed is lost."""
        ...


class TendedSpace(Protocol):
    """One open space, as those see it who look after it."""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths under which bytes of the space may lie, there or not."""
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

    def sweep(self) -> Swept:
        """Leave no byte of what is gone in any file of the space, or say what stood in the way."""
        ...

    def is_sweep_due(self) -> bool:
        """Return whether an erasure was not brought to its end by a `sweep`."""
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

    def merge_aside(self, records: Sequence[Kept]) -> tuple[str, ...]:
        """Put marks, engagement, receipts and proposals beside what is kept, in one transaction.

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


class TendedStore(Protocol):
    """All spaces under one home, as those see it who look after them."""

    def remove(self, name: str) -> Swept:
        """Remove a space with all its files, and what was set aside of it.

        It is emptied first, so that a process that has it open is refused from then on and loses
        no write that it acknowledged. Where one holds the emptied file, that stays and says so.

        Raises:
            NotFound: There is no such space.
            StoreBusy: Another writer held it past the time-out; nothing was erased.
        """
        ...
