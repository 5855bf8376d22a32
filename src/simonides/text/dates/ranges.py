"""All ranges of time in a text, and those that a question most likely means.

Knows how matches are chosen, combined and, where the tense leaves two open, put in order. Must not
know how a single expression is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from simonides.model.answer import TimeRange
from simonides.text.dates.bounds import BOUND_WORDS, range_from, read_bounded
from simonides.text.dates.calendar import EARLIEST, Calendar, calendar
from simonides.text.dates.found import FoundDate, match_once, resolve
from simonides.text.dates.phrase import PHRASE_WORDS, phrase
from simonides.text.dates.reader import DateReader, TokenSort, tokenise
from simonides.text.dates.tense import Tense, points_elsewhere, tense_of
from simonides.text.dates.translated import foreign_times
from simonides.text.dates.words import find_foreign
from simonides.text.language import language_asked
from simonides.text.unicode_version import mask
from simonides.text.vocabulary import LANGUAGES, UNSPACED

_OPENERS = PHRASE_WORDS | BOUND_WORDS
_FIGURES = (TokenSort.NUMBER, TokenSort.STAMP)
_JOINS = frozenset({"and", "or", ",", "&", "/", "vs", "versus", "und", "oder", "et", "ou", "y", "o",
                    "e", "en"})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMatch:
    """An expression of time at the characters [start, stop) of a text.

    `unit` is the calendar unit that the range is one of: hour, day, week, weekend, month,
    quarter, season or year; `span` is any other stretch of time. Where the text leaves open whether
    it lies behind or ahead, `range` is the nearer of the two and `other` the further.
    """

    range: TimeRange
    start: int
    stop: int
    unit: str
    other: TimeRange | None = None


_AMERICAN = """
Adak Anchorage Boise Chicago Denver Detroit Indiana/ Juneau Kentucky/ Los_Angeles Menominee
Metlakatla New_York Nome North_Dakota/ Phoenix Puerto_Rico Sitka Yakutat
"""
MONTH_FIRST = ("US/", "Pacific/Honolulu", *(f"America/{one}" for one in _AMERICAN.split()))
"""How the zones begin where people write the month first: 3/14."""


def find_ranges(
    text: str, *, now: datetime, timezone: str, day_first: bool | None = None
) -> tuple[DateMatch, ...]:
    """Return every expression of time in `text` in order, without overlaps.

    Of expressions that begin at the same word the longest wins. Relative ones are read by `now`
    (aware) in the days of `timezone` (an IANA name). `day_first` reads 5/6/2023 as 5 June; by
    default that is so but in the zones of the United States.
    Where the text does not say which March or Friday, it is the last that has begun if the text
    speaks of the past, the one to come if it speaks of the future, and both if it leaves it open;
    an open end such as "until Friday" then lies ahead. Linear in the length of the text.

    Raises:
        InvalidInput: The zone is unknown, or `now` has none.
    """
    known, text = calendar(now, timezone), mask(text)
    if day_first is None:
        day_first = not timezone.startswith(MONTH_FIRST)
    readers = _readers(text, known, day_first=day_first)
    spoken = language_asked(text, LANGUAGES)
    matches: list[DateMatch] = []
    index, tokens = 0, readers[0].tokens
    while index < len(tokens):
        token = tokens[index]
        found: Sequence[FoundDate] = ()
        if _may_begin(readers[0], index):
            found = _longest(readers, index, _tense_at(token.start, text, spoken))
        if found:
            matches.append(_match(text, token.start, tokens[found[0].stop - 1].stop, found, known))
        index = found[0].stop if found else index + 1
    read = _with_foreign(matches, text, known)
    return _with_translated(read, text, known, day_first=day_first)


def _may_begin(reader: DateReader, index: int) -> bool:
    """Return whether an expression of time may begin at a token: what follows "the" decides."""
    token = reader.token(index + (reader.word(index) == "the"))
    return token.word in _OPENERS or token.sort in _FIGURES


def _readers(text: str, known: Calendar, *, day_first: bool) -> tuple[DateReader, DateReader]:
    """Return a reader of the past and one of the future."""
    tokens = tokenise(text)
    past, future = (
        DateReader(tokens=tokens, calendar=known, tense=tense, day_first=day_first)
        for tense in (Tense.PAST, Tense.FUTURE)
    )
    return past, future


def _tense_at(start: int, text: str, language: str) -> Tense:
    """Return the tense of a date: that of its text, open where it is detached from a past verb."""
    tense = tense_of(text, language=language)
    if tense is Tense.PAST and points_elsewhere(text, start, language=language):
        return Tense.OPEN
    return tense


def _longest(
    readers: tuple[DateReader, DateReader], index: int, tense: Tense
) -> Sequence[FoundDate]:
    """Return the longest match at a token by a tense; by both where it is open.

    An open beginning, "until Friday", then ends ahead: that holds what ended behind.
    """
    both = [_at(one, index) for one in readers if tense in (Tense.OPEN, one.tense)]
    finds = [found for found in both if found]
    longest = max((found.stop for found in finds), default=0)
    finds = [found for found in finds if found.stop == longest]
    last = finds[-1].at(0) if finds else None
    return finds[-1:] if last and last.since is None else finds


def _match(
    text: str, start: int, stop: int, found: Sequence[FoundDate], known: Calendar
) -> DateMatch:
    said = text[start:stop]
    spans = [span for one in found if (span := one.at(0))]
    ranges = [TimeRange(since=one.since, until=one.until, text=said) for one in spans]
    ranges.sort(key=lambda one: _gap(one, known.now))
    nearer, *further = dict.fromkeys(ranges)
    other = next((one for one in further if not _overlap(one, nearer)), None)
    unit = str(spans[0].grain)
    return DateMatch(range=nearer, start=start, stop=stop, unit=unit, other=other)


def _gap(time: TimeRange, now: datetime) -> timedelta:
    """Return how far a range lies from now, zero if it holds it; of an open one, its end."""
    if time.since is not None and (time.until is None or time.since > now):
        return abs(time.since - now)
    return now - time.until if time.until is not None and time.until < now else timedelta()


def _overlap(one: TimeRange, other: TimeRange) -> bool:
    since = max((t for t in (one.since, other.since) if t), default=None)
    until = min((t for t in (one.until, other.until) if t), default=None)
    return since is None or until is None or since < until


def _with_foreign(matches: list[DateMatch], text: str, known: Calendar) -> tuple[DateMatch, ...]:
    """Return the matches with foreign dates; a year alone gives way to a date that contains it."""
    for when, start, stop in find_foreign(text, read_already=[(m.start, m.stop) for m in matches]):
        kept = [m for m in matches if m.stop <= start or stop <= m.start]
        match = _match(text, start, stop, [match_once(0, known.day(when.toordinal()))], known)
        matches = sorted([*kept, match], key=lambda one: one.start)
    return tuple(matches)


def _with_translated(
    matches: tuple[DateMatch, ...], text: str, known: Calendar, *, day_first: bool
) -> tuple[DateMatch, ...]:
    """Return the matches with other languages' words, where English read nothing longer."""
    for one in foreign_times(text):
        held = [m for m in matches if m.start < one.stop and one.start < m.stop]
        if any(m.stop - m.start >= one.stop - one.start for m in held):
            continue
        spoken = language_asked(text, LANGUAGES) if one.language in UNSPACED else one.language
        tense = _tense_at(one.start, text, spoken)
        readers = _readers(one.english, known, day_first=day_first)
        finds = (_longest(readers, index, tense) for index in range(len(readers[0].tokens)))
        found = next(filter(None, finds), None)
        if found:
            match = _match(text, one.start, one.stop, found, known)
            kept = [m for m in matches if m not in held]
            matches = tuple(sorted([*kept, match], key=lambda one: one.start))
    return matches


