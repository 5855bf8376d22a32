"""Whole dates whose month is not named in English ("5. März 2023", "5 mai 2023", "2023年5月6日").

A day, a month's name and a year, in either order: what else a foreign text says of time is not
read. The names are those of thirteen languages in Unicode's CLDR, their cases and abbreviations
of three letters and more included; a test holds them against the library dateparser.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from operator import itemgetter
from unicodedata import combining, normalize

CANDIDATES_MAX = 16
"""Candidates of one text that are looked at."""

# German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Swedish, Danish, Turkish;
# without accents, month by month. No name stands for two months.
_NAMES = """
ene enero gen gennaio jan janeiro janner januar januari janv janvier oca ocak sty styczen stycznia
styczniu янв январь января | feb febbraio feber febrero februar februari fev fevereiro fevr
fevrier lut lutego luty lutym sub subat фев февр февраль февраля | maart mar marca marco marcu
mars mart marts marz marzec marzo mrt mrz мар март марта | abr abril apr april aprile avr avril
kwi kwie kwiecien kwietnia kwietniu nis nisan апр апрель апреля | mag maggio mai maio maj maja
maju may mayo mayis mei маи мая | cze czerwca czerwcu czerwiec giu giugno haz haziran juin jun
junho juni junio июн июнь июня | juil juillet jul julho juli julio lip lipca lipcu lipiec lug
luglio tem temmuz июл июль июля | ago agosto agu agustos aou aout aug august augusti augustus sie
sierpien sierpnia sierpniu авг август августа | eyl eylul sep sept september septembre septembro
septiembre set setembro setiembre settembre wrz wrzesien wrzesnia wrzesniu сен сент сентябрь
сентября | eki ekim oct octobre octubre okt oktober ott ottobre out outubro paz pazdziernik
pazdziernika pazdzierniku окт октябрь октября | kas kasim lis listopad listopada listopadzie nov
november novembre novembro noviembre ноя нояб ноябрь ноября | ara aralik dec december decembre dez
dezember dezembro dic dicembre diciembre gru grudnia grudniu grudzien дек декабрь декабря
"""
_MONTHS = {
    name: month for month, names in enumerate(_NAMES.split("|"), 1) for name in names.split()
}

_NAME = r"[^\W\d_]{3,12}\.?"
_CANDIDATE = re.compile(
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
