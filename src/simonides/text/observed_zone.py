"""Time zones that are known by their rules alone, as calendars bring them (VTIMEZONE).

Must not know the zones of the system, nor where the rules come from.
"""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice

from simonides.errors import InvalidInput
from simonides.text.recurrence import STEPS_MAX, occurrences, parse_rule, read_when

RULES_MAX = 200
"""Most changes of the clock, each a rule or a day, of one zone: two a year for a century."""

_CHANGES_MAX = 400
"""Most changes of one rule that are looked at: twice a year in the years below."""

_PARTS_MIN = 3
"""A rule has a time and the offsets before and after it."""

_FIRST_EVER = datetime(1, 1, 3)  # noqa: DTZ001  wall-clock times; in UTC it may be a day before
_FIRST, _LAST = datetime(1900, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001  wall-clock times


class ObservedZone(tzinfo):
    """A zone made of rules such as `19700329T020000 +0100 +0200 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`.

    Each says from when on, in wall-clock time, the clock goes from one offset to another; without
    a recurrence rule it does so once. Between 1900 and 2100 the changes are exact.
    """

    def __init__(self, name: str, rules: tuple[str, ...]) -> None:
        steps = iter(range(STEPS_MAX))
        changes = sorted(change for rule in rules[:RULES_MAX] for change in _changes(rule, steps))
        if not changes:
            raise InvalidInput("time zone", f"{name[:80]!r} has no rules")
        self._name = name
        self._walls = [wall for wall, _, _ in changes]
        self._instants = [wall - before for wall, before, _ in changes]
        self._offsets = [changes[0][1], *(after for _, _, after in changes)]

    def utcoffset(self, when: datetime | None) -> timedelta:
        """Return the offset at a wall-clock time."""
        if when is None:
            return self._offsets[-1]
        return self._offsets[bisect_right(self._walls, when.replace(tzinfo=None))]

    def fromutc(self, when: datetime) -> datetime:
        """Return the wall-clock time of an instant."""
        return when + self._offsets[bisect_right(self._instants, when.replace(tzinfo=None))]

    def dst(self, _when: datetime | None) -> None:
        """Return None: whether an offset is that of summer is not known."""
        return

    def tzname(self, _when: datetime | None) -> str:
        """Return the name of the zone."""
        return self._name


@lru_cache(maxsize=64)
def observed_zone(name: str, rules: tuple[str, ...]) -> ObservedZone:
    """Return the zone of these rules.

    Raises:
        InvalidInput: A rule is malformed, or there is none.
    """
    return ObservedZone(name, rules)


def _changes(text: str, steps: Iterator[int]) -> list[tuple[datetime, timedelta, timedelta]]:
    """Return (wall-clock time, offset before, offset after) of each change of a rule."""
    parts = text.split(" ")
    if len(parts) < _PARTS_MIN:
        raise InvalidInput("time zone", f"{text[:80]!r} is not a time and two offsets")
    begin, before, after, *rest = parts
    start = _wall(begin)
    offsets = read_offset(before), read_offset(after)
    if not rest:
        return [(start, *offsets)]
    rule = parse_rule(rest[0])
    last = None
    if isinstance(rule.until, datetime):
        at_utc = rule.until.tzinfo is UTC
        last = rule.until.replace(tzinfo=None) + (offsets[0] if at_utc else timedelta())
    found = occurrences(rule, start, since=max(start, _FIRST), until=_LAST, last=last, steps=steps)
    return [(wall, *offsets) for wall in islice(found, _CHANGES_MAX)]


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
