"""All time ranges of a text, and the one that a question most likely means.

Knows which end a preposition opens (since, before, until, from … to, between … and), and how
matches are chosen and combined. Must not know how a single expression is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from simonides.model.answer import TimeRange
from simonides.text.dates.calendar import EARLIEST, LATEST, Calendar, TimeSpan, calendar
from simonides.text.dates.found import (
    Cycle,
    FoundDate,
    earliest_after,
    fixed,
    latest_before,
    resolve,
    span_of,
)
from simonides.text.dates.phrase import PHRASE_WORDS, phrase
from simonides.text.dates.reader import DateReader, Tense, Token, tense_of, tokenise
from simonides.text.dates.relative import numbered_day
from simonides.text.dates.translated import foreign_times
from simonides.text.dates.words import Grain, Which, find_foreign
from simonides.text.unicode_version import masked

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


def bounded(reader: DateReader, index: int) -> FoundDate | None:
    """Return the open range at `index` after a word such as since, before, from."""
    if reader.word(index) not in BOUND_WORDS:
        return None
    finds = (_led(reader, index), _opening(reader, index), _closing(reader, index))
    return max(filter(None, finds), key=lambda found: found.stop, default=None)


def range_from(reader: DateReader, left: FoundDate) -> FoundDate | None:
    """Return the range that begins with `left`: Monday to Wednesday, June or July 2022."""
    return _joined(reader, left, _TO) or _listed(reader, left)


def _led(reader: DateReader, index: int) -> FoundDate | None:
    """Match from Monday to Wednesday, between June and August 2022, between 5 and 12 May."""
    word = reader.word(index)
    if word not in _LEADING:
        return None
    joints = _AND if word == "between" else _TO
    lefts = (phrase(reader, index + 1, cued=True), numbered_day(reader, index + 1))
    finds = (_joined(reader, left, joints) for left in lefts if left)
    return next(filter(None, finds), None)


def _joined(
    reader: DateReader, left: FoundDate, joints: tuple[tuple[str, ...], ...]
) -> FoundDate | None:
    after = _after(reader, left.stop, joints)
    if not after:
        return None
    right = _end(reader, after, left)
    return _closed_span(reader, left, right) if right else None


def _listed(reader: DateReader, left: FoundDate) -> FoundDate | None:
    """Return "June or July 2019" as one range: the year belongs to both."""
    if left.cycle is not Cycle.YEARLY or reader.word(left.stop) not in ("and", "or", "&"):
        return None
    right = phrase(reader, left.stop + 1, cued=True)
    if right is None or right.cycle is not Cycle.FIXED or right.grain is not left.grain:
        return None
    return _closed_span(reader, left, right)


def _after(reader: DateReader, index: int, joints: tuple[tuple[str, ...], ...]) -> int:
    fits = (index + len(words) for words in joints if reader.words(index, *words))
    return next(fits, 0)


def _end(reader: DateReader, index: int, left: FoundDate) -> FoundDate | None:
    """Return the further end of a range: an expression, now, or a day number after a day."""
    right = phrase(reader, index, cued=True) or _present(reader, index)
    if right is None and left.grain is Grain.DAY and left.cycle is not Cycle.MONTHLY:
        right = numbered_day(reader, index)
    return right


def _present(reader: DateReader, index: int) -> FoundDate | None:
    index += reader.word(index) == "the"
    if reader.word(index) not in _PRESENT:
        return None
    now = reader.calendar.now
    return fixed(index + 1, TimeSpan(since=now, until=now))


def _closed_span(reader: DateReader, left: FoundDate, right: FoundDate) -> FoundDate | None:
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
    return fixed(right.stop, TimeSpan(since=since, until=until))


def _opening(reader: DateReader, index: int) -> FoundDate | None:
    """Match since January, after 5 May, from March onwards."""
    word = reader.word(index)
    if word not in _OPENING and word != "from":
        return None
    span, stop = _named(reader, index + 1, None)
    if word == "from" and reader.word(stop) not in _ONWARD:
        return None
    if span is None:
        return None
    since = span.until if _OPENING.get(word) else span.since
    return fixed(stop + (word == "from"), TimeSpan(since=since, until=None))


def _closing(reader: DateReader, index: int) -> FoundDate | None:
    """Match before Christmas 2022 (excluded), until Friday and by Friday (included), until now."""
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
            return fixed(stop, TimeSpan(since=None, until=until))
    return None


def _due(reader: DateReader, word: str) -> Which | None:
    """Return the coming occurrence for "by Friday", unless the text is about the past."""
    return Which.COMING if word == "by" and reader.tense is not Tense.PAST else None


def _named(reader: DateReader, index: int, which: Which | None) -> tuple[TimeSpan | None, int]:
    found = phrase(reader, index, cued=True)
    one = resolve(reader, found, which) if found else None
    return (one.at(0), one.stop) if one else (None, index)


_OPENERS = PHRASE_WORDS | BOUND_WORDS
_JOINS = frozenset({"and", "or", ",", "&", "/", "vs", "versus"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMatch:
    """An expression of time at the characters [start, stop) of a text.

    `unit` is the calendar unit that the range is one of: hour, day, week, weekend, month,
    quarter, season or year; `span` is any other stretch of time.
    """

    range: TimeRange
    start: int
    stop: int
    unit: str


def find_ranges(
    text: str, *, now: datetime, timezone: str, day_first: bool = True
) -> tuple[DateMatch, ...]:
    """Return every expression of time in `text` in order, without overlaps.

    Of expressions that begin at the same word the longest wins. Relative ones are read by `now`
    (aware) in the days of `timezone` (an IANA name). `day_first` reads 5/6/2023 as 5 June.
    Where the text does not say which March or Friday, it is the last that has begun, or the
    one to come if the text speaks of the future. Linear in the length of the text.

    Raises:
        InvalidInput: The zone is unknown, or `now` has none.
    """
    known, text = calendar(now, timezone), masked(text)
    tokens = tokenise(text)
    reader = DateReader(tokens=tokens, calendar=known, tense=tense_of(tokens), day_first=day_first)
    matches: list[DateMatch] = []
    index = 0
    while index < len(tokens):
        found = _at(reader, index)
        span = found.at(0) if found else None
        if found and span:
            matches.append(_match(text, span, tokens[index : found.stop]))
        index = found.stop if found else index + 1
    read = _with_foreign(matches, text, known)
    return _with_translated(read, text, known, day_first=day_first)


def _with_foreign(matches: list[DateMatch], text: str, known: Calendar) -> tuple[DateMatch, ...]:
    """Return the matches with foreign dates; a year alone gives way to a date that contains it."""
    for when, start, stop in find_foreign(text, read_already=[(m.start, m.stop) for m in matches]):
        span = known.day(when.toordinal())
        read = TimeRange(since=span.since, until=span.until, text=text[start:stop])
        kept = [m for m in matches if m.stop <= start or stop <= m.start]
        match = DateMatch(range=read, start=start, stop=stop, unit=str(span.grain))
        matches = sorted([*kept, match], key=lambda one: one.start)
    return tuple(matches)


def _with_translated(
    matches: tuple[DateMatch, ...], text: str, known: Calendar, *, day_first: bool
) -> tuple[DateMatch, ...]:
    """Return the matches with other languages' words, where English read nothing longer."""
    tense = tense_of(tokenise(text))
    for english, start, stop in foreign_times(text):
        held = [m for m in matches if m.start < stop and start < m.stop]
        if any(m.stop - m.start >= stop - start for m in held):
            continue
        tokens = tokenise(english)
        reader = DateReader(tokens=tokens, calendar=known, tense=tense, day_first=day_first)
        finds = (_at(reader, index) for index in range(len(tokens)))
        found = next(filter(None, finds), None)
        span = found.at(0) if found else None
        if span is not None:
            read = TimeRange(since=span.since, until=span.until, text=text[start:stop])
            match = DateMatch(range=read, start=start, stop=stop, unit=str(span.grain))
            kept = [m for m in matches if m not in held]
            matches = tuple(sorted([*kept, match], key=lambda one: one.start))
    return matches


