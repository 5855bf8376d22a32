"""The index of one space: loaded at the first question, kept current by revision."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simonides.index.build import empty_view, extend
from simonides.index.index_view import IndexView, measure_bytes
from simonides.index.partial_view import Outline
from simonides.index.snapshot import RENEWAL, Renewal, SnapshotFile
from simonides.model.stored import Background
from simonides.model.times import microseconds
from simonides.ports.space import Reader

PAST_VIEWS_MAX = 4
"""Past revisions held at once; who compares two states with the present needs two."""


class PastIndexes:
    """The recently used views of one space's past revisions. Thread-safe.

    A view of the past is like that of the present: the same rows, statistics and order. So the
    answer is that of then, to the bit; only the approximate index is never built for it.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[int, int], IndexView] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return sum(measure_bytes(view) for view in list(self._views.values()))

    def of(self, reader: Reader) -> IndexView:
        """Return the view of the reader's revision; `reader` must read the past."""
        key = (reader.epoch, reader.revision)
        with self._lock:
            self._forget_what_is_gone(reader)
            view = self._views.pop(key, None) or extend(empty_view(self._dimension), reader)
            self._views[key] = view
            while len(self._views) > PAST_VIEWS_MAX:
                self._views.popitem(last=False)
            return view

    def drop(self) -> None:
        """Drop all of them."""
        with self._lock:
            self._views.clear()

    def _forget_what_is_gone(self, reader: Reader) -> None:
        """Drop views older than the last erasure or compaction."""
        for epoch, revision in list(self._views):
            if epoch != reader.epoch or revision < reader.floor:
                del self._views[epoch, revision]


class LatestBackgrounds:
    """The latest background of each collection at one revision, read when first asked for.

    Most questions come at the revision of the one before: a server is not asked again. Only of the
    present, as one that is deleted goes from the past, too.
    """

    def __init__(self) -> None:
        self._kept: tuple[tuple[int, int], dict[str, Background | None]] = ((-1, -1), {})

    def of(self, reader: Reader, collection: str) -> Background | None:
        """Return that of a collection; `reader` must read the present."""
        now = (reader.epoch, reader.revision)
        at, known = self._kept
        if at != now or len(known) >= BACKGROUNDS_MAX:
            known = {}
        if collection not in known:
            known[collection] = reader.background(collection)
            self._kept = now, known
        return known[collection]


BACKGROUNDS_MAX = 64
"""Collections whose background is known at once; few spaces have more."""

DEAD_SHARE_MAX = 0.3
"""Share of dead chunks at which a view is built anew, to give their memory back."""


