"""The open connections of one store, lent out one user at a time.

Knows how many are open, which are idle, since when each is lent, and which space was used longest
ago. Must not know what is done with them. At most `connections_max` stay open: past that the idle
connections of the space used longest ago are closed; those in use never are. A reader that finds no
idle connection opens one, so no reader waits for another. A reader's lease may be ended from
another thread: then its connection is closed, and with it the state of the file that it held in
view.

SQLite must not be carried over a fork: the child would believe in locks that only its parent
holds. So idle connections are closed before a fork, and the child refuses those in use during it.
"""

import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from simonides.errors import StoreBusy, StoreError
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import Handle, connect

READERS_IDLE_MAX = 4
"""Idle reading connections kept for one space; more are opened when needed, and closed after."""


LEASE_S = 3.0
"""How long a reader may hold up an erasure, in seconds; then it is ended. Two waves of readers end
within the store's usual time-out of 10 s: those there are, and those that come meanwhile."""

ENDED = "was read for longer than an erasure waits; it was erased from meanwhile, read it again"


@dataclass(slots=True, eq=False)
class PooledConnection:
    """A connection lent out; `handle` raises once the process was forked, or its lease was ended.

    `since_s` is when it was lent (monotonic).
    """

    writes: bool = False
    since_s: float = field(default_factory=time.monotonic)
    is_ended: bool = False
    _handle: Handle | None = None

    @property
    def handle(self) -> Handle:
        """The connection."""
        if self.is_ended:
            raise StoreBusy(f"the space {ENDED}")
        if self._handle is None:
            raise StoreError("this process was forked while the space was in use; read it again")
        return self._handle

    def current(self) -> list[Handle]:
        """Return the connection, unless it was lost in a fork."""
        return [] if self._handle is None else [self._handle]

    def end(self) -> list[Handle]:
        """Revoke the connection of a user."""
        taken = self.empty()
        self.is_ended = self.is_ended or bool(taken)
        return taken

    def fill(self, handle: Handle | None) -> None:
        """Hand the connection to its user."""
        self._handle = handle

    def empty(self) -> list[Handle]:
        """Revoke the connection of its user, if there is one."""
        taken = self.current()
        self._handle = None
        return taken


@dataclass(slots=True, eq=False)
class _IdleConnections:
    """The connections of one file; `closing`: leased ones are closed when they are returned."""

    readers: list[Handle] = field(default_factory=list)
    writers: list[Handle] = field(default_factory=list)
    loans: set[PooledConnection] = field(default_factory=set)
    closing: bool = False

    def idle(self, *, writes: bool) -> list[Handle]:
        return self.writers if writes else self.readers

    def empty(self) -> list[Handle]:
        """Remove idle connections, in the best order to close them: writers last."""
        taken = [*self.readers, *self.writers]
        self.readers.clear()
        self.writers.clear()
        return taken


