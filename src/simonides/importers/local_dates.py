"""Dates as programs write them for people of one country: `27/Sep/26 9:00 AM`, `27.09.2026 09:00`.

Must not know where they stand.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from dateutil import parser

from simonides.importers.file_item import moment

_CHARS_MAX = 80
_NUMBERS = re.compile(r"^\s*(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}\b")
_IN_BRACKETS = re.compile(r"\([^)]{0,60}\)")

_MONTHS: tuple[tuple[str, ...], ...] = (
    ("jan", "january", "janv", "janvier", "ene", "enero", "gen", "gennaio", "januar", "jän"),
    ("feb", "february", "févr", "fév", "février", "febrero", "febbraio", "februar", "fev"),
    ("mar", "march", "mars", "marzo", "mär", "märz", "mrz", "maart", "março", "mrt"),
    ("apr", "april", "avr", "avril", "abr", "abril", "aprile"),
    ("may", "mai", "mayo", "mag", "maggio", "mei", "maio"),
    ("jun", "june", "juin", "junio", "giu", "giugno", "juni", "junho"),
    ("jul", "july", "juil", "juillet", "julio", "lug", "luglio", "juli", "julho"),
    ("aug", "august", "août", "ago", "agosto", "augustus"),
    ("sep", "sept", "september", "septembre", "septiembre", "set", "settembre", "setembro"),
    ("oct", "october", "octobre", "octubre", "ott", "ottobre", "okt", "oktober", "out"),
    ("nov", "november", "novembre", "noviembre", "novembro"),
    ("dec", "december", "déc", "décembre", "dic", "diciembre", "dicembre", "dez", "dezember"),
)


class _Words(parser.parserinfo):  # type: ignore[misc]  # the library has no types
    """The words in dates: those of English, and the months of further languages."""

    MONTHS = _MONTHS


_ZONE = re.compile(r"[T ]\d.*(?:Z|[+-]\d\d:?\d\d)$", re.IGNORECASE)
_BASES = (datetime(2000, 1, 1), datetime(2004, 2, 2))  # noqa: DTZ001  differ in each part of a day
_DAY_FIRST, _MONTH_FIRST = _Words(dayfirst=True), _Words(dayfirst=False)


def puts_day_first(texts: Iterable[str]) -> bool:
    """Return whether the dates of one file begin with the day where both readings are possible.

    One date that can only be read in one way tells of all; without any, points mean the day first.
    """
    for text in texts:
        match = _NUMBERS.match(text)
        first, second = (int(match[1]), int(match[2])) if match else (0, 0)
        if max(first, second) > len(_MONTHS):
            return first > second
        if match and "." in match[0]:
            return True
    return False


def local_moment(text: str, *, day_first: bool) -> tuple[datetime | None, bool]:
    """Return (aware UTC time or None, whether UTC was assumed) of a date in words or numbers."""
    plain = _IN_BRACKETS.sub("", text).strip()
    if not plain or len(plain) > _CHARS_MAX:
        return None, False
    iso = moment(plain)
    if iso is not None:
        return iso, not _ZONE.search(plain)
    found = _parsed(plain, _DAY_FIRST if day_first else _MONTH_FIRST)
    if found is None:
        return None, False
    try:
        assumed = found.utcoffset() is None
        return (found.replace(tzinfo=UTC) if assumed else found.astimezone(UTC)), assumed
    except (ValueError, OverflowError):
        return None, False


def _parsed(text: str, dialect: parser.parserinfo) -> datetime | None:
    """Return a whole date; None where the parser would have to fill in a part of the day."""
    try:
        found = [parser.parse(text, parserinfo=dialect, default=base) for base in _BASES]
    except (ValueError, OverflowError, TypeError, AttributeError):
        return None
    return found[0] if found[0] == found[1] else None
