"""Bounds of a question, and the named time filters.

`bounds.QUESTION` says how long a question may be; here stands how much of one is analysed. A clock
is an argument. Must not know how a question is answered.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from simonides.errors import InvalidInput
from simonides.model.answer import TimeRange
from simonides.model.bounds import QUESTION
from simonides.model.times import in_zone

QUERY_CHARS_READ = 8_192
"""Characters of a question that are analysed: about four printed pages.

The time of a question grows with its characters, some 15 µs each, so this is what bounds the cost
of one. An embedder reads less (MiniLM 256 tokens).
"""

QUERY_TERMS_MAX = 512
"""Distinct terms of a question that are looked up: what 8,192 characters of prose hold."""

_BEGINNING = 0.75
"""The share of a long question that is taken from its beginning; the rest is taken from its end,
because what is asked often stands below the mail that was pasted."""

Term = TypeVar("Term")


def check_question(text: str, *, field: str, advice: str) -> None:
    """Raise `InvalidInput` unless a text can be a question: not blank, and not too long."""
    if not QUESTION.check_query(text, field=field).strip():
        raise InvalidInput(field, f"is empty; {advice}")


def cut_for_analysis(text: str) -> str:
    """Return the analysed part of a question: all of it, or the two ends of a long one.

    At most `QUERY_CHARS_READ` characters, cut between two words where there are any.
    """
    if len(text) <= QUERY_CHARS_READ:
        return text
    whole = text.strip()
    if len(whole) <= QUERY_CHARS_READ:
        return whole
    head_chars = int(_BEGINNING * QUERY_CHARS_READ)
    head, tail = whole[:head_chars], whole[len(whole) - (QUERY_CHARS_READ - head_chars - 1) :]
    if not whole[head_chars].isspace():
        head = head.rsplit(maxsplit=1)[0]
    if not whole[-len(tail) - 1].isspace():
        tail = tail.split(maxsplit=1)[-1]
    return f"{head.rstrip()}\n{tail.lstrip()}"


def cap_terms(terms: Sequence[Term]) -> Sequence[Term]:
    """Return the terms to look up: all, or the first and the last of too many."""
    if len(terms) <= QUERY_TERMS_MAX:
        return terms
    first = int(_BEGINNING * QUERY_TERMS_MAX)
    return (*terms[:first], *terms[first - QUERY_TERMS_MAX :])


class NamedTime(StrEnum):
    """The rolling time filters of the API."""

    TODAY = "today"
    YESTERDAY = "yesterday"
    LAST_WEEK = "last_week"
    LAST_MONTH = "last_month"
    LAST_3_MONTHS = "last_3_months"
    LAST_6_MONTHS = "last_6_months"


DAYS = {
    NamedTime.LAST_WEEK: 7,
    NamedTime.LAST_MONTH: 30,
    NamedTime.LAST_3_MONTHS: 90,
    NamedTime.LAST_6_MONTHS: 180,
}
"""Days back from now (the designs' numbers)."""

_TICK = timedelta(microseconds=1)
"""The unit of kept times: `now` itself is inside a range that ends with it, as in the designs."""


def named_range(name: NamedTime, *, now: datetime, timezone: str) -> TimeRange:
    """Return the range of a named filter: whole days back from `now`, `now` included.

    `today` begins at the user's midnight; `yesterday` is the calendar day before it.

    Raises:
        InvalidInput: The range leaves the years 1 to 9999.
    """
    try:
        since, until = _ends(name, now, timezone)
    except OverflowError:
        raise InvalidInput("now", f"{now} has no {name} in the years 1 to 9999") from None
    return TimeRange(since=since, until=until, text=name)


def _ends(name: NamedTime, now: datetime, timezone: str) -> tuple[datetime, datetime]:
    day = in_zone(now, timezone).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
    midnight = in_zone(day, timezone)  # without a zone first: clocks may have been set since then
    if name is NamedTime.YESTERDAY:
        return in_zone(day - timedelta(days=1), timezone), midnight
    since = midnight if name is NamedTime.TODAY else now - timedelta(days=DAYS[name])
    return since, now + _TICK
