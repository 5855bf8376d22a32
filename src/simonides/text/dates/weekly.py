"""What comes once a week or a month: weekdays, weekends and "the 5th".

Knows how they are written and which one is meant when another word says it.
"""

from simonides.text.dates.calendar import Span
from simonides.text.dates.found import Cycle, FoundDate, fixed, resolve
from simonides.text.dates.reader import Reader, Sort, day_number, ordinal
from simonides.text.dates.relative import direction, relative
from simonides.text.dates.words import (
    BLOCKED_BEFORE_WEEKDAY,
    RELATIVES,
    WEEKDAYS,
    WHICH,
    WORDS_TOO,
    Grain,
)

_SHORT_CUES = frozenset(
    {"on", "last", "next", "this", "since", "until", "till", "before", "after", "and", "to", "-"}
)
_WEEKEND_CUES = frozenset({"the", "this", "over", "at", "on"})
_DAY_CUES = frozenset(
    {"", "on", "since", "until", "till", "by", "before", "after", "from", "to", "between", "and",
     "through"}
)  # fmt: skip
WEEKLY_WORDS = WEEKDAYS.keys() | RELATIVES.keys() | {"weekend"}
"""The words that `weekly` reads from."""
_GOES_ON = frozenset(
    {"and", "or", "to", "at", "in", "until", "till", "through", "with", "did", "was", "were",
     "about", "for", "i", "we", "from", "what", "who", "where", "why", "how", "which", "of"}
)  # fmt: skip
"""Words that may follow "the 5th" when it is a day; any other makes it the 5th of something."""


def weekly(reader: Reader, index: int) -> FoundDate | None:
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


def _bare(reader: Reader, index: int, *, cued: bool) -> FoundDate | None:
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


def _is_weekend(reader: Reader, index: int) -> bool:
    beyond = reader.word(index + 1) in ("before", "after")
    return beyond or reader.word(index - 1) in _WEEKEND_CUES


def _is_weekday(reader: Reader, index: int, *, cued: bool) -> bool:
    """Return whether the word is a day: `on Sat` is, `sat down` and `every Friday` are not."""
    word, before = reader.word(index), reader.word(index - 1)
    if before in BLOCKED_BEFORE_WEEKDAY or reader.token(index).text in WORDS_TOO:
        return False
    if word.endswith("day"):
        return True
    alone = before == "" and reader.word(index + 1) in ("", "?", ".", ",")
    return cued or alone or before in _SHORT_CUES


def _turns_away(reader: Reader, found: FoundDate, turns: int) -> FoundDate | None:
    """Return the weekend before last: two turns away, `last` being one."""
    here = Cycle.WEEKLY.index(reader.calendar.today)
    last = resolve(reader, found, WHICH[-1])
    span = last.at(0) if last else None
    if turns < 0 and span and span.since:
        here = Cycle.WEEKLY.index(reader.calendar.day_of(span.since)) + 1
    span = found.at(here + turns)
    return fixed(found.stop, span) if span else None


def _in_week(reader: Reader, found: FoundDate) -> FoundDate | None:
    """Friday last week, Friday of the week before last, Friday two weeks ago."""
    index = found.stop + (reader.word(found.stop) == ",")
    index += reader.word(index) in ("of", "in")
    index += reader.word(index) == "the"
    week = relative(reader, index)
    if week is None or week.grain is not Grain.WEEK:
        return None
    return of_week(reader, found.until(week.stop), week.at(0))


def of_week(reader: Reader, found: FoundDate, week: Span | None) -> FoundDate | None:
    """Return the turn of a weekly thing that lies in `week`."""
    if week is None or week.since is None:
        return None
    span = found.at(Cycle.WEEKLY.index(reader.calendar.day_of(week.since)))
    return fixed(found.stop, span) if span else None


def monthly(reader: Reader, index: int) -> FoundDate | None:
    """Return "the 5th" at `index` (the number), with "of last month" where that follows."""
    day = ordinal(reader.word(index)) if reader.word(index - 1) == "the" else None
    if day is None:
        return None
    found = _nth_day(reader, index + 1, day=day)
    of_month = _of_month(reader, index + 1)
    if of_month:
        span = found.at(of_month[0])
        return fixed(of_month[1], span) if span else None
    in_digits = reader.word(index)[:1].isdigit()
    free = reader.token(index + 1).sort is not Sort.WORD or reader.word(index + 1) in _GOES_ON
    if not (in_digits and free and reader.word(index + 1) != "of"):
        return None
    return found if reader.word(index - 2) in _DAY_CUES else None


def numbered_day(reader: Reader, index: int) -> FoundDate | None:
    """Return a day of the month given by its number alone, as in "from 5 to 12 May"."""
    index += reader.word(index) == "the"
    day = day_number(reader, index)
    return _nth_day(reader, index + 1, day=day) if day else None


def _nth_day(reader: Reader, stop: int, *, day: int) -> FoundDate:
    def at(month: int) -> Span | None:
        return reader.calendar.date(month // 12, month % 12 + 1, day)

    return FoundDate(stop=stop, at=at, cycle=Cycle.MONTHLY, grain=Grain.DAY)


def _of_month(reader: Reader, index: int) -> tuple[int, int] | None:
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
