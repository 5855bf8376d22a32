"""Ranges with words for their ends: since, before, until, from … to, between … and, June to August.

Knows which end a preposition opens. Must not know how a single expression is read.
"""

from simonides.text.dates.calendar import EARLIEST, LATEST, Span
from simonides.text.dates.found import (
    Cycle,
    FoundDate,
    earliest_after,
    fixed,
    latest_before,
    settled,
    span_of,
)
from simonides.text.dates.phrase import phrase
from simonides.text.dates.reader import Reader, Tense
from simonides.text.dates.weekly import numbered_day
from simonides.text.dates.words import Grain, Which

_TO = (("up", "to"), ("to",), ("until",), ("till",), ("til",), ("through",), ("thru",), ("-",))
_AND = (("and",), *_TO)
_OPENING = {"since": False, "after": True}
"""Whether the range begins after the whole of what is named, or with it."""
_CLOSING = {
    ("prior", "to"): False, ("before",): False, ("up", "until"): True, ("up", "to"): True,
    ("until",): True, ("till",): True, ("til",): True, ("through",): True, ("by",): True,
}  # fmt: skip
"""Whether the range holds the whole of what is named, or ends before it."""
_LEADING = frozenset({"from", "between", "since"})
BOUND_WORDS = _LEADING | _OPENING.keys() | {words[0] for words in _CLOSING}
"""The words that `bounded` reads from."""
_ONWARD = frozenset({"on", "onward", "onwards", "forward"})
_PRESENT = frozenset({"now", "present", "date"})


def bounded(reader: Reader, index: int) -> FoundDate | None:
    """Return the range at `index` that a word in front opens or closes: since, before, from."""
    if reader.word(index) not in BOUND_WORDS:
        return None
    finds = (_led(reader, index), _opening(reader, index), _closing(reader, index))
    return max(filter(None, finds), key=lambda found: found.stop, default=None)


def stretched(reader: Reader, left: FoundDate) -> FoundDate | None:
    """Return the range that begins with `left`: Monday to Wednesday, June or July 2022."""
    return _joined(reader, left, _TO) or _listed(reader, left)


def _led(reader: Reader, index: int) -> FoundDate | None:
    """From Monday to Wednesday, between June and August 2022, between 5 and 12 May."""
    word = reader.word(index)
    if word not in _LEADING:
        return None
    joints = _AND if word == "between" else _TO
    lefts = (phrase(reader, index + 1, cued=True), numbered_day(reader, index + 1))
    finds = (_joined(reader, left, joints) for left in lefts if left)
    return next(filter(None, finds), None)


def _joined(
    reader: Reader, left: FoundDate, joints: tuple[tuple[str, ...], ...]
) -> FoundDate | None:
    after = _after(reader, left.stop, joints)
    if not after:
        return None
    right = _end(reader, after, left)
    return _closed_span(reader, left, right) if right else None


def _listed(reader: Reader, left: FoundDate) -> FoundDate | None:
    """Return "June or July 2019" as one range: the year is that of both."""
    if left.cycle is not Cycle.YEARLY or reader.word(left.stop) not in ("and", "or", "&"):
        return None
    right = phrase(reader, left.stop + 1, cued=True)
    if right is None or right.cycle is not Cycle.FIXED or right.grain is not left.grain:
        return None
    return _closed_span(reader, left, right)


def _after(reader: Reader, index: int, joints: tuple[tuple[str, ...], ...]) -> int:
    fits = (index + len(words) for words in joints if reader.words(index, *words))
    return next(fits, 0)


def _end(reader: Reader, index: int, left: FoundDate) -> FoundDate | None:
    """Return the further end of a range: an expression, now, or a day number after a day."""
    right = phrase(reader, index, cued=True) or _present(reader, index)
    if right is None and left.grain is Grain.DAY and left.cycle is not Cycle.MONTHLY:
        right = numbered_day(reader, index)
    return right


def _present(reader: Reader, index: int) -> FoundDate | None:
    index += reader.word(index) == "the"
    if reader.word(index) not in _PRESENT:
        return None
    now = reader.calendar.now
    return fixed(index + 1, Span(since=now, until=now))


def _closed_span(reader: Reader, left: FoundDate, right: FoundDate) -> FoundDate | None:
    """Return the range from the begin of one end to the end of the other.

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
    return fixed(right.stop, Span(since=since, until=until))


def _opening(reader: Reader, index: int) -> FoundDate | None:
    """Since January, after 5 May, from March onwards."""
    word = reader.word(index)
    if word not in _OPENING and word != "from":
        return None
    span, stop = _named(reader, index + 1, None)
    if word == "from" and reader.word(stop) not in _ONWARD:
        return None
    if span is None:
        return None
    since = span.until if _OPENING.get(word) else span.since
    return fixed(stop + (word == "from"), Span(since=since, until=None))


def _closing(reader: Reader, index: int) -> FoundDate | None:
    """Before Christmas 2022 (without it), until Friday and by Friday (with it), until now."""
    for words, whole in _CLOSING.items():
        if not reader.words(index, *words):
            continue
        after = index + len(words)
        span, stop = _named(reader, after, _due(reader, words[0]))
        now = _present(reader, after)
        if span is None and now and words != ("by",):
            span, stop = now.at(0), now.stop
        if span:
            until = span.until if whole else span.since
            return fixed(stop, Span(since=None, until=until))
    return None


def _due(reader: Reader, word: str) -> Which | None:
    """Return the coming one for "by Friday", unless the text is about the past."""
    return Which.COMING if word == "by" and reader.tense is not Tense.PAST else None


def _named(reader: Reader, index: int, which: Which | None) -> tuple[Span | None, int]:
    found = phrase(reader, index, cued=True)
    one = settled(reader, found, which) if found else None
    return (one.at(0), one.stop) if one else (None, index)
