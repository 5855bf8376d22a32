"""Leases as writes, and the fence that every write made under one passes.

Knows that the token is compared in the transaction of the write, where no other writer of the space
comes between. Must not know how long a lease is, nor who renews it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from simonides.errors import WorkTaken
from simonides.model.lease import Lease, Work
from simonides.storage.requests import noting
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


def list_held(uuid: str) -> tuple[Lease, ...]:
    """Return the leases under which this thread writes to a space."""
    return tuple(lease for whose, lease in _HELD.get() if whose == uuid)


def check_leases(tx: Transaction, leases: Sequence[Lease]) -> None:
    """Raise `WorkTaken` unless all of these leases are the last ones given, and are still held.

    In a transaction of a writer, which others follow.
    """
    for one in leases:
        if not _Row.of(tx, one.work).is_of(one):
            raise WorkTaken(
                f"another process has taken over the work {str(one.work)!r} in this space; "
                "nothing was written, and what was written before is kept; try again later"
            )


class _Row(NamedTuple):
    """The last lease of a work: nobody holds it who has no name."""

    token: int
    holder: str
    expires_us: int

    @classmethod
    def of(cls, tx: Transaction, work: str) -> "_Row":
        """Return the last lease of a work."""
        found = tx.one("lease", {"work": str(work)})
        return cls(0, "", 0) if found is None else cls(*found)

    def is_of(self, lease: Lease) -> bool:
        """Return whether this is a lease that was given, and not given back."""
        return self.token == lease.token and bool(self.holder)

    def put(self, tx: Transaction, work: str) -> None:
        """Make this the last lease of a work."""
        tx.run("put_lease", {"work": str(work), **self._asdict()})


def _after(tx: Transaction, seconds: float) -> int:
    """Return the time after so many seconds, by the clock of the database."""
    return int(tx.value("clock_us")) + round(seconds * 1e6)


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


def fence(write: Write, *, uuid: str) -> Write:
    """Return the write under the leases of this thread, and for the request that it does."""
    leases = list_held(uuid)
    return noting(Fenced(write=write, leases=leases) if leases else write)


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
        last = _Row.of(tx, self.work)
        stands = bool(last.holder) and last.expires_us > _after(tx, 0)
        if stands and last.token != self.instead_of:
            return None, False
        mine = _Row(last.token + 1, self.holder, _after(tx, self.for_s))
        mine.put(tx, self.work)
        return Lease(work=self.work, token=mine.token, holder=self.holder, left_s=self.for_s), False


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewLease:
    """Lets a lease stand from now on; the result is whether it was still held."""

    lease: Lease
    for_s: float

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[bool, bool]:
        """Set the time at which it runs out."""
        last = _Row.of(tx, self.lease.work)
        if last.is_of(self.lease):
            last._replace(expires_us=_after(tx, self.for_s)).put(tx, self.lease.work)
        return last.is_of(self.lease), False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseLease:
    """Gives a lease back; the result is whether it was still held."""

    lease: Lease

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[bool, bool]:
        """Take the holder's name away; the token stays."""
        last = _Row.of(tx, self.lease.work)
        if last.is_of(self.lease):
            last._replace(holder="").put(tx, self.lease.work)
        return last.is_of(self.lease), False


def standing(tx: Transaction) -> list[Lease]:
    """Return the leases that stand, by work."""
    now_us = _after(tx, 0)
    return [
        Lease(work=work, token=token, holder=holder, left_s=(expires_us - now_us) / 1e6)
        for work, token, holder, expires_us in tx.all("leases")
        if expires_us > now_us
    ]
