"""Weekdays, weekends and days of a month, and days at a distance from one of them.

Friday, the weekend before last, the 5th, a week from Tuesday, month end. Knows which Friday
another word selects. Must not know names of months.
"""

from simonides.text.dates.calendar import TimeSpan
from simonides.text.dates.found import (
    Cycle,
    FoundDate,
    earliest_after,
    match_once,
    resolve,
    span_of,
)
from simonides.text.dates.reader import COUNTS, DateReader, TokenSort, day_number, ordinal
from simonides.text.dates.relative import DAYS, TO_DATE, day_word, direction, read_count, relative
from simonides.text.dates.words import (
    BLOCKED_BEFORE_WEEKDAY,
    RELATIVES,
    SINGULAR,
    WEEKDAYS,
    WHICH,
    WORDS_TOO,
    Grain,
    Unit,
    Which,
)

_SAID_ENDS = {"EOD": "day", "COB": "day", "EOW": "week", "EOM": "month", "EOQ": "quarter",
              "EOY": "year"}  # fmt: skip
_SHORT_CUES = frozenset(
    {"on", "last", "next", "this", "since", "until", "till", "before", "after", "and", "to", "-"}
)
_WEEKEND_CUES = frozenset({"the", "this", "over", "at", "on"})
_DAY_CUES = frozenset(
    {"", "on", "since", "until", "till", "by", "before", "after", "from", "to", "between", "and",
     "through", "around", "about", "than", "of", "for"}
)  # fmt: skip
WEEKLY_WORDS = WEEKDAYS.keys() | RELATIVES.keys() | {"weekend"}
"""The words that `weekly` reads from."""
AWAY_WORDS = (
    DAYS.keys()
    | WEEKDAYS.keys()
    | COUNTS
    | TO_DATE
    | {"half", "close"}
    | {word.lower() for word in _SAID_ENDS}
)
"""The words that `day_away` and `end_of_unit` read from; figures are the other way."""
_GOES_ON = frozenset(
    {"and", "or", "to", "at", "in", "until", "till", "through", "with", "did", "was", "were",
     "about", "for", "i", "we", "from", "what", "who", "where", "why", "how", "which", "of"}
)  # fmt: skip
"""Words that may follow "the 5th" when it is a day; any other makes it the 5th of something."""


def weekly(reader: DateReader, index: int) -> FoundDate | None:
    """Return a weekday or weekend at `index`, with the words that select one of them."""
    match = direction(reader, index)
    found = _bare(reader, match[0] if match else index, cued=bool(match))
    if found is None:
        return None
    if reader.words(found.stop, "before", "last") and not match:
        return _turns_away(reader, found.until(found.stop + 2), -2)
    if reader.words(found.stop, "after", "next") and not match:
        return _turns_away(reader, found.until(found.stop + 2), 2)
    if match:
        return resolve(reader, found, WHICH[match[1]])
    return _in_week(reader, found) or found