class SpaceIndex:
    """A builder of the view of a reader's revision, from the previous one.

    Thread-safe: one thread at a time appends, others go on with the views they hold.
    `on_new_epoch` is called where another process erased something since the last look; it must
    not ask this view anything.
    """

    def __init__(
        self,
        dimension: int,
        *,
        snapshot: SnapshotFile | None = None,
        approximate_above: int = 0,
        renewal: Renewal = RENEWAL,
        on_new_epoch: Callable[[], None] = lambda: None,
    ) -> None:
        self._dimension = dimension
        self._snapshot = snapshot
        self._approximate_above = approximate_above
        self._renewal = renewal
        self._on_new_epoch = on_new_epoch
        self._saved_revision = 0
        self._saved_bytes = 0
        self._writes = 0
        self._lock = threading.Lock()
        self._view: IndexView | None = None
        self._epoch = -1
        self._pasts = PastIndexes(dimension)
        self._backgrounds = LatestBackgrounds()
        self.outline = Outline()

    @property
    def is_cold(self) -> bool:
        """Whether nothing was loaded yet."""
        return self._view is None

    @property
    def dimension(self) -> int:
        """The number of values of a vector; 0 for a space without vectors."""
        return self._dimension

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        view = self._view
        return self._pasts.nbytes + (0 if view is None else measure_bytes(view))

    def at(self, reader: Reader) -> IndexView | None:
        """Return the view at the reader's revision, or None if the view is already past it.

        None happens only while others write: open a new reader and ask again.
        """
        view = self._view
        if view is not None and view.revision == reader.revision and self._epoch == reader.epoch:
            return view
        with self._lock:
            return self._catch_up(reader)

    def background(self, reader: Reader, collection: str) -> Background | None:
        """Return the latest background of a collection, by a reader of the present."""
        return self._backgrounds.of(reader, collection)

    def past(self, reader: Reader) -> IndexView:
        """Return the view of an earlier revision, by a reader of the past."""
        return self._pasts.of(reader)

    def drop_pasts(self) -> None:
        """Drop the views of earlier revisions."""
        self._pasts.drop()

    def is_due(self, *, written_bytes: int) -> bool:
        """Return whether a new snapshot is due after a write.

        Only of a warm view. `written_bytes` is what this process has added to the space's log in
        all; other processes' writes count once the view has seen them.
        """
        view, renewal = self._view, self._renewal
        if self._snapshot is None or view is None:
            return False
        self._writes += 1
        writes = max(self._writes, view.revision - self._saved_revision)
        return writes >= renewal.writes or written_bytes - self._saved_bytes >= renewal.log_bytes

    def renew(self, reader: Reader, *, written_bytes: int) -> None:
        """Write a snapshot as of the reader's revision, unless the view is already past it."""
        if self.at(reader) is not None:
            self.save()
            self._saved_bytes = written_bytes
            self._writes = 0

    def on_disk(self, reader: Reader) -> IndexView | None:
        """Return the view of the snapshot on disk, brought up to the reader's revision.

        None where there is none that would be believed.
        """
        if self._snapshot is None:
            return None
        view = self._snapshot.read(
            epoch=reader.epoch, revision=reader.revision, dimension=self._dimension
        )
        if view is None or view.revision < reader.floor or not _is_of_these_rows(view, reader):
            return None
        return extend(view, reader) if view.revision < reader.revision else view

    def is_stale_on_disk(self, reader: Reader) -> bool:
        """Return whether the snapshot on disk is older than an erasure."""
        return self._snapshot is not None and self._snapshot.is_stale(epoch=reader.epoch)

    def save(self) -> None:
        """Write the snapshot if the view has changed since the last one."""
        with self._lock:
            view = self._view
            if self._snapshot is None or view is None or view.revision == self._saved_revision:
                return
            self._snapshot.write(view, epoch=self._epoch)
            self._saved_revision = view.revision

    def _catch_up(self, reader: Reader) -> IndexView | None:
        known = self._view
        if known is not None and (self._epoch, known.revision) > (reader.epoch, reader.revision):
            return None
        if known is not None and self._epoch != reader.epoch:
            self._pasts.drop()
            self._on_new_epoch()
        if known is None or self._epoch != reader.epoch or _is_outdated(known, reader):
            known = self._fresh(reader)
        if known.revision != reader.revision or known.revision == 0:
            known = self._extend(known, reader)
        self._view, self._epoch = known, reader.epoch
        return known

    def _fresh(self, reader: Reader) -> IndexView:
        """Return a view that shares nothing with an earlier one."""
        view = self._from_snapshot(reader) or empty_view(self._dimension)
        if not (self._approximate_above and self._dimension):
            return view
        from simonides.index.approximate import ApproximateChunks

        return replace(view, near=ApproximateChunks(view.vectors, above=self._approximate_above))

    def _extend(self, known: IndexView, reader: Reader) -> IndexView:
        """Return the next view; if that fails half-way, the arrays are dropped."""
        try:
            return extend(known, reader)
        except BaseException:
            self._view = None
            raise

    def _from_snapshot(self, reader: Reader) -> IndexView | None:
        """Return the snapshot's view at the first question; later ones cannot use it."""
        if self._snapshot is None or self._view is not None:
            return None
        view = self._snapshot.read(
            epoch=reader.epoch, revision=reader.revision, dimension=self._dimension
        )
        if view is None or view.revision < reader.floor or not _is_of_these_rows(view, reader):
            view = None
            self._snapshot.remove_stale(epoch=reader.epoch)
        self._saved_revision = 0 if view is None else view.revision
        return view


def _is_of_these_rows(view: IndexView, reader: Reader) -> bool:
    """Return whether the last item of a view is in the rows, or was removed from them since.

    A file put back from a backup and written to again reaches the same revisions with other rows.
    """
    alive = np.flatnonzero(view.alive)
    if not len(alive):
        return view.revision == 0
    last = int(alive[-1])
    key = int(view.items.keys.rows(view.item_count)[last])
    item = reader.items([key]).get(key)
    if item is None:
        return any(death.item_key == key for death in reader.deaths(view.revision))
    stored = int(view.items.stored.rows(view.item_count)[last])
    born = int(view.items.born.rows(view.item_count)[last])
    kept = item.stored_at
    return item.revision == born and kept is not None and microseconds(kept) == stored


def _is_outdated(view: IndexView, reader: Reader) -> bool:
    """Return whether a view should be rebuilt from scratch.

    One of before the floor must be: some of the deaths since then were compacted away.
    """
    return view.revision < reader.floor or _is_mostly_dead(view)


def _is_mostly_dead(view: IndexView) -> bool:
    dead = view.chunk_count - view.chunks_alive
    return dead > max(1024, DEAD_SHARE_MAX * view.chunk_count)
