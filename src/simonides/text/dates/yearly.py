"""Months, seasons, quarters and holidays, with the year that the words around them give.

Knows when a word such as "may" or "fall" is a time.
"""

from datetime import MAXYEAR, MINYEAR, date

from simonides.text.dates.calendar import TimeSpan, easter_sunday, week_of
from simonides.text.dates.found import (
    Cycle,
    FoundDate,
    match_days,
    match_once,
    nth,
    resolve,
    yearly_months,
)
from simonides.text.dates.reader import (
    DateReader,
    TokenSort,
    day_number,
    full_year,
    ordinal,
    pair,
    plain,
    year_number,
)
from simonides.text.dates.relative import direction, relative
from simonides.text.dates.words import (
    BLOCKED_NOUNS,
    DATE_PREPOSITIONS,
    DETERMINERS,
    HOLIDAYS,
    MONTHS,
    MONTHS_ALONE,
    MONTHS_NAMELY,
    ORDINALS,
    RELATIVES,
    SEASONS,
    WEEKDAYS,
    WHICH,
    WORDS_TOO,
    Grain,
    Holiday,
)
from simonides.text.word_patterns import lazy_pattern


def year_after(reader: DateReader, index: int) -> tuple[int, int] | None:
    """Return (year, stop) of a year at `index`, after a comma, a dash, `of` or `in`."""
    joint = reader.word(index) in ("-", "/") and reader.token(index).joined
    index = skip(reader, index, ",")
    index = index + 1 if joint else skip(reader, index, "of", "in")
    year = year_number(reader, index, low=1000, high=2999)
    if year is not None:
        return year, index + 1
    two = plain(reader.word(index + 1))
    if reader.word(index) == "'" and two is not None and len(reader.word(index + 1)) == 2:  # noqa: PLR2004  '24
        this_year = reader.calendar.now.year
        return full_year(two, this_year=this_year), index + 2
    return _relative_year(reader, index)


def _relative_year(reader: DateReader, index: int) -> tuple[int, int] | None:
    index = skip(reader, index, "the")
    found = relative(reader, index)
    if found is None or found.grain is not Grain.YEAR:
        return None
    span = found.at(0)
    if span is None or span.since is None:
        return None
    day = reader.calendar.day_of(span.since)
    return Cycle.YEARLY.index(day), found.stop


def skip(reader: DateReader, index: int, *marks: str) -> int:
    """Return the index after one of `marks` if it stands at `index`, else `index`."""
    return index + (reader.word(index) in marks)


_NAMES_GO_ON = frozenset({"on", "for", "of", "to", "against"})
_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "it", "they", "this", "that", "who", "to"})
_JOINING = frozenset({"and", "or", "to", "through", "until", "till", "-", "&", ","})