class Pool:
    """Lends connections to the files of one store."""

    def __init__(self, *, tuning: Tuning, connections_max: int) -> None:
        self.tuning = tuning
        self._max = connections_max
        self._lock = threading.Lock()
        self._shelves: OrderedDict[Path, _IdleConnections] = OrderedDict()
        self._leaving: list[Handle] = []
        self._ending: list[Handle] = []
        self._lost: set[Path] = set()
        self._open = 0
        _POOLS.add(self)

    @property
    def connections(self) -> int:
        """How many connections are open, idle or in use."""
        return self._open

    @property
    def idle(self) -> int:
        """How many connections are open and not in use."""
        with self._lock:
            shelves = self._shelves.values()
            return sum(len(one.readers) + len(one.writers) for one in shelves)

    @contextmanager
    def lend(self, file: Path, *, writes: bool, create: bool = False) -> Iterator[PooledConnection]:
        """Lend a connection to `file` for the length of a `with` block.

        Raises:
            NotFound: There is no file and `create` is false.
            StoreError: It cannot be opened.
        """
        loan = PooledConnection(writes=writes)
        try:
            self._fill(loan, file, writes=writes, create=create)
            yield loan
        finally:
            self._give_back(loan, file, writes=writes)

    def _fill(self, loan: PooledConnection, file: Path, *, writes: bool, create: bool) -> None:
        handle = self._take(loan, file, writes=writes)
        while handle is not None and handle.is_stale():
            self._retire([handle])
            handle = self._take(loan, file, writes=writes)
        if handle is None:
            handle = self._connect(file, writes=writes, create=create)
        loan.fill(handle)

    def _take(self, loan: PooledConnection, file: Path, *, writes: bool) -> Handle | None:
        with self._lock:
            if file in self._lost:
                raise StoreError(_LOST.format(file))
            shelf = self._shelves.setdefault(file, _IdleConnections())
            self._shelves.move_to_end(file)
            shelf.loans.add(loan)
            shelf.closing = False
            idle = shelf.idle(writes=writes)
            return idle.pop() if idle else None

    def _connect(self, file: Path, *, writes: bool, create: bool) -> Handle:
        with self._lock:
            self._open += 1
            surplus = self._surplus()
        self._close(surplus)
        try:
            return connect(file, tuning=self.tuning, writes=writes, create=create)
        except BaseException:
            with self._lock:
                self._open -= 1
            raise

    def _surplus(self) -> list[Handle]:
        """Take out the idle connections used longest ago until the number fits. Lock held."""
        taken: list[Handle] = []
        for file, shelf in list(self._shelves.items()):
            if self._open - len(taken) <= self._max:
                break
            if not shelf.loans:
                taken += self._shelves.pop(file).empty()
        return self._let_go(taken)

    def _let_go(self, handles: list[Handle]) -> list[Handle]:
        """Count connections as closed that are about to be. Lock held."""
        self._open -= len(handles)
        self._leaving += handles
        return handles

    def _give_back(self, loan: PooledConnection, file: Path, *, writes: bool) -> None:
        with self._lock:
            shelf = self._shelves.get(file)
            if shelf is None or loan not in shelf.loans:
                return  # never lent, or lost in a fork
            shelf.loans.remove(loan)
            idle = shelf.idle(writes=writes)
            returned = loan.empty()
            if not shelf.closing and len(idle) < READERS_IDLE_MAX:
                idle += returned
                returned = []
            self._let_go(returned)
            if not (shelf.readers or shelf.writers or shelf.loans):
                del self._shelves[file]
        self._close(returned)

    def _retire(self, handles: list[Handle]) -> None:
        with self._lock:
            self._let_go(handles)
        self._close(handles)

    def _close(self, handles: list[Handle]) -> None:
        for handle in handles:
            _fold_in(handle)
            handle.close()
            with self._lock:
                self._leaving.remove(handle)

    def end_readers(self, file: Path, *, held_s: float) -> int:
        """End the readers of `file` that have held it for so many seconds; return how many.

        Their next look at it raises `StoreBusy`.
        """
        with self._lock:
            shelf = self._shelves.get(file, _IdleConnections())
            until_s = time.monotonic() - held_s
            old = [one for one in shelf.loans if not one.writes and one.since_s <= until_s]
            for loan in old:
                taken = loan.end()
                self._open -= len(taken)
                self._ending += taken
            ending, self._ending = self._ending, []
        running = [handle for handle in ending if not _has_ended(handle)]
        with self._lock:
            self._ending += running
        return len(ending) - len(running)

    def has_readers(self, file: Path, *, held_s: float) -> bool:
        """Return whether any reader has held `file` for so many seconds."""
        with self._lock:
            shelf = self._shelves.get(file, _IdleConnections())
            until_s = time.monotonic() - held_s
            loans = any(not one.writes and one.since_s <= until_s for one in shelf.loans)
            return loans or bool(self._ending)

    def close(self, file: Path) -> None:
        """Close the idle connections to `file` now and those in use when they come back."""
        with self._lock:
            shelf = self._shelves.get(file, _IdleConnections())
            shelf.closing = True
            taken = self._let_go(shelf.empty())
            if not shelf.loans:
                self._shelves.pop(file, None)
        self._close(taken)

    def close_all(self) -> None:
        """Close every file, those too that a space was not opened from in the end."""
        with self._lock:
            files = list(self._shelves)
        for file in files:
            self.close(file)

    def before_fork(self) -> None:
        """Close idle connections and block until the fork is over."""
        self._lock.acquire()
        for shelf in self._shelves.values():
            for handle in shelf.empty():
                self._open -= 1
                handle.close()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Keep connections in use during the fork open but unreachable, and refuse their files."""
        self._lock = threading.Lock()
        _INHERITED.extend((*self._leaving, *self._ending))
        self._lost.update(handle.file for handle in self._leaving)
        for file, shelf in self._shelves.items():
            _INHERITED.extend(handle for loan in shelf.loans for handle in loan.empty())
            if shelf.loans:
                self._lost.add(file)
        self._shelves.clear()
        self._leaving, self._ending = [], []
        self._open = 0


_LOST = "{} was in use when this process was forked; start it by spawn, or fork before reading"
_INHERITED: list[Handle] = []
"""Connections of a parent process: closing them here would harm the parent's file."""

_POOLS: weakref.WeakSet[Pool] = weakref.WeakSet()
_HELD: list[Pool] = []
"""The pools that hold still during a fork."""


def _has_ended(handle: Handle) -> bool:
    """Close the connection of a reader in another thread; return whether that was possible.

    A statement that runs just now is interrupted, and keeps it open for a moment yet.
    """
    handle.sqlite.interrupt()
    try:
        handle.sqlite.close(True)  # noqa: FBT003  apsw's own signature: even with open cursors
    except apsw.ThreadingViolationError:
        return False
    return True


def _fold_in(handle: Handle) -> None:
    """Fold the log of a connection that wrote into the file, unless others still need it."""
    if handle.log_pages and not handle.is_stale():
        handle.patience.timeout_s = 0.0
        with suppress(apsw.Error):  # what is committed stays safe in the log
            handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _before_fork() -> None:
    _HELD.extend(_POOLS)
    for pool in _HELD:
        pool.before_fork()


def _after_fork_in_parent() -> None:
    for pool in _HELD:
        pool.after_fork_in_parent()
    _HELD.clear()


def _after_fork_in_child() -> None:
    for pool in _HELD:
        pool.after_fork_in_child()
    _HELD.clear()


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
