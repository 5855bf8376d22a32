"""The match of one grammar rule, and the time spans derived from it.

A match names one stretch of time, or one for each week, month or year. Knows how to choose among
the Marches, Fridays and fifths, and how to count within a stretch. Must not know words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from simonides.text.dates.calendar import (
    EARLIEST,
    Calendar,
    TimeSpan,
    month_of,
    week_of,
    weekday_of,
)
from simonides.text.dates.reader import DateReader
from simonides.text.dates.tense import Tense
from simonides.text.dates.words import UNITS, WEEKDAYS, Grain, Unit, Which

_REACH = 9
"""Years to look either way: 29 February may be eight years off (1896 to 1904)."""


class Cycle(Enum):
    """How often a date recurs; `FIXED` occurs once."""

    FIXED = 0
    WEEKLY = 1
    MONTHLY = 2
    YEARLY = 3

    def index(self, day: int) -> int:
        """Return the number of the week, month or else year that holds a day."""
        if self is Cycle.WEEKLY:
            return week_of(day)
        return month_of(day) if self is Cycle.MONTHLY else month_of(day) // 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDate:
    """A match up to the token `stop`; `at` gives its span in one occurrence, if any."""

    stop: int
    at: Callable[[int], TimeSpan | None]
    cycle: Cycle
    grain: Grain

    def only(self, turn: int, stop: int = 0) -> "FoundDate | None":
        """Return one occurrence of the match, if it has that one; `stop` is a later end."""
        span = self.at(turn)
        return match_once(stop or self.stop, span) if span else None

    def until(self, stop: int) -> "FoundDate":
        """Return the same match with a later end."""
        return FoundDate(stop=stop, at=self.at, cycle=self.cycle, grain=self.grain)


def match_once(stop: int, span: TimeSpan) -> FoundDate:
    """Return a match that occurs once."""
    return FoundDate(stop=stop, at=lambda _: span, cycle=Cycle.FIXED, grain=span.grain)


def yearly_months(
    reader: DateReader, stop: int, *, first: int, count: int, grain: Grain
) -> FoundDate:
    """Return the match of `count` months of every year, `first` being 0 for January."""
    return FoundDate(
        stop=stop,
        at=lambda year: reader.calendar.months(year * 12 + first, count, grain=grain),
        cycle=Cycle.YEARLY,
        grain=grain,
    )


def resolve(reader: DateReader, found: FoundDate, which: Which | None = None) -> FoundDate | None:
    """Return one occurrence of `found`: the requested one, or the one that the tense suggests."""
    if found.cycle is Cycle.FIXED:
        return found
    if which is None:
        which = Which.COMING if reader.tense is Tense.FUTURE else Which.LATEST
    span = _pick(reader.calendar, found, which)
    return match_once(found.stop, span) if span else None


def span_of(reader: DateReader, found: FoundDate, which: Which | None = None) -> TimeSpan | None:
    """Return the time span that `found` names, if there is one."""
    one = resolve(reader, found, which)
    return one.at(0) if one else None


def on_weekday(reader: DateReader, found: FoundDate, weekday: int) -> FoundDate | None:
    """Return a date that is on a weekday (0 for Monday): the last or the next one; else None.

    The weekday says more than the tense does; where both are on it, as months may be, the tense
    decides.
    """

    def is_on(span: TimeSpan | None) -> bool:
        return bool(
            span and span.since and weekday_of(reader.calendar.day_of(span.since)) == weekday
        )

    sides = {tense: resolve(reader, found, which) for tense, which in _SIDES.items()}
    on_it = {tense: one for tense, one in sides.items() if one and is_on(one.at(0))}
    return on_it.get(reader.tense) or next(iter(on_it.values()), None)


_SIDES = {Tense.PAST: Which.LATEST, Tense.FUTURE: Which.COMING}


def _pick(calendar: Calendar, found: FoundDate, which: Which) -> TimeSpan | None:
    here, now = found.cycle.index(calendar.today), calendar.now
    if which is Which.NEXT and found.cycle is Cycle.WEEKLY:
        return found.at(here + 1)
    back, ahead = range(here + 1, here - _REACH, -1), range(here - 1, here + _REACH)
    match which:
        case Which.LATEST:
            return _first(found, back, lambda s: bool(s.since and s.since <= now))
        case Which.LAST:
            return _first(found, back, lambda s: bool(s.until and s.until <= now))
        case Which.COMING:
            return _first(found, ahead, lambda s: bool(s.until and s.until > now))
        case Which.NEXT:
            return _first(found, ahead, lambda s: bool(s.since and s.since > now))
    running = _first(found, ahead, lambda s: bool(s.since and s.until and s.since <= now < s.until))
    return running or _nearest_this(calendar, found, here)


def _nearest_this(calendar: Calendar, found: FoundDate, here: int) -> TimeSpan | None:
    """Return "this" one where none runs: of this year, but of winters the nearer one."""
    own, last = found.at(here), found.at(here - 1)
    if not (own and own.since and own.until and last and last.until):
        return own
    crosses = found.cycle.index(calendar.day_of(own.until)) > here
    is_last_nearer = calendar.now - last.until < own.since - calendar.now
    return last if crosses and is_last_nearer else own


def _first(found: FoundDate, turns: range, wanted: Callable[[TimeSpan], bool]) -> TimeSpan | None:
    spans = (found.at(turn) for turn in turns)
    return next((span for span in spans if span and wanted(span)), None)


def latest_before(reader: DateReader, found: FoundDate, anchor: TimeSpan) -> TimeSpan | None:
    """Return the last occurrence that begins no later than `anchor` does."""
    edge = anchor.since or EARLIEST
    here = found.cycle.index(reader.calendar.day_of(edge))
    turns = range(here + 1, here - _REACH, -1)
    return _first(found, turns, lambda s: bool(s.since and s.since <= edge))


def earliest_after(reader: DateReader, found: FoundDate, anchor: TimeSpan) -> TimeSpan | None:
    """Return the first occurrence that begins no sooner than `anchor` does."""
    if found.cycle is Cycle.FIXED:
        return found.at(0)
    edge = anchor.since or EARLIEST
    here = found.cycle.index(reader.calendar.day_of(edge))
    turns = range(here - 1, here + _REACH)
    return _first(found, turns, lambda s: bool(s.since and s.since >= edge))


def _days_of(
    reader: DateReader, month: int, first: int, last: int
) -> Callable[[int], TimeSpan | None]:
    calendar = reader.calendar

    def at(year: int) -> TimeSpan | None:
        start, end = calendar.date(year, month, first), calendar.date(year, month, last)
        if start is None or end is None or first == last:
            return start if first == last else None
        return TimeSpan(since=start.since, until=end.until)

    return at


def match_days(
    reader: DateReader, stop: int, *, month: int, first: int, last: int
) -> FoundDate | None:
    """Return the days `first` to `last` of a month, every year; None if no year has them."""
    at = _days_of(reader, month, first, last)
    if at(2000) is None:  # a leap year has every date that a year can have
        return None
    grain = Grain.DAY if first == last else Grain.SPAN
    return FoundDate(stop=stop, at=at, cycle=Cycle.YEARLY, grain=grain)


LAST = -1
"""The number of the last one."""


def part(reader: DateReader, span: TimeSpan, *, which: int, parts: int) -> TimeSpan | None:
    """Return one of `parts` about equal parts of the days (of a year: the months) of `span`."""
    first, count = reader.calendar.whole_days(span)
    if count < parts:
        return None
    if span.grain is Grain.YEAR:
        month = Cycle.MONTHLY.index(first)
        return reader.calendar.months(month + 12 * which // parts, 12 // parts)
    start, stop = count * which // parts, count * (which + 1) // parts
    return reader.calendar.days(first + start, stop - start)


def nth(
    reader: DateReader, span: TimeSpan, *, number: int, many: int, kind: str
) -> TimeSpan | None:
    """Return the `number`th day, week, half or weekday (`kind`) of a span, `many` together."""
    if kind == "half":
        which = number - 1
        return part(reader, span, which=which, parts=2) if which in (0, 1) else None
    first, count = reader.calendar.whole_days(span)
    if kind in WEEKDAYS or kind == "weekend":
        return _nth_weekly(reader, first, count, number=number, kind=kind)
    unit = UNITS[kind]
    size = unit.size * many
    start = count - size if number == LAST else unit.size * (number - 1)
    if not 0 <= start < count:
        return None
    grain = unit.grain if many == 1 else Grain.SPAN
    return reader.calendar.days(first + start, min(size, count - start), grain=grain)


def _nth_weekly(
    reader: DateReader, first: int, count: int, *, number: int, kind: str
) -> TimeSpan | None:
    offset = WEEKDAYS.get(kind, 5)
    start = first + (offset - (first - 1) % 7) % 7
    turns = (first + count - 1 - start) // 7 + 1
    turn = turns - 1 if number == LAST else number - 1
    if not 0 <= turn < turns:
        return None
    day = start + 7 * turn
    return reader.calendar.day(day) if kind in WEEKDAYS else reader.calendar.weekend(week_of(day))


def offset_from(
    reader: DateReader, span: TimeSpan, *, count: int, unit: Unit, before: bool
) -> TimeSpan:
    """Return the unit that begins `count` units before `span`, or ends that long after it."""
    calendar = reader.calendar
    first, days = calendar.whole_days(span)
    edge, side = (first, -count) if before else (first + days, count - 1)
    start = calendar.shift(edge, side, unit)
    stop = calendar.shift(edge, side + 1, unit)
    grain = Grain.DAY if unit.size == 1 and unit.step == "day" else Grain.SPAN
    return calendar.days(start, stop - start, grain=grain)