def month(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    """Return a month, or a day or days of one, at `index`.

    `cued` says that the words before make a month of a word that could be another.
    """
    return (
        _month_and_day(reader, index)
        or _day_and_month(reader, index)
        or _bare_month(reader, index, cued=cued)
    )


def _month_and_day(reader: DateReader, index: int) -> FoundDate | None:
    """Match May 5, May 5th, May the 5th, May fifth (with a capital), May 1-3, May-5."""
    month = MONTHS.get(reader.word(index))
    if month is None or _is_verb(reader, index):
        return None
    after = skip(reader, index + 1, ".")
    after = skip(reader, after, "-", "/") if reader.token(after).joined else after
    after = skip(reader, after, "the")
    both = _day_pair(reader, after)
    if both:
        return match_days(reader, after + 1, month=month, first=both[0], last=both[1])
    day = day_number(reader, after)
    if day is None and reader.is_capital(index):
        day = ordinal(reader.word(after))
    return match_days(reader, after + 1, month=month, first=day, last=day) if day else None


def _is_verb(reader: DateReader, index: int) -> bool:
    """Return whether the word is a verb here: I may, we march."""
    return reader.token(index).text in WORDS_TOO and reader.word(index - 1) in _SUBJECTS


def _day_and_month(reader: DateReader, index: int) -> FoundDate | None:
    """Match 5 May, 5th of May, fifth of May, 1-3 May, 5-May-2023."""
    both = _day_pair(reader, index)
    day = day_number(reader, index)
    after = index + 1
    if day is None and both is None:
        day = ordinal(reader.word(index))
        if day is None or reader.word(after) != "of":
            return None
    after = skip(reader, after, "of", "-", "/")
    month = MONTHS.get(reader.word(after))
    if month is None or (reader.token(after).text == "may" and reader.word(after - 1) != "of"):
        return None
    first, last = both or (day or 0, day or 0)
    short = len(reader.word(after)) <= len("sept")
    stop = skip(reader, after + 1, ".") if short else after + 1
    return match_days(reader, stop, month=month, first=first, last=last)


def _day_pair(reader: DateReader, index: int) -> tuple[int, int] | None:
    both = pair(reader.word(index))
    return both if both and both[0] >= 1 and both[1] <= 31 else None  # noqa: PLR2004  days


def _bare_month(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    number = MONTHS.get(reader.word(index))
    if number is None or reader.token(index).sort is not TokenSort.WORD:
        return None
    after = index + 1
    if reader.word(after) == "." and len(reader.word(index)) <= len("sept"):
        after += reader.token(after + 1).word != ""
    if not (cued or _is_month(reader, index) or year_after(reader, after)):
        return None
    return yearly_months(reader, after, first=number - 1, count=1, grain=Grain.MONTH)


def _is_month(reader: DateReader, index: int) -> bool:
    """Return whether the word at `index` means the month: `in march` does, `we march` does not."""
    word, before = reader.word(index), reader.word(index - 1)
    if reader.word(index - 2) == "how" and not reader.is_capital(index):  # how late may I call
        return False
    if word in MONTHS_ALONE or before in DATE_PREPOSITIONS - {"this", "last", "next"}:
        return True
    if before == "" and reader.word(index + 1) in ("", "?", "."):
        return True
    if not reader.is_capital(index):
        return False
    if _touches_month(reader, index):
        return True
    named = word in MONTHS_NAMELY and before in DETERMINERS
    return named and reader.word(index + 1) not in _NAMES_GO_ON


def _touches_month(reader: DateReader, index: int) -> bool:
    """Return whether another month stands next to a joining word here: June or July."""
    before = reader.word(index - 1) in _JOINING and reader.word(index - 2) in MONTHS
    return before or (reader.word(index + 1) in _JOINING and reader.word(index + 2) in MONTHS)


_HOLIDAY_WORDS_MAX = max(map(len, HOLIDAYS))
HOLIDAY_FIRST = frozenset(words[0] for words in HOLIDAYS)
_DAY_NAMES = tuple(WEEKDAYS)


def holiday(reader: DateReader, index: int) -> FoundDate | None:
    """Return a holiday at `index`: Christmas Eve, Good Friday, Thanksgiving, at New Year."""
    if reader.word(index) not in HOLIDAY_FIRST:
        return None
    for length in range(_HOLIDAY_WORDS_MAX, 0, -1):
        words = tuple(reader.word(index + k) for k in range(length))
        if words in HOLIDAYS and reader.word(index + length) not in BLOCKED_NOUNS:
            return _holiday_on(reader, index + length, HOLIDAYS[words])
    return _new_year(reader, index)


def _holiday_on(reader: DateReader, stop: int, kind: Holiday) -> FoundDate | None:
    """Return a holiday of every year, by its date or the rule that it moves by."""
    calendar = reader.calendar

    if isinstance(kind, tuple) and len(kind) == 2:  # noqa: PLR2004  month and day
        return match_days(reader, stop, month=kind[0], first=kind[1], last=kind[1])

    def moving(year: int) -> TimeSpan | None:
        if not MINYEAR < year < MAXYEAR:
            return None
        if isinstance(kind, int):
            return calendar.day(easter_sunday(year) + kind)
        month, weekday, number, away = kind
        whole = calendar.months(year * 12 + month - 1)
        day = nth(reader, whole, number=number, many=1, kind=_DAY_NAMES[weekday])
        return calendar.day(calendar.whole_days(day)[0] + away) if day else None

    return FoundDate(stop=stop, at=moving, cycle=Cycle.YEARLY, grain=Grain.DAY)


def _new_year(reader: DateReader, index: int) -> FoundDate | None:
    """Match the first day of a year in "at New Year", its first month in "in the new year"."""
    if not reader.words(index, "new", "year") or reader.word(index + 2) in BLOCKED_NOUNS:
        return None
    before = reader.word(index - 1)
    if before == "the" and reader.word(index - 2) in DATE_PREPOSITIONS:
        return yearly_months(reader, index + 2, first=0, count=1, grain=Grain.MONTH)
    if before in DATE_PREPOSITIONS or before in ("at", "over"):
        return match_days(reader, index + 2, month=1, first=1, last=1)
    return None


_QUARTER = lazy_pattern(r"q([1-4])")
_HALF = lazy_pattern(r"h([12])")
_YEAR_QUARTER = lazy_pattern(r"([0-9]{4})-?q([1-4])")
_SEASON_CUES = frozenset({"in", "during", "since", "until", "till", "by", "over", "of", "through"})
_EDGES = frozenset({"before", "after"})
_CODES = frozenset({"q1", "q2", "q3", "q4", "h1", "h2", "week", "calendar", "new"}) | {
    f"{code}{number}" for code in ("cw", "kw", "wk") for number in ("", *range(1, 54))
}
SEASON_WORDS = SEASONS.keys() | ORDINALS.keys() | HOLIDAY_FIRST | _CODES
"""The words that `season` reads from; figures are the other way."""


def season(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    """Return a quarter, half, season or holiday at `index`; `cued` as for months."""
    return (
        _quarter_or_half(reader, index)
        or _season(reader, index, cued=cued)
        or holiday(reader, index)
    )


def _quarter_or_half(reader: DateReader, index: int) -> FoundDate | None:
    """Match Q3, third quarter, H1, first half of 2024 (a half only with a year or preposition)."""
    word = reader.word(index)
    quarter, half = _QUARTER.fullmatch(word), _HALF.fullmatch(word)
    number, stop = 0, index + 1
    if quarter and reader.is_capital(index):
        number = int(quarter[1])
    elif reader.word(index + 1) == "quarter":
        number, stop = ordinal(word) or 0, index + 2
    if 1 <= number <= 4:  # noqa: PLR2004  quarters of a year
        return yearly_months(reader, stop, first=3 * number - 3, count=3, grain=Grain.QUARTER)
    if half and reader.is_capital(index):
        first = 6 * int(half[1]) - 6
        return yearly_months(reader, stop, first=first, count=6, grain=Grain.SPAN)
    return None


def _season(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    """Match summer 2023, in the summer; a winter is named by the year in which it begins."""
    month = SEASONS.get(reader.word(index))
    if month is None or reader.word(index + 1) in BLOCKED_NOUNS:
        return None
    if not (cued or _is_season(reader, index) or year_after(reader, index + 1)):
        return None
    first = (month - 1 + 6 * reader.calendar.is_southern) % 12
    return yearly_months(reader, index + 1, first=first, count=3, grain=Grain.SEASON)


def _is_season(reader: DateReader, index: int) -> bool:
    article = reader.word(index - 1) in DETERMINERS
    before = reader.word(index - 1 - article)
    if reader.word(index) == "fall" and reader.word(index + 1) == "of":
        return False
    if before in _EDGES:
        return reader.word(index) != "fall"
    return before in _SEASON_CUES and (article or reader.word(index) != "fall" or before == "in")


_WEEK_CODE = lazy_pattern(r"(?:cw|kw|wk)([0-9]{1,2})")
_ISO_WEEK = lazy_pattern(r"w([0-9]{2})")
_WEEKS_MAX = 53
_WEEK_CUES = DATE_PREPOSITIONS - {"last", "next", "this", "of", "around", "early", "mid", "late"}


def week_number(reader: DateReader, index: int) -> FoundDate | None:
    """Match calendar week 42, CW 42, 2026-W42 and, after a preposition or with a year, week 42."""
    year = year_number(reader, index, low=1900, high=2099)
    after = index + 1 + (reader.word(index + 1) == "-")
    iso = _ISO_WEEK.fullmatch(reader.word(after)) if year and reader.token(after).joined else None
    if iso:
        span = _iso_week(reader, year or 0, int(iso[1]))
        return match_once(after + 1, span) if span else None
    code, stop = _WEEK_CODE.fullmatch(reader.word(index)), index + 1
    is_sure = code is not None or reader.word(index) in ("calendar", "cw")
    stop += reader.words(index, "calendar", "week")
    if code is None and reader.word(stop - 1) not in ("week", "cw"):
        return None
    number = int(code[1]) if code else plain(reader.word(stop))
    stop += code is None
    if number is None or not 1 <= number <= _WEEKS_MAX:
        return None
    is_cued = reader.word(index - 1) in _WEEK_CUES and reader.word(stop) != "of"
    if not (is_sure or is_cued or year_after(reader, stop)):
        return None
    return FoundDate(
        stop=stop,
        at=lambda year: _iso_week(reader, year, number),
        cycle=Cycle.YEARLY,
        grain=Grain.WEEK,
    )


def _iso_week(reader: DateReader, year: int, number: int) -> TimeSpan | None:
    try:
        return reader.calendar.week(week_of(date.fromisocalendar(year, number, 1).toordinal()))
    except ValueError:
        return None


_DAY_AND_MONTH = lazy_pattern(r"([0-9]{1,2})([/.])([0-9]{1,2})")
_FIGURE_CUES = frozenset({"on", "by", "until", "till", "since", "before", "after", "from"})


def figures_day(reader: DateReader, index: int) -> FoundDate | None:
    """Match a day and month in figures after a preposition: on 12/10, by 12.10."""
    match = _DAY_AND_MONTH.fullmatch(reader.word(index))
    if match is None or reader.word(index - 1) not in _FIGURE_CUES:
        return None
    day, month = int(match[1]), int(match[3])
    if not reader.day_first and match[2] == "/":
        day, month = month, day
    if month > 12 or not month:  # noqa: PLR2004  months
        day, month = month, day
    if not 1 <= month <= 12:  # noqa: PLR2004  months
        return None
    return match_days(reader, index + 1, month=month, first=day, last=day)


def stands_alone(reader: DateReader, index: int, found: FoundDate) -> bool:
    """Return whether a match without a year counts: not `H1` in a page, a quarter of a game."""
    if _HALF.fullmatch(reader.word(index)):
        return reader.word(index - 1) in DATE_PREPOSITIONS
    if found.grain is Grain.QUARTER and found.stop == index + 2:
        return reader.word(index - 1) == "the" and reader.word(found.stop) != "of"
    return True


def year_first(reader: DateReader, index: int) -> FoundDate | None:
    """Match 2022 Q3, 2022Q3, 2022-Q3."""
    match = _YEAR_QUARTER.fullmatch(reader.word(index))
    if match:
        year, quarter, stop = int(match[1]), int(match[2]), index + 1
    else:
        number = year_number(reader, index, low=1900, high=2099)
        after = skip(reader, index + 1, "-", "/")
        named = _QUARTER.fullmatch(reader.word(after))
        if number is None or named is None:
            return None
        year, quarter, stop = number, int(named[1]), after + 1
    first = year * 12 + 3 * quarter - 3
    return match_once(stop, reader.calendar.months(first, 3, grain=Grain.QUARTER))


YEARLY_WORDS = MONTHS.keys() | RELATIVES.keys() | SEASON_WORDS
"""The words that `yearly` reads from; figures are the other way."""


def yearly(reader: DateReader, index: int, *, cued: bool = False) -> FoundDate | None:
    """Return a yearly expression at `index`, with its year, if the words around it give one.

    `cued` says that the words before make a month of a word that could be another.
    """
    match = direction(reader, index)
    if match:
        return _relatively(reader, match[0], side=match[1])
    found = year_first(reader, index) or _bare(reader, index, cued=cued)
    if found is None or found.cycle is Cycle.FIXED:
        return found
    year = year_after(reader, found.stop)
    if year:
        return found.only(year[0], year[1])
    return found if stands_alone(reader, index, found) else None


def _relatively(reader: DateReader, index: int, *, side: int) -> FoundDate | None:
    """Match last March, this summer, next Christmas; lower-case `may` only at a clause's end."""
    if reader.token(index).text in WORDS_TOO and reader.token(index + 1).sort is TokenSort.WORD:
        return None
    found = _bare(reader, index, cued=True)
    return resolve(reader, found, WHICH[side]) if found else None


def _bare(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    return (
        month(reader, index, cued=cued)
        or season(reader, index, cued=cued)
        or week_number(reader, index)
        or figures_day(reader, index)
    )
