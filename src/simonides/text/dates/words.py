"""The vocabulary of time: English words, and the months of thirteen other languages.

English has months, weekdays, units, holidays, number words. Of other languages only whole dates
are read ("5. März 2023", "5 mai 2023", "2023年5月6日"): a day, a month's name and a year, in either
order. Those names are of Unicode's CLDR, their cases and abbreviations of three letters and more
included; a test holds them against the library dateparser. Must not know the calendar.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from operator import itemgetter
from unicodedata import combining, normalize

from simonides.text.vocabulary import word_file
from simonides.text.word_patterns import lazy_pattern

_TIME = word_file("en")["time"]


class Grain(StrEnum):
    """The calendar unit of a range; `SPAN` is any other span."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    YEAR = "year"
    SPAN = "span"


class Which(StrEnum):
    """The occurrence of a recurring date that is meant."""

    LATEST = "latest"
    """The one that began last; it may still run."""
    COMING = "coming"
    """The one that ends next; it may already run."""
    LAST = "last"
    """The one that ended last."""
    THIS = "this"
    """The one that runs, or else that of the current year or week."""
    NEXT = "next"
    """The one that begins next, or that of next week."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit of duration: `size` steps of a minute, an hour, a day or a month."""

    step: str
    size: int
    grain: Grain


_MINUTE = Unit(step="minute", size=1, grain=Grain.HOUR)
_HOUR = Unit(step="hour", size=1, grain=Grain.HOUR)
_DAY = Unit(step="day", size=1, grain=Grain.DAY)
_WEEK = Unit(step="day", size=7, grain=Grain.WEEK)
_FORTNIGHT = Unit(step="day", size=14, grain=Grain.WEEK)
_MONTH = Unit(step="month", size=1, grain=Grain.MONTH)
_QUARTER = Unit(step="month", size=3, grain=Grain.QUARTER)
_YEAR = Unit(step="month", size=12, grain=Grain.YEAR)
_DECADE = Unit(step="month", size=120, grain=Grain.YEAR)

SINGULAR = {
    "minute": _MINUTE, "hour": _HOUR, "day": _DAY, "week": _WEEK, "fortnight": _FORTNIGHT,
    "month": _MONTH, "quarter": _QUARTER, "year": _YEAR, "decade": _DECADE,
}  # fmt: skip
PLURAL = {f"{word}s": unit for word, unit in SINGULAR.items()}
UNITS = SINGULAR | PLURAL
HALVES = {
    "hour": (30, Unit(step="minute", size=1, grain=Grain.HOUR)), "day": (12, _HOUR),
    "month": (2, _WEEK), "year": (6, _MONTH), "decade": (5, _YEAR), "century": (50, _YEAR),
}  # fmt: skip
"""Half a unit as a count of a smaller one."""
CALENDAR_UNITS = frozenset({"hour", "week", "month", "quarter", "year"})
"""Units of which "last", "this" and "next" name a whole calendar one."""

MONTHS: dict[str, int] = _TIME["months"]
MONTHS_ALONE = frozenset(
    {"january", "february", "july", "september", "october", "november", "december"}
)
"""Months that are nothing else; the others are also names, words or too short to stand alone."""
MONTHS_NAMELY = frozenset({"april", "june", "august", "may", "march"})
"""Months that are also names or words: a determiner and a capital letter are enough."""

WEEKDAYS: dict[str, int] = _TIME["weekdays"]
WORDS_TOO = frozenset({"sat", "sun", "wed", "mar", "may", "march"})
"""Names of days and months that, in small letters, are more often another word."""

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which a northern season begins; each lasts three (meteorological seasons)."""

PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
"""Hours from the day's midnight, half open; a night ends at six. Our own choice."""

NUMBERS: dict[str, int] = _TIME["numbers"]
VAGUE = {"few": (2, 4), "several": (3, 7)}
"""Vague numbers as a range of numbers. Our own choice."""

ORDINALS: dict[str, int] = _TIME["ordinals"]

DECADES: dict[str, int] = _TIME["decades"]

Holiday = tuple[int, int] | int | tuple[int, int, int, int]
"""(month, day), days after Easter Sunday, or (month, weekday, which of them, days after it)."""

HOLIDAYS: dict[tuple[str, ...], Holiday] = {
    tuple(name.split()): tuple(kind) if isinstance(kind, list) else kind
    for name, kind in _TIME["holidays"].items()
}
"""Holidays of the West, those of one country by its rule; the Christian ones are the western."""

RELATIVES: dict[str, int] = _TIME["relatives"]
WHICH = {-1: Which.LAST, 0: Which.THIS, 1: Which.NEXT}

DATE_PREPOSITIONS = frozenset(_TIME["prepositions"].split())
"""A word after one of these is a month rather than a verb or a name."""
DETERMINERS = frozenset({"the", "our", "my", "your", "their", "his", "her"})

COUNTED = frozenset(_TIME["counted"].split())
"""A number before one of these counts things; it is no year and no day."""
NUMBERED = frozenset(_TIME["numbered"].split())
"""A bare number after one of these names or prices a thing; it is no year."""

BLOCKED_NOUNS = frozenset(_TIME["blocked_nouns"].split())
"""After a season or a holiday these make it the name of a thing: a summer house is no time."""
BLOCKED_BEFORE_WEEKDAY = frozenset(
    {"every", "each", "good", "black", "easter", "ash", "cyber", "palm", "casual", "ruby", "shrove"}
)
"""Before a weekday these make it a habit, a name, or a day that moves."""


CANDIDATES_MAX = 16
"""Candidates of one text that are looked at."""

_MONTHS = {
    name: month
    for month, names in enumerate(word_file("months")["foreign"], 1)
    for name in names.split()
}
"""German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Swedish, Danish, Turkish;
without accents, month by month. No name stands for two months."""

_NAME = r"[^\W\d_]{3,12}\.?"
_CANDIDATE = lazy_pattern(
    rf"(?<![\w.])(?P<day>\d{{1,2}})\.?\s(?:de\s)?(?P<name>{_NAME})"
    r"\s(?:de\s)?(?P<year>[12]\d{3})(?!\w)"
    r"|(?<!\d)(?P<y>[12]\d{3})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日"
)


def find_foreign(
    text: str, *, read_already: Sequence[tuple[int, int]]
) -> Iterator[tuple[date, int, int]]:
    """Yield the foreign dates of `text`, each with its character range [start, stop).

    What lies within one of the stretches `read_already`, which rise and do not overlap, is English
    and is not looked at. Of many candidates the first `CANDIDATES_MAX` are read.
    """
    read_count = 0
    for match in _CANDIDATE.finditer(text):
        start, stop = match.span()
        before = bisect_right(read_already, start, key=itemgetter(0)) - 1
        if before >= 0 and stop <= read_already[before][1]:
            continue
        if read_count == CANDIDATES_MAX:
            return
        read_count += 1
        read = _read(match)
        if read is not None:
            yield read, start, stop


def _read(candidate: re.Match[str]) -> date | None:
    day, name, year, *numbers = candidate.group("day", "name", "year", "y", "m", "d")
    if name is not None:
        numbers = [year, _MONTHS.get(_plain(name), 0), day]
    try:
        return date(*map(int, numbers))
    except ValueError:
        return None


def _plain(name: str) -> str:
    """Return the name in lower case, without accents and the dot of an abbreviation."""
    letters = normalize("NFKD", name.rstrip(".").lower().replace("\u0131", "i"))
    return "".join(c for c in letters if not combining(c))
