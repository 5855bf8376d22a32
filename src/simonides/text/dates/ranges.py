"""All ranges of time in a text, and the one that a question most likely means.

Knows how finds are picked and put together. Must not know how any of them is read.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from simonides.model.answer import TimeRange
from simonides.text.dates.bounds import BOUND_WORDS, bounded, stretched
from simonides.text.dates.calendar import Calendar, Span, calendar
from simonides.text.dates.foreign import find_foreign
from simonides.text.dates.found import FoundDate, settled
from simonides.text.dates.phrase import PHRASE_WORDS, phrase
from simonides.text.dates.reader import Reader, Token, tense_of, tokenise
from simonides.text.unicode_version import masked

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
    """Return every expression of time in `text` in order of place, none overlapping another.

    Of expressions that begin at the same word the longest wins. Relative ones are read by `now`
    (aware) in the days of `timezone` (an IANA name). `day_first` reads 5/6/2023 as 5 June.
    Where the text does not say which March or Friday, it is the last that has begun, or the
    one to come if the text speaks of the future. Linear in the length of the text.

    Raises:
        InvalidInput: The zone is unknown, or `now` has none.
    """
    known, text = calendar(now, timezone), masked(text)
    tokens = tokenise(text)
    reader = Reader(tokens=tokens, calendar=known, tense=tense_of(tokens), day_first=day_first)
    matches: list[DateMatch] = []
    index = 0
    while index < len(tokens):
        found = _at(reader, index)
        span = found.at(0) if found else None
        if found and span:
            matches.append(_match(text, span, tokens[index : found.stop]))
        index = found.stop if found else index + 1
    return _with_foreign(matches, text, known)


def _with_foreign(matches: list[DateMatch], text: str, known: Calendar) -> tuple[DateMatch, ...]:
    """Return the matches with foreign dates among them; a year alone gives way to its date."""
    for when, start, stop in find_foreign(text, read_already=[(m.start, m.stop) for m in matches]):
        span = known.day(when.toordinal())
        read = TimeRange(since=span.since, until=span.until, text=text[start:stop])
        kept = [m for m in matches if m.stop <= start or stop <= m.start]
        match = DateMatch(range=read, start=start, stop=stop, unit=str(span.grain))
        matches = sorted([*kept, match], key=lambda one: one.start)
    return tuple(matches)


def _at(reader: Reader, index: int) -> FoundDate | None:
    """Return the longest find at a token that is not empty and not part of a longer name."""
    if not (reader.word(index) in _OPENERS or reader.has_figures(index)):
        return None
    single = phrase(reader, index)
    finds = [bounded(reader, index)]
    if single:
        finds += [stretched(reader, single), settled(reader, single)]
    held = [found for found in finds if found and _holds(reader, index, found)]
    return max(held, key=lambda found: found.stop, default=None)


def _holds(reader: Reader, index: int, found: FoundDate) -> bool:
    span = found.at(0)
    if span is None or (span.since and span.until and span.since >= span.until):
        return False
    return reader.stands_free(index, found.stop)


def _match(text: str, span: Span, tokens: tuple[Token, ...]) -> DateMatch:
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
    """Return the stretch over both if they are listed, what they share if they overlap."""
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
