"""The warm spaces of one process: a cache with a byte limit, least recently used first out."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from simonides.index.facets import forget_names
from simonides.index.snapshot import RENEWAL, Renewal, SnapshotFile
from simonides.index.space_index import SpaceIndex
from simonides.ports.space import Space
from simonides.text.analyse import clear_caches

Key = tuple[str, str]


class IndexCache:
    """One `SpaceIndex` per open space. An evicted view still serves its present readers."""

    def __init__(
        self,
        *,
        bytes_max: int,
        snapshot_path: Callable[[str], str],
        approximate_above: int = 0,
        renewal: Renewal = RENEWAL,
        on_new_epoch: Callable[[Space], None] = lambda _: None,
        maps: bool = False,
    ) -> None:
        self._maps = maps
        self._bytes_max = bytes_max
        self._approximate_above = approximate_above
        self._renewal = renewal
        self._on_new_epoch = on_new_epoch
        self._snapshot_path = snapshot_path
        self._lock = threading.Lock()
        self._views: OrderedDict[Key, SpaceIndex] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        self._held = 0

    def of(self, space: Space) -> SpaceIndex:
        """Return the index of a space, a cold one if there is none; evict the excess."""
        key = _key(space)
        with self._lock:
            if self._views:
                self._measure(next(reversed(self._views)))
            view = self._views.pop(key, None) or self._cold(space)
            self._views[key] = view
            evicted = self._evict()
        for one in evicted:
            one.save()
        return view

    def _cold(self, space: Space) -> SpaceIndex:
        path = self._snapshot_path(space.name)
        file = None
        if path:
            file = SnapshotFile(
                path=Path(path),
                space_uuid=space.uuid,
                epoch_now=lambda: _epoch(space),
                maps=self._maps,
            )
        return SpaceIndex(
            space.embedder.dimension,
            snapshot=file,
            approximate_above=self._approximate_above,
            renewal=self._renewal,
            on_new_epoch=lambda: self._on_new_epoch(space),
        )

    def renew(self, space: Space) -> None:
        """Write the snapshot of a warm space after a write, if a new one is due."""
        with self._lock:
            view = self._views.get(_key(space))
        written_bytes = space.written_bytes
        if view is not None and view.is_due(written_bytes=written_bytes):
            with space.read() as reader:
                view.renew(reader, written_bytes=written_bytes)

    def save(self) -> None:
        """Write the snapshots of all changed views."""
        with self._lock:
            views = list(self._views.values())
        for view in views:
            view.save()

    def drop(self, space: Space) -> None:
        """Drop the view of a space, so that the next question rebuilds it from rows."""
        with self._lock:
            self._take(_key(space))

    @property
    def held(self) -> tuple[int, int]:
        """The number of views, and their bytes: those used last as now, the others as left."""
        with self._lock:
            if self._views:
                self._measure(next(reversed(self._views)))
            return len(self._views), self._held

    @property
    def nbytes(self) -> int:
        """Bytes of all views, about."""
        with self._lock:
            return sum(view.nbytes for view in self._views.values())

    def _measure(self, key: Key) -> None:
        """Measure one view again: the last one used is the one that has grown.

        Adding up all of them at each question would cost a process of ten thousand spaces more
        than the question.
        """
        size = self._views[key].nbytes
        self._held += size - self._sizes.get(key, 0)
        self._sizes[key] = size

    def _take(self, key: Key) -> SpaceIndex | None:
        self._held -= self._sizes.pop(key, 0)
        return self._views.pop(key, None)

    def _evict(self) -> list[SpaceIndex]:
        """Remove views over the limit, least recently used first; the last one always stays.

        The views of the past go before any of the present.
        """
        evicted = []
        if self._held > self._bytes_max:
            for key, view in self._views.items():
                view.drop_pasts()
                self._measure(key)
        while self._held > self._bytes_max and len(self._views) > 1:
            oldest = self._take(next(iter(self._views)))
            if oldest is not None:
                evicted.append(oldest)
        return evicted


def forget_words() -> None:
    """Clear the word caches of this process; only speed is lost."""
    clear_caches()
    forget_names()


def _key(space: Space) -> Key:
    """Return the cache key of a space: a copy has another name, a new one another uuid."""
    return space.name, space.uuid


def _epoch(space: Space) -> int:
    with space.read() as reader:
        return reader.epoch
