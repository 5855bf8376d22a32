"""What background work asks of a space, so that one process at a time does it.

Protocols with their laws, held by the same contract suite. Must not import an adapter.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from simonides.model.lease import Lease, Work


class LeasableSpace(Protocol):
    """An open space, with the methods of leases.

    Laws: of a work there is one holder at a time, over all processes and machines; time is that of
    the database. Tokens of a work rise with each holder. A write made `under` a lease is refused
    once another one was given, or it was released: the token is looked at in the transaction of the
    write. One that ran out and that nobody took still stands. None of this takes a revision, and no
    export has it.
    """

    def take_lease(
        self, work: "Work", *, holder: str, for_s: float, instead_of: int = 0
    ) -> "Lease | None":
        """Return the lease of a work for so many seconds; None while that of another stands.

        `instead_of` is the token of a holder that is known to be dead: its lease stands no longer.
        """
        ...

    def renew_lease(self, lease: "Lease", *, for_s: float) -> bool:
        """Let a lease stand for so many seconds from now; return False if it was lost."""
        ...

    def release_lease(self, lease: "Lease") -> None:
        """Give a lease back; one that was lost stays with its new holder."""
        ...

    def leases(self) -> Sequence["Lease"]:
        """Return the leases that stand, by work."""
        ...

    def under(self, lease: "Lease") -> AbstractContextManager[None]:
        """Make every write of this thread in the block under a lease.

        Raises:
            WorkTaken: From a write: the lease was lost; nothing was written.
        """
        ...
