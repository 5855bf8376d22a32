"""What a rule of the grammar has found: one stretch of time, or one that comes again and again.

Knows how to choose among the Marches, Fridays and fifths. Must not know any word.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from simonides.text.dates.calendar import EARLIEST, Calendar, Span, month_of, week_of
from simonides.text.dates.reader import Reader, Tense
from simonides.text.dates.words import Grain, Which

_REACH = 9
"""Years to look either way: 29 February may be eight years off (1896 to 1904)."""


class Cycle(Enum):
    """How often a thing comes; `FIXED` comes once."""

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
    """Tokens up to `stop` name what `at` gives for a turn of the cycle (None: not that turn)."""

    stop: int
    at: Callable[[int], Span | None]
    cycle: Cycle
    grain: Grain

    def until(self, stop: int) -> "FoundDate":
        """Return the same thing named by more tokens."""
        return FoundDate(stop=stop, at=self.at, cycle=self.cycle, grain=self.grain)


def fixed(stop: int, span: Span) -> FoundDate:
    """Return a thing that comes once."""
    return FoundDate(stop=stop, at=lambda _: span, cycle=Cycle.FIXED, grain=span.grain)


def settled(reader: Reader, found: FoundDate, which: Which | None = None) -> FoundDate | None:
    """Return `found` as one that comes once: the one asked for, or the one the tense suggests."""
    if found.cycle is Cycle.FIXED:
        return found
    if which is None:
        which = Which.COMING if reader.tense is Tense.FUTURE else Which.LATEST
    span = _pick(reader.calendar, found, which)
    return fixed(found.stop, span) if span else None


def span_of(reader: Reader, found: FoundDate, which: Which | None = None) -> Span | None:
    """Return the stretch of time that `found` names, if there is one."""
    one = settled(reader, found, which)
    return one.at(0) if one else None


def _pick(calendar: Calendar, found: FoundDate, which: Which) -> Span | None:
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
    return running or found.at(here)


def _first(found: FoundDate, turns: range, wanted: Callable[[Span], bool]) -> Span | None:
    spans = (found.at(turn) for turn in turns)
    return next((span for span in spans if span and wanted(span)), None)


def latest_before(reader: Reader, found: FoundDate, anchor: Span) -> Span | None:
    """Return the last turn that begins no later than `anchor` does."""
    edge = anchor.since or EARLIEST
    here = found.cycle.index(reader.calendar.day_of(edge))
    turns = range(here + 1, here - _REACH, -1)
    return _first(found, turns, lambda s: bool(s.since and s.since <= edge))


def earliest_after(reader: Reader, found: FoundDate, anchor: Span) -> Span | None:
    """Return the first turn that begins no sooner than `anchor` does."""
    if found.cycle is Cycle.FIXED:
        return found.at(0)
    edge = anchor.since or EARLIEST
    here = found.cycle.index(reader.calendar.day_of(edge))
    turns = range(here - 1, here + _REACH)
    return _first(found, turns, lambda s: bool(s.since and s.since >= edge))
