"""What comes once a year, in the year that the words around it say, if they do.

Puts months, seasons and holidays together with `last`, `2022` or `last year`.
"""

from simonides.text.dates.found import Cycle, FoundDate, fixed, settled
from simonides.text.dates.month import month
from simonides.text.dates.reader import Reader, Sort
from simonides.text.dates.relative import direction
from simonides.text.dates.season import SEASON_WORDS, season, stands_alone, year_first
from simonides.text.dates.words import MONTHS, RELATIVES, WHICH, WORDS_TOO
from simonides.text.dates.year import year_after

YEARLY_WORDS = MONTHS.keys() | RELATIVES.keys() | SEASON_WORDS
"""The words that `yearly` reads from; figures are the other way."""


def yearly(reader: Reader, index: int, *, cued: bool = False) -> FoundDate | None:
    """Return what comes once a year at `index`, with the year that is said with it, if any.

    `cued` says that the words before make a month of a word that could be another.
    """
    said = direction(reader, index)
    if said:
        return _relatively(reader, said[0], side=said[1])
    found = year_first(reader, index) or _bare(reader, index, cued=cued)
    if found is None or found.cycle is Cycle.FIXED:
        return found
    year = year_after(reader, found.stop)
    if year:
        span = found.at(year[0])
        return fixed(year[1], span) if span else None
    return found if stands_alone(reader, index, found) else None


def _relatively(reader: Reader, index: int, *, side: int) -> FoundDate | None:
    """Last March, this summer, next Christmas; lower-case `may` only at the end of a clause."""
    if reader.token(index).text in WORDS_TOO and reader.token(index + 1).sort is Sort.WORD:
        return None
    found = _bare(reader, index, cued=True)
    return settled(reader, found, WHICH[side]) if found else None


def _bare(reader: Reader, index: int, *, cued: bool) -> FoundDate | None:
    return month(reader, index, cued=cued) or season(reader, index, cued=cued)