def _at(reader: DateReader, index: int) -> FoundDate | None:
    """Return the longest non-empty match at a token that is not part of a longer name."""
    if not (reader.word(index) in _OPENERS or reader.has_figures(index)):
        return None
    single = phrase(reader, index)
    finds = [bounded(reader, index)]
    if single:
        finds += [range_from(reader, single), resolve(reader, single)]
    held = [found for found in finds if found and _holds(reader, index, found)]
    return max(held, key=lambda found: found.stop, default=None)


def _holds(reader: DateReader, index: int, found: FoundDate) -> bool:
    span = found.at(0)
    if span is None or (span.since and span.until and span.since >= span.until):
        return False
    return reader.stands_free(index, found.stop)


def _match(text: str, span: TimeSpan, tokens: tuple[Token, ...]) -> DateMatch:
    start, stop = tokens[0].start, tokens[-1].stop
    read = TimeRange(since=span.since, until=span.until, text=text[start:stop])
    return DateMatch(range=read, start=start, stop=stop, unit=str(span.grain))


def find_range(
    text: str, *, now: datetime, timezone: str, day_first: bool = True
) -> TimeRange | None:
    """Return the range of time that `text` most likely asks about, or None.

    That is the first one, joined with those that follow it: expressions joined by "and", "or"
    or a comma are stretched to one range; others that overlap it narrow it; the rest is left
    out. Takes the same arguments as `find_ranges`.

    Raises:
        InvalidInput: The zone is unknown, or `now` has none.
    """
    matches = find_ranges(text, now=now, timezone=timezone, day_first=day_first)
    return joined_range(text, matches)


def joined_range(text: str, matches: Sequence[DateMatch]) -> TimeRange | None:
    """Return the range of `find_range`, from the expressions that `find_ranges` found in `text`."""
    if not matches:
        return None
    whole, stop = matches[0].range, matches[0].stop
    for match in matches[1:]:
        between = text[stop : match.start].lower().split()
        put = _together(whole, match.range, listed=_JOINS.issuperset(between))
        if put:
            whole, stop = put, match.stop
    return replace(whole, text=text[matches[0].start : stop])


def _together(one: TimeRange, other: TimeRange, *, listed: bool) -> TimeRange | None:
    """Return the union of two listed ranges, or the intersection of two that overlap."""
    closed = None not in (one.since, one.until, other.since, other.until)
    if listed and closed:
        return _over(one, other)
    since = max((t for t in (one.since, other.since) if t), default=None)
    until = min((t for t in (one.until, other.until) if t), default=None)
    if since and until and since >= until:
        return None
    return TimeRange(since=since, until=until)


def _over(one: TimeRange, other: TimeRange) -> TimeRange:
    since = min(t for t in (one.since, other.since) if t)
    until = max(t for t in (one.until, other.until) if t)
    return TimeRange(since=since, until=until)
