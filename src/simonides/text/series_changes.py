"""When a series of events takes place with the changes of single occurrences of it.

Must not know items, nor how a series or a change was written in its calendar.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from simonides.text.series import Occurrence, Series, moved


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesChange:
    """A change of one occurrence of a series, or of it and all later ones.

    `original` is when it was to be, `start` and `length` are when it is; `name` is the caller's.
    One that `is_older` was made before the present state of the series.
    """

    name: str
    original: date | datetime
    start: date | datetime
    length: timedelta
    goes_on: bool = False
    is_older: bool = False

    def occurrence(self, here: tzinfo) -> Occurrence:
        """Return when it is."""
        made = Series(start=self.start, length=self.length)
        return made.at(made.wall(self.start), here)

    def of(self, series: Series) -> "SeriesChange":
        """Return the change with its occurrence named as the series names it: by day or time."""
        return replace(self, original=series.formed(self.original))

    @property
    def key(self) -> str:
        """The key of the occurrence that it changes."""
        made = Series(start=self.original, length=self.length)
        return made.at(made.wall(self.original), UTC).key

    def moved(self, one: Occurrence, series: Series, here: tzinfo) -> Occurrence:
        """Return a later occurrence moved, by the clock, as far as the one that was changed."""
        made = Series(start=self.start, length=self.length)
        by = made.wall(self.start) - series.wall(self.original)
        return replace(made.at(moved(series.wall(one.at), by), here), key=one.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """An occurrence, the change that made it what it is, and the occurrence that it replaced."""

    occurrence: Occurrence
    change: SeriesChange | None = None
    original: Occurrence | None = None


def expanded(
    series: Series | None,
    changes: Sequence[SeriesChange],
    *,
    since: datetime,
    until: datetime,
    here: tzinfo,
    steps: Iterator[int],
) -> Iterator[Expanded]:
    """Yield the occurrences of a series that lie in [since, until), with all its changes.

    Without the series the changes stand alone. Raises what `Series.between` raises.
    """
    days = {one.original for one in changes if not isinstance(one.original, datetime)}
    changes = [one if series is None else one.of(series) for one in changes]
    later = sorted((one for one in changes if one.goes_on), key=lambda one: one.key)
    keys, replaced = [one.key for one in later], {one.key for one in changes}
    if series is not None:
        widest = max((abs(_shift(one, here)) for one in later), default=timedelta())
        low, high = _aware(since, -widest), _aware(until, widest)
        for one in series.between(low, high, here=here, steps=steps):
            if one.key in replaced or series.wall(one.at).date() in days:
                continue
            place = bisect_left(keys, one.key)
            change = later[place - 1] if place else None
            now = one if change is None else change.moved(one, series, here)
            if now.overlaps(since, until, here):
                original = one if now.at != one.at else None
                yield Expanded(occurrence=now, change=change, original=original)
    told = [one for one in changes if one.occurrence(here).overlaps(since, until, here)]
    yield from (_told(one, here) for one in _still_there(told, series, steps))


def _still_there(
    changes: Sequence[SeriesChange], series: Series | None, steps: Iterator[int]
) -> Iterator[SeriesChange]:
    """Yield the changes but for older ones of what the series excludes, or what is after its end.

    Other times that the series does not have may just be named inexactly.
    """
    older = [one.original for one in changes if one.is_older]
    gone = series.gone(older, steps=steps) if series is not None else set()
    yield from (one for one in changes if not (one.is_older and one.original in gone))


def _told(change: SeriesChange, here: tzinfo) -> Expanded:
    now = change.occurrence(here)
    was = replace(change, start=change.original).occurrence(here)
    return Expanded(occurrence=now, change=change, original=was if was.at != now.at else None)


def _shift(change: SeriesChange, here: tzinfo) -> timedelta:
    was = replace(change, start=change.original).occurrence(here)
    return change.occurrence(here).begin(here) - was.begin(here)


def _aware(when: datetime, span: timedelta) -> datetime:
    """Return an aware time that is later by `span`, inside the years that there are."""
    return moved(when.astimezone(UTC).replace(tzinfo=None), span).replace(tzinfo=UTC)
