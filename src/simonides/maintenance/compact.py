"""Compaction: removes history past its retention, in small slices, and shrinks the file.

Knows when retention ends, how large a slice is, and when the file is better written anew. Must
not know which rows a slice removes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from simonides.errors import HistoryGone, InvalidInput
from simonides.index.open_space import Home
from simonides.ingest.at_work import at_work
from simonides.maintenance.interrupted_erasures import finish_erasure
from simonides.model.lease import Work
from simonides.model.maintenance import Compaction, Removed
from simonides.ports.models import Clock
from simonides.ports.space import Reader, Space
from simonides.retrieval.plan import AsOf, revision_asked

SLICE_ROWS = 256
"""Versions removed in one transaction: some 30 ms, so that a writer hardly waits."""

SLICE_PAGES = 1024
"""Pages cut off the file in one transaction, 4 MiB."""

AFTER_WRITE_S = 0.2
"""Longest that a compaction of its own accord goes on after a write, and less by far mostly."""

AT_CLOSE_S = 2.0
"""And longest that it goes on when the space is closed. What is left is for the next one."""

REWRITE_VERSIONS_MIN = 512
"""The file is written anew only after so many versions were removed (the designs' threshold)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """The retention of history in `days`, 0 for ever; `threshold` rows make compaction due."""

    days: float
    threshold: int
    clock: Clock

    @staticmethod
    def of(home: Home) -> "Retention":
        """Return the retention in the settings of a home."""
        settings = home.settings
        return Retention(
            days=settings.retention_days, threshold=settings.compaction_threshold, clock=home.clock
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """The last revision of removable versions, and the time limit of removable decisions."""

    revision: int
    time: datetime | None
    now: datetime


def compact(
    space: Space,
    *,
    retention: Retention,
    before: AsOf = None,
    time_max_s: float | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> Compaction:
    """Remove history past retention (or older than `before`) in slices; return the report.

    Without a `time_max_s` it ends when all is gone and the file is dense; with one it ends after
    the slice in hand, and never writes the file anew. One without it finishes an erasure that was
    broken off, too.

    Raises:
        InvalidInput: The space has not reached `before` yet.
        StoreError: The space cannot be written; what was removed before is gone.
    """
    began = monotonic()
    ends = _limits(space, retention=retention, before=before)
    size = space.stats().bytes_on_disk
    until = None if time_max_s is None else began + time_max_s
    removed = _remove(space, ends, is_over=lambda: until is not None and monotonic() >= until)
    if until is None:
        finish_erasure(space)
    if until is None and (space.is_loose() or removed.versions >= REWRITE_VERSIONS_MIN):
        space.write_anew()
    while space.give_back(pages=SLICE_PAGES) and (until is None or monotonic() < until):
        pass
    with space.read() as reader:
        oldest = reader.floor
    return Compaction(
        versions=removed.versions,
        backgrounds=removed.backgrounds,
        engagements=removed.engagements,
        proposals=removed.proposals,
        revisions=removed.revisions,
        oldest=oldest,
        bytes_before=size,
        bytes_after=space.stats().bytes_on_disk,
        is_done=not removed.more,
        took_s=monotonic() - began,
    )


def compact_if_due(space: Space, *, retention: Retention, time_max_s: float) -> Compaction | None:
    """Compact for at most so many seconds, if enough rows are removable and nobody else does."""
    ends = _limits(space, retention=retention, before=None)
    due = space.due(before=ends.revision, now=ends.now, limit=retention.threshold)
    if due < retention.threshold:
        return None
    with at_work(space, Work.COMPACTION) as lease:
        if lease is None:
            return None
        return compact(space, retention=retention, time_max_s=time_max_s)


def _limits(space: Space, *, retention: Retention, before: AsOf) -> _Limits:
    now = retention.clock()
    with space.read() as reader:
        if before is not None:
            revision = _revision(before, reader)
            row = reader.revision_row(revision)
            return _Limits(revision=revision, time=row and row.at, now=now)
        if not retention.days:
            return _Limits(revision=0, time=None, now=now)
        ended = _earlier(now, days=retention.days)
        return _Limits(revision=_last_before(ended, reader), time=ended, now=now)


def _last_before(ended: datetime, reader: Reader) -> int:
    """Return the last revision before everything that was removed after a time.

    That is not the last one committed by then, if the clock was set back for a while: what was
    written meanwhile looks old, and what died before it is not.
    """
    revision = _revision(ended, reader)
    late = reader.late_death(ended, until=revision)
    return revision if late is None else late - 1


def _revision(before: datetime | int, reader: Reader) -> int:
    """Return the oldest revision to keep; the oldest there is, if it is gone already."""
    try:
        return revision_asked(before, reader)
    except HistoryGone as error:
        return error.oldest
    except InvalidInput as error:
        raise InvalidInput("before", error.problem) from None


def _earlier(now: datetime, *, days: float) -> datetime:
    """Return the time so many days before `now`, at the earliest the first valid one."""
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


def _remove(space: Space, ends: _Limits, *, is_over: Callable[[], bool]) -> Removed:
    """Remove slice after slice; return the removed rows, and whether there was more."""
    total = Removed(more=True)
    while total.more and not is_over():
        one = space.compact(
            before=ends.revision, now=ends.now, decided_before=ends.time, limit=SLICE_ROWS
        )
        total = replace(
            one,
            versions=total.versions + one.versions,
            backgrounds=total.backgrounds + one.backgrounds,
            engagements=total.engagements + one.engagements,
            proposals=total.proposals + one.proposals,
            revisions=total.revisions + one.revisions,
        )
    return total
