"""Time zones that are known by their rules alone, as calendars bring them (VTIMEZONE).

Must not know the zones of the system, nor where the rules come from.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice

from simonides.errors import InvalidInput
from simonides.text.recurrence import STEPS_MAX, Rule, TooLong, occurrences, parse_rule, read_when

RULES_MAX = 200
"""Most changes of the clock, each a rule or a day, of one zone: two a year for a century."""

_CHANGES_MAX = 100
"""Most changes of one rule in one span: some three a year."""

_SPAN_YEARS = 10
"""Rules are expanded for so many years at once: a calendar asks for few, not for two centuries."""

_BEFORE_YEARS = 12
"""So far back a rule's latest change is looked for: one on 29 February comes again in 8 years."""

_PARTS_MIN = 3
"""A rule has a time and the offsets before and after it."""

_LAST = datetime(2100, 1, 1)  # noqa: DTZ001  wall-clock times
_FIRST_EVER = datetime(1, 1, 3)  # noqa: DTZ001  wall-clock times; in UTC it may be a day before
_YEARS = range(1900, 2100)
"""The years in which rules are expanded; outside, the nearest of them counts."""

_Change = tuple[datetime, timedelta, timedelta]
"""When the clock changes in wall-clock time, and the offsets before and after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repeated:
    """A change that repeats: its rule, its first time, its end, and the offsets."""

    rule: Rule
    start: datetime
    last: datetime
    before: timedelta
    after: timedelta


class ObservedZone(tzinfo):
    """A zone made of rules such as `19700329T020000 +0100 +0200 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`.

    Each says from when on, in wall-clock time, the clock goes from one offset to another; without
    a recurrence rule it does so once. Between 1900 and 2100 the changes are exact.
    """

    def __init__(self, name: str, rules: tuple[str, ...]) -> None:
        read = [_change(rule) for rule in rules[:RULES_MAX]]
        if not read:
            raise InvalidInput("time zone", f"{name[:80]!r} has no rules")
        self._name, self._rules = name, rules
        self._repeated = [one for one in read if isinstance(one, _Repeated)]
        self._single = [one for one in read if not isinstance(one, _Repeated)]
        self._single += [(one.start, one.before, one.after) for one in self._repeated]
        self._spans: dict[int, list[_Change]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same zone; datetimes do not ask."""
        if not isinstance(other, ObservedZone):
            return NotImplemented
        return (self._name, self._rules) == (other._name, other._rules)

    def __hash__(self) -> int:
        """Return the hash of its name and rules."""
        return hash((self._name, self._rules))

    def utcoffset(self, when: datetime | None) -> timedelta:
        """Return the offset at a wall-clock time."""
        wall = _LAST if when is None else when.replace(tzinfo=None)
        return self._offset(wall, key=lambda one: one[0])

    def fromutc(self, when: datetime) -> datetime:
        """Return the wall-clock time of an instant."""
        return when + self._offset(when.replace(tzinfo=None), key=lambda one: one[0] - one[1])

    def _offset(self, when: datetime, *, key: Callable[[_Change], datetime]) -> timedelta:
        """Return the offset at a time, by what `key` makes of the changes around it."""
        changes = self._span(when.year)
        place = bisect_right(changes, when, key=key)
        return changes[place - 1][2] if place else changes[0][1]

    def _span(self, year: int) -> list[_Change]:
        """Return the changes around a year, and the last before; these are expanded, and once."""
        number = min(max(year, _YEARS[0]), _YEARS[-1]) // _SPAN_YEARS
        if number not in self._spans:
            self._spans[number] = sorted({*self._single, *self._expand(number)})
        return self._spans[number]

    def _expand(self, number: int) -> Iterator[_Change]:
        """Yield the changes that repeat, in a span and the year on each side of it."""
        since = datetime(number * _SPAN_YEARS - 1, 1, 1)  # noqa: DTZ001  wall-clock times
        until = datetime((number + 1) * _SPAN_YEARS + 1, 1, 1)  # noqa: DTZ001  wall-clock times
        steps = iter(range(STEPS_MAX))
        for one in self._repeated:
            begin = min(since, one.last).replace(day=1)
            begin = begin.replace(year=max(begin.year - _BEFORE_YEARS, 1))
            if one.rule.count is not None or begin < one.start:
                begin = one.start
            found = occurrences(
                one.rule, one.start, since=begin, until=until, last=one.last, steps=steps
            )
            with suppress(TooLong):  # no clock changes so often; what was found stands
                yield from ((wall, one.before, one.after) for wall in islice(found, _CHANGES_MAX))

    def dst(self, _when: datetime | None) -> None:
        """Return None: whether an offset is that of summer is not known."""
        return

    def tzname(self, _when: datetime | None) -> str:
        """Return the name of the zone."""
        return self._name


def is_repeated(rule: str) -> bool:
    """Return whether a rule of a zone changes the clock again and again."""
    return "FREQ=" in rule.upper()


@lru_cache(maxsize=64)
def observed_zone(name: str, rules: tuple[str, ...]) -> ObservedZone:
    """Return the zone of these rules.

    Raises:
        InvalidInput: A rule is malformed, or there is none.
    """
    return ObservedZone(name, rules)


def _change(text: str) -> _Change | _Repeated:
    """Return the changes of a rule."""
    parts = text.split(" ")
    if len(parts) < _PARTS_MIN:
        raise InvalidInput("time zone", f"{text[:80]!r} is not a time and two offsets")
    begin, before, after, *rest = parts
    start = _wall(begin)
    offsets = read_offset(before), read_offset(after)
    if not rest:
        return (start, *offsets)
    rule = parse_rule(rest[0])
    last = _LAST
    if isinstance(rule.until, datetime):
        at_utc = rule.until.tzinfo is UTC
        last = min(rule.until.replace(tzinfo=None), _LAST) + (offsets[0] if at_utc else timedelta())
    return _Repeated(rule=rule, start=start, last=last, before=offsets[0], after=offsets[1])


def _wall(text: str) -> datetime:
    when = read_when(text)
    if not isinstance(when, datetime):
        raise InvalidInput("time", f"{text!r} has no hour")
    return max(when.replace(tzinfo=None), _FIRST_EVER)


def read_offset(text: str) -> timedelta:
    """Return the offset that `+0100`, `-05:30` or `+013045` says.

    Raises:
        InvalidInput: It is none.
    """
    digits = text[1:].replace(":", "")
    if text[:1] not in ("+", "-") or not (digits.isascii() and digits.isdigit()):
        raise InvalidInput("offset", f"{text[:20]!r} is none")
    hours, minutes, seconds = (int(digits[at : at + 2] or 0) for at in (0, 2, 4))
    if hours > 23 or minutes > 59 or seconds > 59:  # noqa: PLR2004  a clock's own limits
        raise InvalidInput("offset", f"{text[:20]!r} is none")
    size = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return -size if text[0] == "-" else size
