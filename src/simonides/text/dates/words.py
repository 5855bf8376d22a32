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

from simonides.text.word_patterns import lazy_pattern


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

MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6,
    "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
    "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
MONTHS_ALONE = frozenset(
    {"january", "february", "july", "september", "october", "november", "december"}
)
"""Months that are nothing else; the others are also names, words or too short to stand alone."""
MONTHS_NAMELY = frozenset({"april", "june", "august", "may", "march"})
"""Months that are also names or words: a determiner and a capital letter are enough."""

WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5,
    "sunday": 6, "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3,
    "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
WORDS_TOO = frozenset({"sat", "sun", "wed", "mar", "may", "march"})
"""Names of days and months that, in small letters, are more often another word."""

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which a northern season begins; each lasts three (meteorological seasons)."""

PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
"""Hours from the day's midnight, half open; a night ends at six. Our own choice."""

NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "ninety": 90, "hundred": 100,
}  # fmt: skip
VAGUE = {"few": (2, 4), "several": (3, 7)}
"""Vague numbers as a range of numbers. Our own choice."""

ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip

DECADES = {
    "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990,
}  # fmt: skip

Holiday = tuple[int, int] | int | tuple[int, int, int, int]
"""(month, day), days after Easter Sunday, or (month, weekday, which of them, days after it)."""

HOLIDAYS: dict[tuple[str, ...], Holiday] = {
    ("christmas", "eve"): (12, 24), ("christmas", "day"): (12, 25), ("christmas",): (12, 25),
    ("xmas", "eve"): (12, 24), ("xmas", "day"): (12, 25), ("xmas",): (12, 25),
    ("boxing", "day"): (12, 26),
    ("new", "year", "'s", "eve"): (12, 31), ("new", "years", "eve"): (12, 31),
    ("new", "year", "eve"): (12, 31), ("new", "year", "'s", "day"): (1, 1),
    ("new", "years", "day"): (1, 1), ("new", "year", "'s"): (1, 1),
    ("valentine", "'s", "day"): (2, 14), ("valentines", "day"): (2, 14),
    ("valentine", "'s"): (2, 14),
    ("st", ".", "patrick", "'s", "day"): (3, 17), ("st", "patrick", "'s", "day"): (3, 17),
    ("april", "fools"): (4, 1), ("april", "fool", "'s", "day"): (4, 1),
    ("april", "fools", "day"): (4, 1), ("earth", "day"): (4, 22),
    ("cinco", "de", "mayo"): (5, 5), ("juneteenth",): (6, 19),
    ("independence", "day"): (7, 4), ("bastille", "day"): (7, 14),
    ("halloween",): (10, 31), ("guy", "fawkes", "night"): (11, 5), ("bonfire", "night"): (11, 5),
    ("veterans", "day"): (11, 11), ("armistice", "day"): (11, 11), ("epiphany",): (1, 6),
    ("may", "day"): (5, 1), ("all", "saints", "day"): (11, 1),
    ("all", "saints", "'", "day"): (11, 1),
    ("easter",): 0, ("easter", "sunday"): 0, ("easter", "monday"): 1, ("easter", "saturday"): -1,
    ("good", "friday"): -2, ("palm", "sunday"): -7, ("maundy", "thursday"): -3,
    ("ash", "wednesday"): -46, ("shrove", "tuesday"): -47, ("mardi", "gras"): -47,
    ("pancake", "day"): -47, ("ascension", "day"): 39, ("pentecost",): 49, ("whitsun",): 49,
    ("whit", "sunday"): 49, ("whit", "monday"): 50, ("corpus", "christi"): 60,
    ("martin", "luther", "king", "day"): (1, 0, 3, 0), ("presidents", "day"): (2, 0, 3, 0),
    ("memorial", "day"): (5, 0, -1, 0), ("labor", "day"): (9, 0, 1, 0),
    ("thanksgiving",): (11, 3, 4, 0), ("thanksgiving", "day"): (11, 3, 4, 0),
    ("black", "friday"): (11, 3, 4, 1), ("cyber", "monday"): (11, 3, 4, 4),
}  # fmt: skip
"""Holidays of the West, those of one country by its rule; the Christian ones are the western."""

RELATIVES = {
    "last": -1, "past": -1, "previous": -1, "preceding": -1, "this": 0, "current": 0,
    "next": 1, "coming": 1, "following": 1, "upcoming": 1,
}  # fmt: skip
WHICH = {-1: Which.LAST, 0: Which.THIS, 1: Which.NEXT}

DATE_PREPOSITIONS = frozenset(
    {"in", "since", "until", "till", "til", "by", "before", "after", "during", "of", "from",
     "through", "throughout", "around", "early", "mid", "late", "between", "for", "last", "next",
     "this"}
)  # fmt: skip
"""A word after one of these is a month rather than a verb or a name."""
DETERMINERS = frozenset({"the", "our", "my", "your", "their", "his", "her"})

COUNTED = frozenset(
    {"dollars", "euros", "pounds", "people", "persons", "users", "words", "tokens", "steps",
     "calories", "kcal", "miles", "km", "kilometres", "kilometers", "metres", "meters", "kg", "g",
     "lbs", "pages", "points", "times", "items", "votes", "units", "copies", "bytes", "kb", "mb",
     "gb", "hz", "rpm", "employees", "customers", "students", "members", "hours", "minutes",
     "seconds", "days", "weeks", "months", "years", "followers", "subscribers", "lines", "rows",
     "files", "usd", "eur", "gbp", "yen", "percent", "messages", "emails", "tickets", "tasks"}
)  # fmt: skip
"""A number before one of these counts things; it is no year and no day."""
NUMBERED = frozenset(
    {"room", "flight", "order", "page", "extension", "pin", "code", "iso", "bus", "chapter",
     "number", "no", "version", "cost", "costs", "paid", "pay", "price", "worth", "spent", "usd",
     "eur", "gbp", "ticket", "invoice", "issue", "line", "route", "model", "windows", "office"}
)  # fmt: skip
"""A bare number after one of these names or prices a thing; it is no year."""

BLOCKED_NOUNS = frozenset(
    {"house", "houses", "home", "camp", "camps", "school", "job", "jobs", "roll", "rolls",
     "onion", "onions", "cleaning", "clean", "coat", "coats", "jacket", "jumper", "squash",
     "water", "tyres", "tires", "olympics", "games", "sale", "dress", "intern", "internship",
     "party", "parties", "card", "cards", "tree", "trees", "present", "presents", "gift", "gifts",
     "dinner", "market", "markets", "costume", "costumes", "shopping", "song", "songs", "carol",
     "carols", "movie", "movies", "decorations", "lights", "list", "sweater", "cake", "egg",
     "eggs", "bunny", "basket", "turkey", "resolution", "resolutions", "island"}
)  # fmt: skip
"""After a season or a holiday these make it the name of a thing: a summer house is no time."""
BLOCKED_BEFORE_WEEKDAY = frozenset(
    {"every", "each", "good", "black", "easter", "ash", "cyber", "palm", "casual", "ruby", "shrove"}
)
"""Before a weekday these make it a habit, a name, or a day that moves."""


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
