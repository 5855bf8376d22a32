"""A year said after something: March 2022, Q3 of 2022, May '22, summer last year.

Knows how such a year is written. Must not know what it belongs to.
"""

from simonides.text.dates.found import Cycle
from simonides.text.dates.number import full_year, plain, year_number
from simonides.text.dates.reader import Reader
from simonides.text.dates.relative import relative
from simonides.text.dates.words import Grain


def year_after(reader: Reader, index: int) -> tuple[int, int] | None:
    """Return (year, stop) of a year said at `index`, after a comma, a dash, `of` or `in`."""
    joint = reader.word(index) in ("-", "/") and reader.token(index).joined
    index = past(reader, index, ",")
    index = index + 1 if joint else past(reader, index, "of", "in")
    year = year_number(reader, index, low=1000, high=2999)
    if year is not None:
        return year, index + 1
    two = plain(reader.word(index + 1))
    if reader.word(index) == "'" and two is not None and len(reader.word(index + 1)) == 2:  # noqa: PLR2004  '24
        this_year = reader.calendar.now.year
        return full_year(two, this_year=this_year), index + 2
    return _relative_year(reader, index)


def _relative_year(reader: Reader, index: int) -> tuple[int, int] | None:
    index = past(reader, index, "the")
    found = relative(reader, index)
    if found is None or found.grain is not Grain.YEAR:
        return None
    span = found.at(0)
    if span is None or span.since is None:
        return None
    day = reader.calendar.day_of(span.since)
    return Cycle.YEARLY.index(day), found.stop


def past(reader: Reader, index: int, *marks: str) -> int:
    """Return the index after one of `marks` if it stands at `index`, else `index`."""
    return index + (reader.word(index) in marks)