def _at(reader: DateReader, index: int) -> FoundDate | None:
    """Return the longest non-empty match at a token that is not part of a longer name."""
    single = phrase(reader, index)
    finds = [read_bounded(reader, index)]
    if single:
        finds += [range_from(reader, single), resolve(reader, single)]
    held = [found for found in finds if found and _holds(reader, index, found)]
    return max(held, key=lambda found: found.stop, default=None)


def _holds(reader: DateReader, index: int, found: FoundDate) -> bool:
    span = found.at(0)
    if span is None or (span.since and span.until and span.since >= span.until):
        return False
    return reader.stands_free(index, found.stop)


def ranges_asked(text: str, matches: Sequence[DateMatch]) -> tuple[TimeRange, ...]:
    """Return the ranges that `text` most likely asks about, by what `find_ranges` found in it.

    None; one; or two, the nearer first, where the text leaves open which is meant. Each is the
    first match, joined with those that follow it: expressions joined by "and", "or" or a comma are
    stretched to one range; others that overlap it narrow it; the rest is left out.
    """
    first = next((one for one in matches if one.other), None)
    if first is None:
        return tuple(filter(None, [_join(text, matches)]))
    is_behind = _begin(first.range) < _begin(first.other or first.range)
    behind, ahead = (
        _join(text, [replace(one, range=take(_both(one), key=_begin)) for one in matches])
        for take in (min, max)
    )
    found = (behind, ahead) if is_behind else (ahead, behind)
    nearer, other = found
    is_same = nearer is not None and other is not None and _overlap(nearer, other)
    return tuple(filter(None, (nearer,) if is_same else found))


def _both(match: DateMatch) -> tuple[TimeRange, ...]:
    return (match.range, match.other) if match.other else (match.range,)


def _begin(time: TimeRange) -> datetime:
    return time.since or EARLIEST


def _join(text: str, matches: Sequence[DateMatch]) -> TimeRange | None:
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
    if not _overlap(one, other):
        return None
    since = max((t for t in (one.since, other.since) if t), default=None)
    until = min((t for t in (one.until, other.until) if t), default=None)
    return TimeRange(since=since, until=until)


def _over(one: TimeRange, other: TimeRange) -> TimeRange:
    since = min(t for t in (one.since, other.since) if t)
    until = max(t for t in (one.until, other.until) if t)
    return TimeRange(since=since, until=until)
