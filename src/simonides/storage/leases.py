"""Leases as writes, and the fence that every write made under one passes.

Knows that the token is compared in the transaction of the write, where no other writer of the space
comes between. Must not know how long a lease is, nor who renews it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from simonides.errors import WorkTaken
from simonides.model.lease import Lease, Work
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction
from simonides.storage.writer import Write

_HELD: ContextVar[tuple[tuple[str, Lease], ...]] = ContextVar("held", default=())
"""The leases under which this thread writes, each with the uuid of its space."""


@contextmanager
def under(uuid: str, lease: Lease) -> Iterator[None]:
    """Make every write of this thread to a space in the block under a lease."""
    before = _HELD.set((*_HELD.get(), (uuid, lease)))
    try:
        yield
    finally:
        _HELD.reset(before)


def held(uuid: str) -> tuple[Lease, ...]:
    """Return the leases under which this thread writes to a space."""
    return tuple(lease for whose, lease in _HELD.get() if whose == uuid)


def check_leases(tx: Transaction, leases: Sequence[Lease]) -> None:
    """Raise `WorkTaken` unless all of these leases are the last ones given.

    In a transaction of a writer, which others follow.
    """
    for one in leases:
        if tx.value("lease_holder", {"work": str(one.work), "token": one.token}) is None:
            raise WorkTaken(
                f"another process has taken over the work {str(one.work)!r} in this space; "
                "nothing was written, and what was written before is kept; try again later"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """A write that is made under leases."""

    write: Write
    leases: tuple[Lease, ...]

    @property
    def commit(self) -> Any:
        """The write that says its time."""
        return getattr(self.write, "commit", self.write)

    def __call__(self, tx: Transaction, meta: SpaceFacts, revision: int) -> tuple[Any, bool]:
        """Check the leases, then write.

        Raises:
            WorkTaken: One was lost.
        """
        check_leases(tx, self.leases)
        return self.write(tx, meta, revision)


def fenced(write: Write, *, uuid: str) -> Write:
    """Return the write under the leases of this thread; itself if there are none."""
    leases = held(uuid)
    return Fenced(write=write, leases=leases) if leases else write


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeLease:
    """Takes a lease that is free, ran out, or is that of a holder known to be dead."""

    work: Work
    holder: str
    for_s: float
    instead_of: int

    def __call__(
        self, tx: Transaction, _meta: SpaceFacts, _revision: int
    ) -> tuple[Lease | None, bool]:
        """Return the lease, or None if that of another stands."""
        rows = tx.all(
            "take_lease",
            {
                "work": self.work.value,
                "holder": self.holder,
                "for_s": float(self.for_s),
                "instead_of": self.instead_of,
            },
        )
        if not rows:
            return None, False
        token = int(rows[0][0])
        return Lease(work=self.work, token=token, holder=self.holder, left_s=self.for_s), False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLease:
    """Renews a lease (`renew_lease`) or gives it back (`release_lease`)."""

    statement: str
    lease: Lease
    for_s: float = 0.0

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[bool, bool]:
        """Return whether it was still held."""
        values = {"work": str(self.lease.work), "token": self.lease.token}
        if self.statement == "renew_lease":
            values["for_s"] = float(self.for_s)  # type: ignore[assignment]
        return tx.run(self.statement, values) > 0, False


def standing(tx: Transaction) -> list[Lease]:
    """Return the leases that stand, by work."""
    return [
        Lease(work=work, token=token, holder=holder, left_s=float(left_s))
        for work, token, holder, left_s in tx.all("leases")
    ]
