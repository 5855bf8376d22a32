"""Which items say in their own words that something is on the days that a question asks for.

"The boiler is serviced on 8 December", "climbing on Saturday?": most of what comes stands in no
calendar. Words of days find the passages, which are then read by the time of their item. Must not
know how what is found is weighed.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Plan, Query, TimeRange
from simonides.model.filter import Filter, parse_condition
from simonides.model.item import Kind, Trust
from simonides.model.metadata_keys import ASKS_KEY, AUTOMATIC_KEY
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.trust import TrustResolver
from simonides.scoring.importance import DAY_US, UNDATED
from simonides.text.analyse import query_terms
from simonides.text.dates import DateMatch, Tense, find_ranges, tense_of
from simonides.text.dates.day_names import DayNames, names_of_days
from simonides.text.questions import says_changed
from simonides.text.word_patterns import lazy_pattern

DAYS_MAX = 31
"""A longer time than a month is named by other words than those of its days. Our own choice."""

LOOKED_AT = 32
"""So many of the passages with such words are read, the latest ones: each takes half a millisecond,
one of nothing but dates eight."""

AHEAD_DAYS_MAX, NEAR_DAYS = 400, 8
"""Days before the time in which an item may name its date, and in which "Friday" may mean it."""

DAYLIKE = frozenset({"hour", "day", "weekend", "span"})
"""The units of times that name days: "in December" says nothing of the 8th."""

IN_WORDS = 0.5
"""How much less than an event what only names its day takes place. Our own choice."""

_NAMING_NONE = ("starts_at", "due", ASKS_KEY)
WITH_TIME = parse_condition({"or": [{key: {"exists": True}} for key in _NAMING_NONE]})
"""Events and tasks that have times of their own: what else they say of days counts for nothing.
Nor does what the owner only asked: "what do I have tomorrow?"."""

Bools = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]
Term = tuple[int, ...]


class DaysAsked(NamedTuple):
    """The days that a question asks for, and the words that name them.

    Those that are over are looked for in texts `without_date` alone: what has one was written then.
    """

    since: datetime
    until: datetime
    timezone: str
    now: datetime
    names: DayNames
    without_date: bool = False

    @property
    def bounds_us(self) -> tuple[int, int]:
        """The time in microseconds, half-open."""
        return microseconds(self.since), microseconds(self.until)


def days_asked(plan: Plan, query: Query, *, language: str) -> DaysAsked | None:
    """Return the days that a question asks for, those to come first; None without any, or of many.

    Days that have begun are to come unless it asks for the past: "what did Ana write this week" is
    after what she did. Tasks in a state say themselves when they are due. `language` is that of the
    question.
    """
    if plan.task_state:
        return None
    found = [
        one
        for time in filter(None, (plan.time, plan.other_time))
        if (one := _days_of(time, plan, query, language=language))
    ]
    return min(found, key=attrgetter("without_date"), default=None)


def _days_of(time: TimeRange, plan: Plan, query: Query, *, language: str) -> DaysAsked | None:
    since, until = time.since or query.now, time.until
    if until is None or not since < until <= since + timedelta(days=DAYS_MAX):
        return None
    zone = ZoneInfo(query.timezone)
    last = (until - timedelta(microseconds=1)).astimezone(zone).date()
    names = names_of_days(since.astimezone(zone).date(), last)
    is_ahead = since > query.now
    if not is_ahead and until > query.now:
        is_ahead = plan.asks_agenda or tense_of(query.text, language=language) is not Tense.PAST
    return DaysAsked(since, until, query.timezone, query.now, names, without_date=not is_ahead)


@lru_cache(maxsize=64)
def terms_of(words: frozenset[str], languages: tuple[str, ...]) -> tuple[Term, ...]:
    """Return the terms of words, of each its first."""
    found = (query_terms(word, languages)[:1] for word in sorted(words))
    return tuple(dict.fromkeys(term.keys for term in chain.from_iterable(found)))


BULK = Filter(
    where=parse_condition(
        {"or": [{"list_id": {"exists": True}}, {AUTOMATIC_KEY: {"exists": True}}]}
    )
)
"""What came over a list or from a program: a newsletter names days that are no concern of its
reader's, and nobody waits for an answer to an out-of-office reply."""


def find_naming(
    asked: DaysAsked,
    view: IndexView,
    reader: Reader,
    *,
    languages: Sequence[str],
    owner: tuple[str, ...],
) -> dict[int, int]:
    """Return by item slot when what it names begins within the days, in microseconds.

    A list is left out unless its sender is somebody whom the owner writes to.
    """
    if asked.without_date and not _find_undated(view).any():
        return {}
    trusting = TrustResolver.for_view(view, owner)
    is_bulk = mask_of(BULK, view=view, reader=reader)
    chunks = _candidates(asked, view, reader, languages, last=is_bulk)
    slots = view.chunk_items[chunks]
    found: dict[int, int] = {}
    passages = reader.passages(view.places(chunks))
    for slot, (item, span) in zip(slots.tolist(), passages, strict=True):
        if is_bulk[slot] and trusting.of(item) is Trust.UNKNOWN:
            continue
        text = f"{item.title}\n{item.content[span]}"
        begin = _begin(text, item.happened_at, asked)
        if begin is not None:
            found[slot] = min(begin, found.get(slot, begin))
    moved = _find_moved(found, view, reader, now=asked.now)
    return {slot: begin for slot, begin in found.items() if slot not in moved}


