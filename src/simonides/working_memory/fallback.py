"""Shared state that goes on within the process while what is shared does not answer.

What was put, deleted and cleared meanwhile is sent once it answers again. What is claimed
(`put_new`) meanwhile is claimed of this process alone: what must be done once is noted in the
store. Knows no server: `Remote` is one.
"""

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from simonides.ports.shared_state import Buckets, Refill, Sharing
from simonides.working_memory.in_process import InProcessWorkingMemory, as_json
from simonides.working_memory.synced_buckets import SyncedBuckets

LOG = logging.getLogger("simonides.http")

TICK_S = 0.25
"""Between two times that what was drawn from buckets is sent."""

LOOK_TICKS = 4
"""So many of these lie between two looks whether what is shared answers: a second."""

JOURNAL_MAX = 20_000
"""Changes that may wait to be sent; past that the oldest are lost."""

Result = TypeVar("Result")
_Place = tuple[str, str]
_Change = tuple[str, float] | None
"""The text that was put and when it ends; None where the value was deleted."""


class Unreachable(Exception):
    """What is shared does not answer; whether it did what it was asked is not known."""


class Remote(Protocol):
    """What is shared, as texts. All raise `Unreachable`, also where only a connection was lost."""

    def get(self, space: str, key: str) -> str | None:
        """Return the text of a key."""
        ...

    def put(self, space: str, key: str, text: str, *, ttl_s: float) -> None:
        """Store a text."""
        ...

    def put_new(self, space: str, key: str, text: str, *, ttl_s: float) -> bool:
        """Store a text if there is none; return whether it was stored."""
        ...

    def delete(self, space: str, key: str) -> bool:
        """Delete a text; return whether there was one."""
        ...

    def clear(self, space: str) -> int:
        """Delete everything of a space."""
        ...

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of a space, sorted."""
        ...

    def spend(self, name: str, amount: float, refill: Refill) -> float:
        """Draw an amount from a bucket and return what is left there, also less than nothing."""
        ...

    def ping(self) -> None:
        """Return if it answers."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...