def _bare(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    word, calendar = reader.word(index), reader.calendar
    if word == "weekend" and (cued or _is_weekend(reader, index)):
        return FoundDate(
            stop=index + 1, at=calendar.weekend, cycle=Cycle.WEEKLY, grain=Grain.WEEKEND
        )
    if word not in WEEKDAYS or not _is_weekday(reader, index, cued=cued):
        return None
    day = WEEKDAYS[word]
    short_stop = reader.word(index + 1) == "." and len(word) <= len("thurs")
    return FoundDate(
        stop=index + 1 + (short_stop and reader.word(index + 2) != ""),
        at=lambda week: calendar.day(week * 7 + 1 + day),
        cycle=Cycle.WEEKLY,
        grain=Grain.DAY,
    )


def _is_weekend(reader: DateReader, index: int) -> bool:
    beyond = reader.word(index + 1) in ("before", "after")
    return beyond or reader.word(index - 1) in _WEEKEND_CUES


def _is_weekday(reader: DateReader, index: int, *, cued: bool) -> bool:
    """Return whether the word is a day: `on Sat` is, `sat down` and `every Friday` are not."""
    word, before = reader.word(index), reader.word(index - 1)
    if before in BLOCKED_BEFORE_WEEKDAY or reader.token(index).text in WORDS_TOO:
        return False
    if word.endswith("day"):
        return True
    following = reader.word(index + 1)
    alone = before == "" and following in ("", "?", ".", ",")
    leads = following in ("-", "to") and reader.word(index + 2) in WEEKDAYS
    return cued or alone or leads or before in _SHORT_CUES


def _turns_away(reader: DateReader, found: FoundDate, turns: int) -> FoundDate | None:
    """Return the weekend before last: two occurrences away, `last` being one."""
    here = Cycle.WEEKLY.index(reader.calendar.today)
    span = span_of(reader, found, WHICH[-1])
    if turns < 0 and span and span.since:
        here = Cycle.WEEKLY.index(reader.calendar.day_of(span.since)) + 1
    return found.only(here + turns)


def _in_week(reader: DateReader, found: FoundDate) -> FoundDate | None:
    """Match Friday last week, Friday of the week before last, Friday this coming week."""
    index = found.stop + (reader.word(found.stop) == ",")
    index += reader.word(index) in ("of", "in")
    index += reader.word(index) == "the"
    week = relative(reader, index)
    span = week.at(0) if week else None
    if week is None or span is None:
        return None
    if week.grain is Grain.SPAN and reader.word(week.stop - 1) == "week":  # from now on, or to now
        day = earliest_after(reader, found, span)
        return match_once(week.stop, day) if day else None
    if week.grain is not Grain.WEEK:
        return None
    return of_week(reader, found.until(week.stop), span)


def of_week(reader: DateReader, found: FoundDate, week: TimeSpan | None) -> FoundDate | None:
    """Return the occurrence of a weekly match that lies in `week`."""
    if week is None or week.since is None:
        return None
    return found.only(Cycle.WEEKLY.index(reader.calendar.day_of(week.since)))


def monthly(reader: DateReader, index: int) -> FoundDate | None:
    """Return "the 5th" at `index` (the number), with "of last month" if that follows."""
    day = ordinal(reader.word(index))
    has_article, in_digits = reader.word(index - 1) == "the", reader.word(index)[:1].isdigit()
    if day is None or not (has_article or in_digits):
        return None
    found = _nth_day(reader, index + 1, day=day)
    of_month = _of_month(reader, index + 1)
    if of_month:
        return found.only(*of_month)
    free = reader.token(index + 1).sort is not TokenSort.WORD or reader.word(index + 1) in _GOES_ON
    if not (has_article and in_digits and free and reader.word(index + 1) != "of"):
        return None
    return found if reader.word(index - 2) in _DAY_CUES else None


def ends_day(reader: DateReader, index: int) -> bool:
    """Return whether the number before `index` is that of a day: no count, and no hour."""
    return reader.word(index) in _AFTER_DAY


_AFTER_DAY = (_GOES_ON - {"to", "until", "till", "through", "or", "of"}) | {*".,;!?)", ""}


def read_numbered_day(reader: DateReader, index: int) -> FoundDate | None:
    """Return a day of the month given by its number alone, as in "from 5 to 12 May"."""
    index += reader.word(index) == "the"
    day = day_number(reader, index)
    return _nth_day(reader, index + 1, day=day) if day else None


def _nth_day(reader: DateReader, stop: int, *, day: int) -> FoundDate:
    def at(month: int) -> TimeSpan | None:
        return reader.calendar.date(month // 12, month % 12 + 1, day)

    return FoundDate(stop=stop, at=at, cycle=Cycle.MONTHLY, grain=Grain.DAY)


def _of_month(reader: DateReader, index: int) -> tuple[int, int] | None:
    """Return (month, stop) of `of last month`, `of the month`."""
    if reader.word(index) != "of":
        return None
    here = Cycle.MONTHLY.index(reader.calendar.today)
    if reader.words(index + 1, "the", "month"):
        return here, index + 3
    match = direction(reader, index + 1)
    if match and reader.word(match[0]) == "month":
        return here + match[1], match[0] + 1
    return None


def day_away(reader: DateReader, index: int) -> FoundDate | None:
    """Match a week from Tuesday, two weeks ago today, two weeks today, Tuesday week."""
    day = _a_day(reader, index, Which.COMING)
    if day:
        unit = SINGULAR.get(reader.word(day.stop))
        is_away = reader.word(day.stop) in ("week", "fortnight")
        goes_on = reader.has_figures(day.stop + 1) or reader.word(day.stop + 1) == "of"
        return _shift(reader, day, 1, unit, day.stop + 1) if is_away and not goes_on else None
    match = read_count(reader, index)
    if match is None or match[2].step not in ("day", "month"):
        return None
    after, count, unit = match
    side, joint = (-1, "ago") if reader.word(after) == "ago" else (1, reader.word(after))
    after += joint in ("ago", "from", "on")
    day = _a_day(reader, after, Which.COMING)
    if day is None or (side < 0 and reader.word(after) in WEEKDAYS) or count.low != count.high:
        return None
    return _shift(reader, day, side * count.low, unit, day.stop)


def _a_day(reader: DateReader, index: int, which: Which) -> FoundDate | None:
    """Return today, yesterday, tomorrow, or a weekday."""
    word = reader.word(index)
    if word in DAYS:
        return day_word(reader, index)
    is_named = word in WEEKDAYS and word.endswith("day")
    found = weekly(reader, index) if is_named else None
    return resolve(reader, found, which) if found else None


def _shift(
    reader: DateReader, day: FoundDate, count: int, unit: Unit | None, stop: int
) -> FoundDate | None:
    span = day.at(0)
    if span is None or span.since is None or unit is None:
        return None
    begin = reader.calendar.day_of(span.since)
    return match_once(stop, reader.calendar.day(reader.calendar.shift(begin, count, unit)))


def end_of_unit(reader: DateReader, index: int) -> FoundDate | None:
    """Match EOD, EOM, end of day, close of business, month end, year-end."""
    calendar, word, after = reader.calendar, reader.word(index), index + 1
    named = _SAID_ENDS.get(reader.token(index).text, "")
    if word == "close" and reader.words(after, "of", "business"):
        named, after = "day", after + 2
    of_day = _a_day(reader, after, Which.COMING) if named == "day" else None
    if of_day:
        return of_day
    if word in TO_DATE and reader.word(after + (reader.word(after) == "-")) == "end":
        named, after = word, after + 1 + (reader.word(after) == "-")
    if not named:
        return None
    span = calendar.around(0, SINGULAR[named])
    first, count = calendar.whole_days(span)
    days = {"day": 1, "week": 3}.get(named, 7)
    return match_once(after, calendar.days(first + count - days, days))