def _find_moved(
    slots: Collection[int], view: IndexView, reader: Reader, *, now: datetime
) -> set[int]:
    """Return the mails among slots which a later one of their thread, of other days, changed.

    "The check-up is on Tuesday" holds no longer where "it has been moved to Thursday" follows. In a
    chat such words may be of anything.
    """
    column = view.items.codes["session"].column.rows(view.item_count)
    happened = view.items.happened.rows(view.item_count)
    mails = view.alive & view.of_kind(Kind.EMAIL) & (happened <= microseconds(now))
    moved: set[int] = set()
    for slot in slots:
        later = mails & (column == column[slot]) & (happened > happened[slot])
        others = [one for one in later.nonzero()[0][:THREAD_READ].tolist() if one not in slots]
        if mails[slot] and column[slot] and others:
            items = reader.items(view.items.keys.rows(view.item_count)[others].tolist()).values()
            if any(says_changed(f"{item.title} {item.content[:THREAD_CHARS]}") for item in items):
                moved.add(slot)
    return moved


THREAD_READ, THREAD_CHARS = 8, 2_000
"""So many later mails of a thread, and characters of each, are read for a change."""


def _candidates(
    asked: DaysAsked, view: IndexView, reader: Reader, languages: Sequence[str], *, last: Bools
) -> Slots:
    """Return the slots of the chunks with words of the days, the latest of them, some `last`.

    So are those that name a weekday and the number of a day, which are seldom one of another.
    """
    since_us, until_us = asked.bounds_us
    happened = view.items.happened.rows(view.item_count)
    is_early = (happened >= since_us - AHEAD_DAYS_MAX * DAY_US) & (happened < until_us)
    is_near = is_early & (happened >= since_us - NEAR_DAYS * DAY_US)
    is_early |= happened == UNDATED

    def mark(words: frozenset[str]) -> Bools:
        mask = np.zeros(view.chunk_count, dtype=bool)
        for keys in terms_of(words, tuple(languages)):
            mask[view.term(keys).docs] = True
        return mask

    names, numbers = asked.names, mark(asked.names.numbers)
    by_weekday = numbers & mark(names.weekdays)
    by_month = (numbers & mark(names.months)) | mark(names.dates)
    in_full = by_month | by_weekday
    is_text = view.alive & ~mask_of(Filter(where=WITH_TIME), view=view, reader=reader)
    owners = view.chunk_items
    nearby = mark(names.near) & is_near[owners]
    chosen = (in_full & is_early[owners]) | nearby
    if asked.without_date:
        chosen = in_full & _find_undated(view)[owners]
    found = (chosen & is_text[owners]).nonzero()[0]
    items = owners[found]
    ids = view.items.ids.rows(view.item_count)[items]
    less_likely = last[items] | ~(by_month | nearby)[found]
    return np.asarray(found[np.lexsort((found, ids, -happened[items], less_likely))[:LOOKED_AT]])


def _find_undated(view: IndexView) -> Bools:
    """Return bool[items]: what happened at no time that is known."""

    def make() -> Bools:
        return np.asarray(view.items.happened.rows(view.item_count) == UNDATED)

    return view.derive(_find_undated, make)


def _begin(text: str, happened: datetime | None, asked: DaysAsked) -> int | None:
    """Return when the first thing that a text names within the days begins."""
    names, now = asked.names, happened or asked.now
    if happened is None or happened < asked.since - timedelta(days=NEAR_DAYS):
        names = names._replace(near=frozenset())  # it means another Friday, or any
    found = (
        one
        for piece in names.pieces(text)
        for match in _without_weekdays(find_ranges(piece, now=now, timezone=asked.timezone), piece)
        if match.unit in DAYLIKE
        for one in filter(None, (match.range, match.other))
    )
    begins = (begin for one in found if (begin := _begin_of(one, asked)) is not None)
    return min(begins, default=None)


_DIGIT, _SENTENCE_END = lazy_pattern(r"\d"), lazy_pattern(r"[.!?;]\s|\n")


def _without_weekdays(matches: Sequence[DateMatch], text: str) -> Iterator[DateMatch]:
    """Yield the matches but for weekdays of a date that the same sentence names.

    "From Wednesday to Friday (20 to 22 May)", "on 2 May, in the night to Saturday".
    """
    days = [one for one in matches if one.unit in ("day", "span")]
    dates = [one for one in days if _has_digit(one, text)]
    for match in matches:
        others = dates if match in days and match not in dates else ()
        if not any(_are_weekdays_of(match, date, text) for date in others):
            yield match


def _has_digit(match: DateMatch, text: str) -> bool:
    return _DIGIT.search(text, match.start, match.stop) is not None


def _are_weekdays_of(match: DateMatch, date: DateMatch, text: str) -> bool:
    """Return whether days may be those of a date, or beside it, in the same sentence."""
    first, last = sorted((match, date), key=attrgetter("start"))
    is_near = bool(_weekdays(match.range, beside=0) & _weekdays(date.range, beside=1))
    return is_near and not _SENTENCE_END.search(text, first.stop, last.start)


def _weekdays(time: TimeRange, *, beside: int) -> set[int]:
    """Return the weekdays of a time, and of so many days before and behind it; none if open."""
    if time.since is None or time.until is None:
        return set()
    count = min((time.until - time.since).days, 6)
    return {(time.since + timedelta(days=one)).weekday() for one in range(-beside, count + beside)}


def _begin_of(time: TimeRange, asked: DaysAsked) -> int | None:
    """Return when a time begins within the days; of one that only ends there, its end."""
    since_us, until_us = asked.bounds_us
    begin, end = time.bounds_us
    if begin is not None and since_us <= begin < until_us:
        return begin
    if end is not None and since_us < end <= until_us and begin is None:
        return end - 1
    covers = begin is not None and end is not None and begin < since_us and end > since_us
    return since_us if covers else None
