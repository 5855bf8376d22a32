"""Dates as programs write them for people of one country: `27/Sep/26 9:00 AM`, `27.09.2026 09:00`.

Must not know where they stand.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

from simonides.importers.file_item import by_own_clock, moment
from simonides.text.vocabulary import word_file

_CHARS_MAX = 80
_CENTURY = 2000
"""What two digits of a year stand after: these tables are younger than their trackers."""

_DAY = r"(?P<{}>\d{{1,2}}|[^\W\d_]{{3,12}}\.?)"
_DATE = re.compile(
    rf"(?:[^\W\d_]{{2,12}},?\s+)?{_DAY.format('first')}[\s./-]+{_DAY.format('second')}[\s,./-]+"
    r"(?P<year>\d{4}|\d{2})(?:[\sT,]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<seconds>\d\d))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?(?:\s*(?:GMT|UTC|Z)?(?P<zone>[+-]\d{4}|(?<=[TCZ])))?)?"
)
_ZONE = re.compile(r"[T ]\d.*(?:Z|[+-]\d\d:?\d\d)$", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^)]{0,60}\)")

_MONTHS = tuple(one.split() for one in word_file("months")["beginnings"])
"""How the names of months begin in nine languages: all with a file and spaces between words."""


def puts_day_first(texts: Iterable[str]) -> bool:
    """Return whether the dates of one file begin with the day where both readings are possible.

    One date that can only be read in one way tells of all; without any, points mean the day first.
    """
    for text in texts:
        match = _DATE.match(text.strip()[:_CHARS_MAX])
        if not (match and match["first"].isdecimal() and match["second"].isdecimal()):
            continue
        first, second = int(match["first"]), int(match["second"])
        if max(first, second) > len(_MONTHS):
            return first > second
        if "." in match[0]:
            return True
    return False


def local_moment(text: str, *, day_first: bool, timezone: str = "") -> tuple[datetime | None, bool]:
    """Return (aware UTC time or None, whether it names no zone) of a date in words or numbers.

    One that names none is by the clocks of `timezone`, the user's own, or else UTC.
    """
    plain = _IN_BRACKETS.sub("", text[:_CHARS_MAX]).strip()
    iso = moment(plain, timezone)
    if iso is not None:
        return iso, not _ZONE.search(plain)
    match = _DATE.fullmatch(plain)
    found = _read(match, day_first=day_first) if match else None
    if found is None or match is None or match["zone"] is not None:
        return found, False
    return by_own_clock(found, timezone), True


def _read(match: re.Match[str], *, day_first: bool) -> datetime | None:
    first, second = match["first"], match["second"]
    if _is_day(first, before=second, day_first=day_first):
        first, second = second, first
    hour = int(match["hour"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    year = int(match["year"])
    try:
        return datetime(
            year if year > 99 else _CENTURY + year,  # noqa: PLR2004  two digits
            _month(first),
            int(second),
            hour,
            int(match["minute"] or 0),
            int(match["seconds"] or 0),
            tzinfo=_zone(match["zone"] or ""),
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _is_day(first: str, *, before: str, day_first: bool) -> bool:
    """Return whether the first part is the day; a number that can be no month is one anyhow."""
    if not (first.isdecimal() and before.isdecimal()):
        return first.isdecimal()
    return int(before) <= len(_MONTHS) if day_first else int(first) > len(_MONTHS)


def _month(text: str) -> int:
    """Return the number of a month; 0, which no date has, for all else."""
    if text.isdecimal():
        return int(text)
    name = text.casefold()
    begins = (number for number, names in enumerate(_MONTHS, 1) if name.startswith(tuple(names)))
    return next(begins, 0)


def _zone(text: str) -> timezone:
    if not text:
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
