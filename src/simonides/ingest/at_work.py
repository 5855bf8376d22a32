"""Work that one process at a time does in a space: its lease is taken, renewed and given back.

Knows how long a lease is and when a holder is known to be dead. Must not know what the work is, nor
where leases are kept.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from simonides.disk import is_of_dead_process, process_mark
from simonides.errors import StoreError, WorkTaken
from simonides.model.lease import Lease, Work
from simonides.ports.space import Space

LEASE_S = 30.0
"""How long a lease stands that is not renewed: so late the work of a lost machine is taken over."""

RENEW_S = 8.0
"""How often a lease is renewed: three may fail, each for want of a free writer."""

_BOOT, _NUMBERED_IN = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
"""Where Linux tells one boot from all others, and one space of process numbers (proc(5))."""

LOOK_S = 0.2
"""Between two looks at a lease that is waited for."""


@contextmanager
def at_work(space: Space, work: Work, *, for_s: float = LEASE_S) -> Iterator[Lease | None]:
    """Hold the lease of a work for the length of a `with` block; yield None if another holds it.

    Everything that this thread writes to the space in the block is refused once another process has
    taken the work over: it does so where this one is dead or cut off from the database.
    """
    lease = _take(space, work, for_s=for_s)
    if lease is None:
        yield None
        return
    is_over = threading.Event()
    renewing = threading.Thread(
        target=keep_renewed, args=(space, lease, is_over.wait), name="simonides-lease", daemon=True
    )
    renewing.start()
    try:
        with space.under(lease):
            yield lease
    finally:
        is_over.set()
        renewing.join()
        with suppress(StoreError):  # it runs out by itself
            space.release_lease(lease)


@contextmanager
def in_turn(
    space: Space,
    work: Work,
    *,
    wait_s: float,
    pause: Callable[[float], object] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[Lease]:
    """Hold the lease of a work for the length of a `with` block; wait for that of another first.

    Raises:
        WorkTaken: Another process is at it for longer than `wait_s`; says which.
    """
    until = monotonic() + wait_s
    while True:
        with at_work(space, work) as lease:
            if lease is not None:
                yield lease
                return
        if monotonic() >= until:
            raise busy(space, work)
        pause(LOOK_S)


def busy(space: Space, work: Work) -> WorkTaken:
    """Return the error that says who is at a work."""
    found = next((one for one in space.leases() if one.work == work), None)
    who = "another process" if found is None else str(found)
    return WorkTaken(f"space {space.name!r} is at work ({who}); try again when that is done")


def keep_renewed(
    space: Space,
    lease: Lease,
    is_over: Callable[[float], bool],
    *,
    for_s: float = LEASE_S,
    every_s: float = RENEW_S,
) -> None:
    """Renew a lease until it is lost, or `is_over`, which waits as long as asked, says so."""
    while not is_over(every_s):
        with suppress(StoreError):
            if not space.renew_lease(lease, for_s=for_s):
                return


def _take(space: Space, work: Work, *, for_s: float) -> Lease | None:
    """Return the lease; that of a dead process of this machine is not waited for."""
    holder = f"{machine()} {process_mark()}"
    taken = space.take_lease(work, holder=holder, for_s=for_s)
    if taken is not None:
        return taken
    for one in space.leases():
        if one.work == work and is_dead(one):
            return space.take_lease(work, holder=holder, for_s=for_s, instead_of=one.token)
    return None


def is_dead(lease: Lease) -> bool:
    """Return whether a lease is held by a process of this machine that has ended."""
    where, _, process = lease.holder.partition(" ")
    return where == machine() and is_of_dead_process(process)


def machine() -> str:
    """Return the name of this machine and, on Linux, its PID namespace.

    That is its boot and the container: another container of one name has other processes.
    """
    with suppress(OSError):
        boot = _BOOT.read_text("ascii")[:8]
        return f"{socket.gethostname()}/{boot}.{_NUMBERED_IN.stat().st_ino}"
    return socket.gethostname()
