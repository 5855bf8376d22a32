"""The rows of a table that a question asks for: those of its time, with its words.

"How much did I spend on groceries in February?" is answered by all of them together. Knows rows as
Markdown writes them and dates in figures. Must not know items.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain
from zoneinfo import ZoneInfo

from simonides.model.answer import TimeRange
from simonides.text.analyse import analyse
from simonides.text.excerpt import QueryTerms
from simonides.text.word_patterns import lazy_pattern

ROW = "\n|"
"""Stands in every text that holds a table."""

ROWS_MIN = 3
"""Fewer lines with bars are no table."""

DATED_MIN = 1 / 3
"""With a date in fewer of its rows a table is of one time, such as a payslip."""

_DATE = lazy_pattern(
    r"(?<!\d)(?:(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<last>\d{4}|\d{2}))(?!\d)"
)
_CENTURY, _MONTHS, _NOON = 2000, 12, 12


def find_asked_rows(
    pieces: Sequence[str], query: QueryTerms, times: Sequence[TimeRange], *, timezone: str
) -> list[int]:
    """Return the places of the rows that are asked for; none where there is no table.

    Those with a word that few rows have come first: "new tyres" is not after all in New Town.
    Those of a time with a word of the question, else all of that time; without a time, those with
    a word. Words that say the time ("in February") do not count. The head of the table comes first.
    None where a sentence beside the table holds more words of the question.
    """
    rows = [place for place, piece in enumerate(pieces) if piece.lstrip().startswith("|")]
    if len(rows) < ROWS_MIN:
        return []
    days = _read_days([pieces[place] for place in rows], timezone=timezone)
    timely = [place for place, day in zip(rows, days, strict=True) if _is_within(day, times)]
    is_by_time = bool(times) and DATED_MIN * len(rows) <= sum(day is not None for day in days)
    among = timely if is_by_time else rows[1:]
    said = frozenset(term for time in times for term in analyse(time.text, query.language))
    wanted = query.terms - said
    words = [wanted.intersection(_terms(piece, query)) for piece in pieces]
    held = list(map(len, words))
    counts = Counter(chain.from_iterable(words[place] for place in among))
    rare = {place: sum(1.0 / counts[word] for word in words[place]) for place in among}
    asked = sorted((place for place in among if held[place]), key=lambda place: -rare[place])
    found = asked or (timely if is_by_time else [])
    apart = {*range(len(pieces))}.difference(rows)
    beside = max((held[place] for place in apart), default=0)
    if not found or beside > max(held[place] for place in found):
        return []
    return list(dict.fromkeys((rows[0], *found)))


def _terms(piece: str, query: QueryTerms) -> Iterable[str]:
    return analyse(piece.replace("|", " "), query.language)


def _read_days(rows: Sequence[str], *, timezone: str) -> list[datetime | None]:
    """Return the noon of the first date in each row.

    Whether day or month comes first is what all dates of the table allow; where both do, the day.
    """
    found = [_DATE.search(row) for row in rows]
    is_month_first = any(one and one["second"] and int(one["second"]) > _MONTHS for one in found)
    return [one and _read_noon(one, is_month_first=is_month_first, zone=timezone) for one in found]


def _read_noon(date: re.Match[str], *, is_month_first: bool, zone: str) -> datetime | None:
    if date["year"]:
        year, month, day = date["year"], date["month"], date["day"]
    else:
        year, month, day = date["last"], date["second"], date["first"]
        month, day = (day, month) if is_month_first else (month, day)
    century = _CENTURY if len(year) < len("2026") else 0
    try:
        return datetime(century + int(year), int(month), int(day), _NOON, tzinfo=ZoneInfo(zone))
    except ValueError:
        return None


def _is_within(day: datetime | None, times: Iterable[TimeRange]) -> bool:
    return day is not None and any(
        (time.since is None or time.since <= day) and (time.until is None or day < time.until)
        for time in times
    )
