"""When a series of events takes place between two times: its rules, exceptions and further dates.

Also with the changes of single occurrences. Must not know items, nor how a series was written in
its calendar beyond the recurrence lines.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice

from simonides.errors import InvalidInput
from simonides.text.recurrence import Rule, TooLong, occurrences, parse_rule, read_when, take

OCCURRENCES_MAX = 1_000
"""Most occurrences of one series between two times; every day of a year are 366."""

_DAY = timedelta(days=1)
_FIRST, _LAST = datetime(1, 1, 2), datetime(9999, 12, 30)  # noqa: DTZ001  wall-clock times
_LAST_CLOCK = time(23, 59, 59)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One time at which a series takes place.

    `at` is a day, or an aware time; `key` names it whatever changes it: a day, a time in UTC, or
    one without an offset. `length` is how long it lasts.
    """

    at: date | datetime
    length: timedelta
    key: str

    def begin(self, here: tzinfo) -> datetime:
        """Return when it begins: of a day at midnight by the clock `here`."""
        if isinstance(self.at, datetime):
            return self.at
        return datetime.combine(self.at, time(), tzinfo=here)

    def end(self, here: tzinfo) -> datetime:
        """Return when it is over: of days at the midnight after them."""
        if isinstance(self.at, datetime):
            begin = self.at.astimezone(UTC)
            last = max(_LAST.replace(tzinfo=UTC) - begin, timedelta())
            return (begin + min(self.length, last)).astimezone(self.at.tzinfo)
        days = max(_LAST.date() - self.at, timedelta())
        return datetime.combine(self.at + min(self.length, days), time(), tzinfo=here)

    def overlaps(self, since: datetime, until: datetime, here: tzinfo) -> bool:
        """Return whether any of it lies in [since, until)."""
        begin, end = self.begin(here), self.end(here)
        return begin < until and (end > since or begin >= since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A series: its first occurrence, how long that lasts, and its recurrence lines.

    `start` is a day, an aware time, or a naive one that is the same by every clock. The others last
    as long, but for so many `days` of it that are days by the clock, of 23 or 25 hours, too.
    """

    start: date | datetime
    length: timedelta
    lines: Sequence[str] = ()
    days: int = 0

    @property
    def _clock(self) -> tzinfo | None:
        return self.start.tzinfo if isinstance(self.start, datetime) else None

    def form(self, when: date | datetime) -> date | datetime:
        """Return a time that names an occurrence in the form of the start, a day or a time."""
        if not isinstance(self.start, datetime):
            return day_meant(when)
        if isinstance(when, datetime):
            return when
        return datetime.combine(when, self.start.timetz())

    def wall(self, when: date | datetime) -> datetime:
        """Return a time by the series' own clock, without it."""
        if not isinstance(when, datetime):
            return datetime.combine(when, time())
        if when.tzinfo is not None and self._clock is not None:
            with suppress(OverflowError):  # the last hours of the year 9999, further east
                when = when.astimezone(self._clock)
        return when.replace(tzinfo=None)

    def at(self, wall: datetime, here: tzinfo, length: timedelta | None = None) -> Occurrence:
        """Return the occurrence at a wall-clock time."""
        lasts = self._lasting(wall) if length is None else length
        if not isinstance(self.start, datetime):
            return Occurrence(at=wall.date(), length=lasts, key=wall.date().isoformat())
        if self._clock is None:
            return Occurrence(at=wall.replace(tzinfo=here), length=lasts, key=wall.isoformat())
        at = wall.replace(tzinfo=self._clock)
        return Occurrence(at=at, length=lasts, key=at.astimezone(UTC).isoformat())

    def _lasting(self, wall: datetime) -> timedelta:
        """Return how long the occurrence at a wall-clock time lasts."""
        if not self.days or self._clock is None:
            return self.length
        spans = [
            move_by(one, self.days * _DAY).replace(tzinfo=self._clock).astimezone(UTC)
            - one.replace(tzinfo=self._clock).astimezone(UTC)
            for one in (self.wall(self.start), wall)
        ]
        return max(self.length + spans[1] - spans[0], timedelta())

    def between(
        self, since: datetime, until: datetime, *, here: tzinfo, steps: Iterator[int]
    ) -> tuple[Occurrence, ...]:
        """Return the occurrences that lie in [since, until), by time, at most `OCCURRENCES_MAX`.

        `here` is the clock of days and of times that have none of their own. Each day that is
        looked at takes one of the `steps`.

        Raises:
            TooLong: There are no more steps, or more occurrences.
            InvalidInput: A line is malformed.
        """
        take(steps, len(self.lines))
        rules, without, further = _read(self.lines)
        clock = self._clock or here
        low = move_by(since.astimezone(clock).replace(tzinfo=None), -self.length - _DAY)
        high = move_by(until.astimezone(clock).replace(tzinfo=None), _DAY)
        walls = self._by_rules(rules, low, high, steps)
        walls |= {self.wall(when): length for when, length in further}
        if len(walls) > OCCURRENCES_MAX + len(further):
            raise TooLong("RRULE", f"takes place more than {OCCURRENCES_MAX:,} times")
        left_out = self._read_exceptions(without)
        made = (
            self.at(wall, here, length)
            for wall, length in sorted(walls.items(), key=lambda one: one[0])
            if wall not in left_out and wall.date() not in left_out
        )
        return tuple(one for one in made if one.overlaps(since, until, here))

    def _by_rules(
        self, rules: Sequence[Rule], low: datetime, high: datetime, steps: Iterator[int]
    ) -> dict[datetime, timedelta | None]:
        """Return the wall-clock times in [low, high): of the start, and of the rules.

        A rule that ends before the start has none, and without others there is no start either:
        so programs write a series of which all was deleted.
        """
        first = self.wall(self.start)
        lasts = ((rule, self._last(rule)) for rule in rules)
        lasting = [(rule, last) for rule, last in lasts if last is None or last >= first]
        walls: dict[datetime, timedelta | None] = {}
        if low <= first < high and (lasting or not rules):
            walls[first] = None
        for rule, last in lasting:
            found = occurrences(rule, first, since=low, until=high, last=last, steps=steps)
            walls |= dict.fromkeys(islice(found, OCCURRENCES_MAX + 1))
        return walls

    def _read_exceptions(self, without: Sequence[date | datetime]) -> set[date | datetime]:
        """Return the exceptions by the series' own clock: days, and times."""
        is_of_days = not isinstance(self.start, datetime)
        named = (day_meant(when) if is_of_days else when for when in without)
        return {self.wall(when) if isinstance(when, datetime) else when for when in named}

    def find_gone(
        self, times: Sequence[date | datetime], *, steps: Iterator[int]
    ) -> set[date | datetime]:
        """Return those of some times that are exceptions, or that come after the last rule's end.

        Raises what `between` raises.
        """
        if not times:
            return set()
        take(steps, len(self.lines))
        rules, without, further = _read(self.lines)
        left_out, added = self._read_exceptions(without), {self.wall(when) for when, _ in further}
        ends = [self._end(rule, max(map(self.wall, times)), steps) for rule in rules]
        last = None if None in ends else max(filter(None, ends), default=None)
        return {
            when
            for when, wall in ((one, self.wall(one)) for one in times)
            if wall in left_out
            or wall.date() in left_out
            or (last is not None and wall > last and wall not in added)
        }

    def _end(self, rule: Rule, latest: datetime, steps: Iterator[int]) -> datetime | None:
        """Return when a rule ends; None where it goes on after the latest time."""
        if rule.count is None:
            return self._last(rule)
        first, until = self.wall(self.start), move_by(latest, _DAY)
        walls = list(occurrences(rule, first, since=first, until=until, steps=steps))
        return walls[-1] if len(walls) == rule.count else None

    def _last(self, rule: Rule) -> datetime | None:
        """Return the end of a rule by the series' own clock; a day ends with its last second."""
        if rule.until is None:
            return None
        if isinstance(rule.until, datetime) and isinstance(self.start, datetime):
            return self.wall(rule.until)
        day = rule.until.date() if isinstance(rule.until, datetime) else rule.until
        return datetime.combine(day, _LAST_CLOCK)


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
        return replace(self, original=series.form(self.original))

    @property
    def key(self) -> str:
        """The key of the occurrence that it changes."""
        made = Series(start=self.original, length=self.length)
        return made.at(made.wall(self.original), UTC).key

    def move(self, one: Occurrence, series: Series, here: tzinfo) -> Occurrence:
        """Return a later occurrence moved, by the clock, as far as the one that was changed."""
        made = Series(start=self.start, length=self.length)
        by = made.wall(self.start) - series.wall(self.original)
        return replace(made.at(move_by(series.wall(one.at), by), here), key=one.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """An occurrence, the change that made it what it is, and the occurrence that it replaced."""

    occurrence: Occurrence
    change: SeriesChange | None = None
    original: Occurrence | None = None


def expand_series(
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
            now = one if change is None else change.move(one, series, here)
            if now.overlaps(since, until, here):
                original = one if now.at != one.at else None
                yield Expanded(occurrence=now, change=change, original=original)
    overlapping = [one for one in changes if one.occurrence(here).overlaps(since, until, here)]
    yield from (_expand_change(one, here) for one in _still_there(overlapping, series, steps))


def _still_there(
    changes: Sequence[SeriesChange], series: Series | None, steps: Iterator[int]
) -> Iterator[SeriesChange]:
    """Yield the changes but for older ones of what the series excludes, or what is after its end.

    Other times that the series does not have may just be named inexactly.
    """
    older = [one.original for one in changes if one.is_older]
    gone = series.find_gone(older, steps=steps) if series is not None else set()
    yield from (one for one in changes if not (one.is_older and one.original in gone))


def _expand_change(change: SeriesChange, here: tzinfo) -> Expanded:
    now = change.occurrence(here)
    was = replace(change, start=change.original).occurrence(here)
    return Expanded(occurrence=now, change=change, original=was if was.at != now.at else None)


def _shift(change: SeriesChange, here: tzinfo) -> timedelta:
    was = replace(change, start=change.original).occurrence(here)
    return change.occurrence(here).begin(here) - was.begin(here)


def _aware(when: datetime, span: timedelta) -> datetime:
    """Return an aware time that is later by `span`, inside the years that there are."""
    return move_by(when.astimezone(UTC).replace(tzinfo=None), span).replace(tzinfo=UTC)


def move_by(wall: datetime, span: timedelta) -> datetime:
    """Return a time that is later by `span`, inside the years that there are."""
    try:
        return min(max(wall + span, _FIRST), _LAST)
    except OverflowError:
        return _FIRST if span < timedelta() else _LAST


UTC_MIDNIGHTS_EAST = timedelta(hours=13)
"""How far east of UTC a midnight that is written in UTC is looked for: New Zealand in summer."""


def day_meant(when: date | datetime) -> date:
    """Return the day of an all-day series that a time names: by its clock, of UTC the nearest.

    Some programs write midnight of that day, and some of these in UTC: then it is 23:00 of the day
    before, or 05:00, by where they are.
    """
    if not isinstance(when, datetime):
        return when
    is_utc = str(when.tzinfo) == "UTC"
    return move_by(when.replace(tzinfo=None), UTC_MIDNIGHTS_EAST if is_utc else timedelta()).date()


_Dates = list[date | datetime]
_Periods = list[tuple[date | datetime, timedelta | None]]


def _read(lines: Sequence[str]) -> tuple[list[Rule], _Dates, _Periods]:
    """Return the rules, the exceptions, and the further dates with their lengths."""
    rules: list[Rule] = []
    without: _Dates = []
    further: _Periods = []
    for line in lines:
        name, _, value = line.partition(":")
        if name == "RRULE":
            rules.append(parse_rule(value))
        elif name == "EXDATE":
            without.append(read_when(value))
        elif name == "RDATE":
            when, _, seconds = value.partition("/")
            is_number = seconds.isascii() and seconds.isdigit() and len(seconds) <= _SECONDS_DIGITS
            length = timedelta(seconds=int(seconds)) if is_number else None
            further.append((read_when(when), length))
        else:
            raise InvalidInput("recurrence", f"{name[:20]!r} is not known")
    return rules, without, further


_SECONDS_DIGITS = 9
"""Digits of the longest length of a further date: 31 years."""
