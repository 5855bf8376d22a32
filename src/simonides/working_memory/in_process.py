"""Working memory of one process: short-lived values, never on disk.

Knows expiry and a bound. Must not know what is kept, nor for whom.
"""

import heapq
import json
import math
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

from simonides.errors import InvalidInput
from simonides.ports.shared_state import Buckets, Sharing
from simonides.working_memory.buckets import InProcessBuckets

ENTRIES_MAX = 20_000
"""Values that are kept unless set otherwise: a thousand sessions at work, at most ten each, and
as much again for requests that are not to be done twice."""

_SLACK = 64
"""Outdated places that the queue of expiry may hold besides one for each value."""

_Place = tuple[str, str]


class _Entry(NamedTuple):
    """A value as JSON, its expiry time, and the number of its put."""

    ends_s: float
    number: int
    text: str


class InProcessWorkingMemory:
    """A store of short-lived values of many spaces, in memory. Thread-safe.

    Values are copied through JSON on the way in and out: a tuple comes back as a list. `clock`
    tells seconds that never go back; the system's monotonic one unless given. Of more than
    `entries_max` values those go first that would end first, of equals the older ones.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, entries_max: int = ENTRIES_MAX
    ) -> None:
        if entries_max < 1:
            raise InvalidInput("entries_max", f"must be 1 or more, got {entries_max}")
        self._clock = clock
        self._entries_max = entries_max
        self._lock = threading.Lock()
        self._numbers = count()
        self._entries: dict[_Place, _Entry] = {}
        self._queue: list[tuple[float, int, _Place]] = []
        self._buckets = InProcessBuckets()

    @property
    def sharing(self) -> Sharing:
        """How far it reaches: this process alone."""
        return Sharing.OWN

    @property
    def buckets(self) -> Buckets:
        """The buckets of this process."""
        return self._buckets

    def __len__(self) -> int:
        """Return the number of values."""
        with self._lock:
            self._expire()
            return len(self._entries)

    def get(self, space: str, key: str) -> Any | None:
        """Return the value of a key; None if there is none, or it has expired."""
        with self._lock:
            self._expire()
            entry = self._entries.get((space, key))
        return None if entry is None else json.loads(entry.text)

    def put(self, space: str, key: str, value: Any, *, ttl_s: float) -> None:
        """Store a JSON-able value for `ttl_s` seconds, replacing any other.

        Raises:
            InvalidInput: The value has no JSON, or `ttl_s` is not a finite number above 0.
        """
        text = as_json(value, ttl_s=ttl_s)
        with self._lock:
            self._keep((space, key), text, ttl_s)

    def put_new(self, space: str, key: str, value: Any, *, ttl_s: float) -> bool:
        """Store a value only if there is none; return whether it was stored (one of many wins).

        Raises:
            InvalidInput: The value has no JSON, or `ttl_s` is not a finite number above 0.
        """
        text = as_json(value, ttl_s=ttl_s)
        with self._lock:
            self._expire()
            if (space, key) in self._entries:
                return False
            self._keep((space, key), text, ttl_s)
            return True

    def delete(self, space: str, key: str) -> bool:
        """Delete the value of a key; return whether there was one."""
        with self._lock:
            self._expire()
            return self._entries.pop((space, key), None) is not None

    def clear(self, space: str) -> int:
        """Delete everything of an erased space; return the number of values."""
        with self._lock:
            self._expire()
            gone = [place for place in self._entries if place[0] == space]
            for place in gone:
                del self._entries[place]
            return len(gone)

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of all values of a space, sorted."""
        with self._lock:
            self._expire()
            return tuple(sorted(key for of, key in self._entries if of == space))

    def spaces(self) -> tuple[str, ...]:
        """Return the spaces that have values, sorted."""
        with self._lock:
            self._expire()
            return tuple(sorted({of for of, _ in self._entries}))

    def remaining(self, space: str, key: str) -> tuple[Any, float] | None:
        """Return a value and the seconds until it ends; None if there is none."""
        with self._lock:
            self._expire()
            entry = self._entries.get((space, key))
        return None if entry is None else (json.loads(entry.text), entry.ends_s - self._clock())

    def close(self) -> None:
        """Do nothing: there are no connections."""

    def _keep(self, place: _Place, text: str, ttl_s: float) -> None:
        self._expire()
        if place not in self._entries:
            while len(self._entries) >= self._entries_max:
                self._drop_first()
        entry = _Entry(self._clock() + ttl_s, next(self._numbers), text)
        self._entries[place] = entry
        heapq.heappush(self._queue, (entry.ends_s, entry.number, place))
        if len(self._queue) > 2 * len(self._entries) + _SLACK:
            self._queue = [(one.ends_s, one.number, at) for at, one in self._entries.items()]
            heapq.heapify(self._queue)

    def _expire(self) -> None:
        """Delete the expired values."""
        now = self._clock()
        while self._queue and self._queue[0][0] <= now:
            self._drop_first()

    def _drop_first(self) -> None:
        """Delete the value that expires first, or a queue entry without a value."""
        _, number, place = heapq.heappop(self._queue)
        entry = self._entries.get(place)
        if entry is not None and entry.number == number:
            del self._entries[place]


def as_json(value: Any, *, ttl_s: float) -> str:
    """Return a value as JSON.

    Raises:
        InvalidInput: The value has no JSON, or `ttl_s` is not a finite number above 0.
    """
    is_number = isinstance(ttl_s, int | float) and not isinstance(ttl_s, bool)
    if not (is_number and math.isfinite(ttl_s) and ttl_s > 0):
        raise InvalidInput("ttl_s", f"must be a finite number above 0, got {ttl_s!r}")
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("value", f"cannot be kept as JSON: {error}") from error