class FallbackState:
    """The shared state behind a `Remote`. Thread-safe.

    Its buckets go on by themselves; with each tick what was drawn from them is sent. With
    `watches=False` no thread is started: who made it calls `look`.
    """

    def __init__(
        self,
        remote: Remote,
        *,
        watches: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._remote = remote
        self._buckets = SyncedBuckets(remote.spend)
        self._watches = watches
        self._clock = clock
        self._own = InProcessWorkingMemory(clock)
        self._journal: OrderedDict[_Place, _Change] = OrderedDict()
        self._cleared: set[str] = set()
        self._lock = threading.RLock()
        self._looking = threading.Lock()
        self._is_lost = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def sharing(self) -> Sharing:
        """How far it reaches at the moment."""
        return Sharing.LOST if self._is_lost else Sharing.SHARED

    @property
    def buckets(self) -> Buckets:
        """The buckets."""
        self._begin_watch()
        return self._buckets

    def get(self, space: str, key: str) -> Any | None:
        """Return the value of a key; None if there is none, or it has expired."""
        try:
            text = self._ask(lambda remote: remote.get(space, key))
        except Unreachable:
            return self._own.get(space, key)
        return None if text is None else json.loads(text)

    def put(self, space: str, key: str, value: Any, *, ttl_s: float) -> None:
        """Store a JSON-able value for `ttl_s` seconds, replacing any other."""
        text = as_json(value, ttl_s=ttl_s)
        try:
            self._ask(lambda remote: remote.put(space, key, text, ttl_s=ttl_s))
        except Unreachable:
            self._own.put(space, key, value, ttl_s=ttl_s)
            self._note((space, key), (text, self._clock() + ttl_s))

    def put_new(self, space: str, key: str, value: Any, *, ttl_s: float) -> bool:
        """Store a value only if there is none; return whether it was stored (one of many wins)."""
        text = as_json(value, ttl_s=ttl_s)
        try:
            return self._ask(lambda remote: remote.put_new(space, key, text, ttl_s=ttl_s))
        except Unreachable:
            is_mine = self._own.put_new(space, key, value, ttl_s=ttl_s)
            if is_mine:
                self._note((space, key), (text, self._clock() + ttl_s))
            return is_mine

    def delete(self, space: str, key: str) -> bool:
        """Delete the value of a key; return whether there was one."""
        try:
            return self._ask(lambda remote: remote.delete(space, key))
        except Unreachable:
            self._note((space, key), None)
            return self._own.delete(space, key)

    def clear(self, space: str) -> int:
        """Delete everything of an erased space; return the number of values."""
        try:
            return self._ask(lambda remote: remote.clear(space))
        except Unreachable:
            with self._lock:
                self._is_lost = True
                self._cleared.add(space)
                for place in [one for one in self._journal if one[0] == space]:
                    del self._journal[place]
            return self._own.clear(space)

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of all values of a space, sorted."""
        try:
            return self._ask(lambda remote: remote.names(space))
        except Unreachable:
            return self._own.names(space)

    def close(self) -> None:
        """End the watch, tell what waits once more if that is possible, close connections."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._is_lost:
            self.look()
        self._remote.close()

    def look(self) -> None:
        """Ask whether what is shared answers; if it was away, tell it what it missed.

        Two of these at once wait for each other.
        """
        with self._looking:
            try:
                self._remote.ping()
                if self._is_lost:
                    self._tell_changes()
            except Unreachable:
                self._lose()

    def _ask(self, ask: Callable[[Remote], Result]) -> Result:
        """Return an answer of what is shared; raise `Unreachable` at once while it is lost."""
        self._begin_watch()
        if self._is_lost:
            raise Unreachable
        try:
            return ask(self._remote)
        except Unreachable:
            self._lose()
            raise

    def _lose(self) -> None:
        with self._lock:
            was_lost, self._is_lost = self._is_lost, True
        if not was_lost:
            LOG.warning(
                "what the processes of the server share does not answer: each goes on by itself "
                "until it does"
            )

    def _note(self, place: _Place, change: _Change) -> None:
        """Remember a change that could not be sent; the next look sends it, also if just missed."""
        with self._lock:
            self._is_lost = True
            self._journal.pop(place, None)
            self._journal[place] = change
            if len(self._journal) > JOURNAL_MAX:
                self._journal.popitem(last=False)

    def _tell_changes(self) -> None:
        """Send what was changed meanwhile, with what changes while it is sent."""
        while True:
            with self._lock:
                cleared, self._cleared = self._cleared, set()
                journal, self._journal = self._journal, OrderedDict()
                if not (cleared or journal):
                    self._is_lost = False
                    self._own = InProcessWorkingMemory(self._clock)
                    break
            try:
                self._tell(cleared, journal)
            except Unreachable:
                with self._lock:
                    self._cleared |= cleared
                    self._journal = OrderedDict({**journal, **self._journal})
                raise
        LOG.warning("what the processes of the server share answers again")

    def _tell(self, cleared: set[str], journal: OrderedDict[_Place, _Change]) -> None:
        for space in sorted(cleared):
            self._remote.clear(space)
        for (space, key), change in journal.items():
            left_s = change[1] - self._clock() if change else 0.0
            if change and left_s > 0.0:
                self._remote.put(space, key, change[0], ttl_s=left_s)
            else:
                self._remote.delete(space, key)

    def _sync_buckets(self) -> None:
        try:
            self._buckets.sync()
        except Unreachable:
            self._lose()

    def _begin_watch(self) -> None:
        if self._thread is None and self._watches:
            with self._lock:
                if self._thread is None and not self._ended.is_set():
                    self._thread = threading.Thread(
                        target=self._watch, name="simonides-shared-state", daemon=True
                    )
                    self._thread.start()

    def _watch(self) -> None:
        ticks = 0
        while True:
            if ticks % LOOK_TICKS == 0:
                self.look()
            if not self._is_lost:
                self._sync_buckets()
            ticks += 1
            if self._ended.wait(TICK_S):
                return
