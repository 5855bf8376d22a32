"""Stretches of time with two ends: since March, before Christmas, from Monday to Friday.

Knows which end a preposition opens (since, before, until, from … to, between … and). Must not know
how a single expression is read, nor which tense a text has.
"""

from simonides.text.dates.calendar import EARLIEST, LATEST, TimeSpan
from simonides.text.dates.found import (
    Cycle,
    FoundDate,
    earliest_after,
    latest_before,
    match_once,
    span_of,
)
from simonides.text.dates.phrase import phrase
from simonides.text.dates.reader import DateReader
from simonides.text.dates.weekly import read_numbered_day
from simonides.text.dates.words import Grain, Which

_TO = (("up", "to"), ("to",), ("until",), ("till",), ("til",), ("through",), ("thru",), ("-",))
_AND = (("and",), *_TO)
_OPENING = {
    ("since",): False, ("later", "than"): True, ("not", "before"): False, ("as", "of"): False,
    ("starting", "from"): False, ("starting", "on"): False, ("starting",): False,
    ("beginning", "on"): False, ("effective",): False, ("from",): False, ("after",): True,
}  # fmt: skip
"""Whether the range begins after the whole of what is named, or with it; longer ones first."""
_CLOSING = {
    ("no", "later", "than"): True, ("not", "later", "than"): True, ("earlier", "than"): False,
    ("prior", "to"): False, ("before",): False, ("up", "until"): True, ("up", "to"): True,
    ("until",): True, ("till",): True, ("til",): True, ("through",): True, ("by",): True,
}  # fmt: skip
"""Whether the range holds the whole of what is named, or ends before it; longer ones first."""
_LEADING = frozenset({"from", "between", "since"})
BOUND_WORDS = _LEADING | {words[0] for words in (*_OPENING, *_CLOSING)}
"""The words that `read_bounded` reads from."""
_ONWARD = frozenset({"on", "onward", "onwards", "forward"})
_PRESENT = frozenset({"now", "present", "date"})
_FROM_NOW = frozenset({"now", "today", "tomorrow"})
"""From these on, "from" alone opens a range: mail from Monday is of that day."""
_ENDS = frozenset({"end", "close"})


def read_bounded(reader: DateReader, index: int) -> FoundDate | None:
    """Return the open range at `index` after a word such as since, before, from."""
    if reader.word(index) not in BOUND_WORDS:
        return None
    finds = (_read_led(reader, index), _opening(reader, index), _closing(reader, index))
    return max(filter(None, finds), key=lambda found: found.stop, default=None)


def range_from(reader: DateReader, left: FoundDate) -> FoundDate | None:
    """Return the range that begins with `left`: Monday to Wednesday, June or July 2022."""
    return _join(reader, left, _TO) or _read_list(reader, left)


def _read_led(reader: DateReader, index: int) -> FoundDate | None:
    """Match from Monday to Wednesday, between June and August 2022, between 5 and 12 May."""
    word = reader.word(index)
    if word not in _LEADING:
        return None
    joints = _AND if word == "between" else _TO
    lefts = (
        phrase(reader, index + 1, cued=True),
        read_numbered_day(reader, index + 1),
        _present(reader, index + 1),
    )
    finds = (_join(reader, left, joints) for left in lefts if left)
    return next(filter(None, finds), None)


def _join(
    reader: DateReader, left: FoundDate, joints: tuple[tuple[str, ...], ...]
) -> FoundDate | None:
    after = _after(reader, left.stop, joints)
    if not after:
        return None
    right = _end(reader, after, left)
    return _close_span(reader, left, right) if right else None


def _read_list(reader: DateReader, left: FoundDate) -> FoundDate | None:
    """Return "June or July 2019" as one range: the year belongs to both."""
    if left.cycle is not Cycle.YEARLY or reader.word(left.stop) not in ("and", "or", "&"):
        return None
    right = phrase(reader, left.stop + 1, cued=True)
    if right is None or right.cycle is not Cycle.FIXED or right.grain is not left.grain:
        return None
    return _close_span(reader, left, right)


def _after(reader: DateReader, index: int, joints: tuple[tuple[str, ...], ...]) -> int:
    fits = (index + len(words) for words in joints if reader.words(index, *words))
    return next(fits, 0)


def _end(reader: DateReader, index: int, left: FoundDate) -> FoundDate | None:
    """Return the further end of a range: an expression, now, or a day number after a day."""
    right = phrase(reader, index, cued=True) or _present(reader, index)
    if right is None and left.grain is Grain.DAY and left.cycle is not Cycle.MONTHLY:
        right = read_numbered_day(reader, index)
    return right


def _present(reader: DateReader, index: int) -> FoundDate | None:
    index += reader.word(index) == "the"
    if reader.word(index) not in _PRESENT:
        return None
    now = reader.calendar.now
    return match_once(index + 1, TimeSpan(since=now, until=now))


def _close_span(reader: DateReader, left: FoundDate, right: FoundDate) -> FoundDate | None:
    """Return the range from the beginning of one end to the end of the other.

    The end that says no year (or month or week) of its own takes it from the other one.
    """
    leads = left.cycle is Cycle.MONTHLY and right.cycle is Cycle.YEARLY
    if leads or (left.cycle is not Cycle.FIXED and right.cycle is Cycle.FIXED):
        other = span_of(reader, right)
        one = latest_before(reader, left, other) if other else None
    else:
        one = span_of(reader, left)
        other = earliest_after(reader, right, one) if one else None
    if one is None or other is None:
        return None
    if left.cycle is Cycle.MONTHLY and other.grain is not Grain.DAY:
        return None
    since = min(one.since or EARLIEST, other.since or EARLIEST)
    until = max(one.until or LATEST, other.until or LATEST)
    return match_once(right.stop, TimeSpan(since=since, until=until))


def _opening(reader: DateReader, index: int) -> FoundDate | None:
    """Match since January, after 5 May, from March onwards, as of now."""
    words = next((words for words in _OPENING if reader.words(index, *words)), None)
    if words is None:
        return None
    after = index + len(words)
    span, stop = _read_named(reader, after, Which.LATEST if words == ("since",) else None)
    now = _present(reader, after) if span is None and words[-1] in ("from", "of") else None
    if now:
        span, stop = now.at(0), now.stop
    goes_on = reader.word(stop) in _ONWARD
    is_opened = words != ("from",) or goes_on or reader.word(after) in _FROM_NOW
    if span is None or not is_opened:
        return None
    since = span.until if _OPENING[words] else span.since
    return match_once(stop + goes_on, TimeSpan(since=since, until=None))


def _closing(reader: DateReader, index: int) -> FoundDate | None:
    """Match before Christmas 2022 (excluded), until Friday and by Friday (included), until now."""
    for words, whole in _CLOSING.items():
        if not reader.words(index, *words):
            continue
        after = index + len(words)
        span, stop = _read_named(reader, after, None)
        now = _present(reader, after)
        if span is None and now and words != ("by",):
            span, stop = now.at(0), now.stop
        if span:
            until = span.until if whole or _names_an_end(reader, after) else span.since
            return match_once(stop, TimeSpan(since=None, until=until))
    return None


def _names_an_end(reader: DateReader, index: int) -> bool:
    """Return whether the end of something follows, before which is the whole of it."""
    return reader.word(index + (reader.word(index) == "the")) in _ENDS


def _read_named(reader: DateReader, index: int, which: Which | None) -> tuple[TimeSpan | None, int]:
    found = phrase(reader, index, cued=True)
    span = span_of(reader, found, which) if found else None
    return (span, found.stop) if found and span else (None, index)
