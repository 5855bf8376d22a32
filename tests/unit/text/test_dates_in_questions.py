"""Dates in whole questions, as people ask them on Tuesday 10 March 2026 at half past three."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from tests.unit.text.time_ranges import find_range

from simonides.model.answer import TimeRange
from simonides.text.dates import find_ranges
from simonides.text.dates.words import BLOCKED_NOUNS, COUNTED, HOLIDAYS, MONTHS, NUMBERED

TUESDAY = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)


def read(text: str) -> TimeRange | None:
    return find_range(text, now=TUESDAY, timezone="UTC")


@pytest.mark.parametrize(
    "text",
    [
        "Which novel has the line 'it was the best of times'?",
        "May I bring Eva along?",
        "how late may I practise?",
        "Who will march with us?",
        "What does the second option cost?",
        "Where is the house by the lake with 3 rooms?",
        "How far is room 2019 from the lift?",
        "Who ordered invoice 2024 and paid 1999 euros?",
        "What is in chapter 1999?",
        "Did Sunny sit in the sun, or was it April who sat down?",
        "Do we still play every Thursday?",
        "Who goes to school each Monday?",
        "Is it at 5 pm or at 17:45?",
        "What was the last thing that broke?",
        "Who lives next door?",
        "How do I reach 030-1234-5678?",
        "Is there a summer camp?",
        "Where are the Christmas cards?",
        "Which file is notes_2026-02-03.txt?",
        "What is at https://example.com/2026/02/03?",
        "Who is on the 3rd floor?",
        "What is 24/7 help?",
        "Is it $1999 or 1999%?",
        "It took him three days, was it worth it?",
    ],
)
def test_a_question_without_a_date_has_none(text: str) -> None:
    assert read(text) is None


def of_the_year(word: str, month: int) -> tuple[datetime, datetime]:
    """Return the last such month that has begun."""
    year = 2026 if month <= 3 else 2025
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    assert word
    return datetime(year, month, 1, tzinfo=UTC), datetime(*after, 1, tzinfo=UTC)


@pytest.mark.parametrize(("word", "month"), MONTHS.items())
def test_every_name_of_a_month_is_read_after_in(word: str, month: int) -> None:
    found = read(f"Who came in {word}?")

    assert found is not None
    assert (found.since, found.until) == of_the_year(word, month)


@pytest.mark.parametrize("words", HOLIDAYS)
def test_every_holiday_is_read_with_its_year(words: tuple[str, ...]) -> None:
    name = " ".join(words).replace(" '", "'").replace(" .", ".")
    found = read(f"Who came on {name.title().replace(chr(39) + 'S', chr(39) + 's')} 2024?")

    assert found is not None
    assert found.since is not None
    assert found.since.year == 2024


HOLIDAY_NAMES = """
Christmas Eve 12-24 | Christmas Day 12-25 | Xmas 12-25 | Boxing Day 12-26 | New Year's Eve 12-31
New Year's Day 01-01 | New Years Day 01-01 | New Year's 01-01 | Valentine's Day 02-14
Valentines Day 02-14 | St. Patrick's Day 03-17 | April Fools 04-01 | April Fool's Day 04-01
Earth Day 04-22 | Cinco de Mayo 05-05 | Juneteenth 06-19 | Independence Day 07-04
Bastille Day 07-14 | Halloween 10-31 | Guy Fawkes Night 11-05 | Bonfire Night 11-05
Veterans Day 11-11 | Armistice Day 11-11 | Easter 04-04 | Good Friday 04-02
Easter Monday 04-05 | Ash Wednesday 02-17 | Shrove Tuesday 02-16 | Ascension Day 05-13
Pentecost 05-23 | Whit Monday 05-24 | Corpus Christi 06-03 | Thanksgiving 11-25
Black Friday 11-26 | Cyber Monday 11-29 | Memorial Day 05-31 | Labor Day 09-06
Martin Luther King Day 01-18 | Presidents Day 02-15 | Epiphany 01-06
"""


@pytest.mark.parametrize("entry", HOLIDAY_NAMES.strip().replace("\n", " | ").split(" | "))
def test_a_holiday_falls_on_its_day(entry: str) -> None:
    name, _, day = entry.rpartition(" ")
    found = read(f"What did we eat on {name} 2021?")

    assert found is not None
    assert found.since == datetime.fromisoformat(f"2021-{day}").replace(tzinfo=UTC)
    assert found.text == f"{name} 2021"


WEEKDAY_NAMES = {
    "Mon": 9, "Monday": 9, "Tue": 10, "Tues": 10, "Tuesday": 10, "Wed": 4, "Weds": 4,
    "Wednesday": 4, "Thu": 5, "Thur": 5, "Thurs": 5, "Thursday": 5, "Fri": 6, "Friday": 6,
    "Sat": 7, "Saturday": 7, "Sun": 8, "Sunday": 8,
}  # fmt: skip


@pytest.mark.parametrize(("name", "day"), WEEKDAY_NAMES.items())
def test_every_name_of_a_weekday_is_its_latest_one(name: str, day: int) -> None:
    found = read(f"Who came on {name}?")

    assert found is not None
    assert found.since == datetime(2026, 3, day, tzinfo=UTC)


ORDINAL_NAMES = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()


@pytest.mark.parametrize(("day", "name"), list(enumerate(ORDINAL_NAMES, start=1)))
def test_a_day_is_read_by_its_ordinal_in_words(day: int, name: str) -> None:
    spoken = read(f"Who came on the {name} of January?")
    named = read(f"Who came on January {name}?")

    assert spoken is not None
    assert spoken.since == datetime(2026, 1, day, tzinfo=UTC)
    assert named is not None
    assert named.since == spoken.since


COUNT_NAMES = "one two three four five six seven eight nine ten eleven twelve".split()


@pytest.mark.parametrize(("count", "name"), list(enumerate(COUNT_NAMES, start=1)))
def test_a_count_of_days_is_read_in_words(count: int, name: str) -> None:
    in_words, in_digits = read(f"Who came {name} days ago?"), read(f"Who came {count} days ago?")

    assert in_words is not None
    assert in_digits is not None
    assert in_words.since == in_digits.since


@pytest.mark.parametrize("noun", sorted(COUNTED))
def test_a_number_of_things_is_no_year(noun: str) -> None:
    assert "year" not in units(f"It has 2019 {noun} now")


@pytest.mark.parametrize("noun", sorted(NUMBERED))
def test_the_number_of_a_thing_is_no_year(noun: str) -> None:
    assert read(f"It was {noun} 2019") is None


@pytest.mark.parametrize("noun", sorted(BLOCKED_NOUNS))
def test_a_thing_named_for_a_season_or_a_feast_is_no_time(noun: str) -> None:
    assert read(f"Who saw it in the summer {noun}?") is None
    assert read(f"Who saw the Christmas {noun}?") is None


def units(text: str) -> list[str]:
    return [match.unit for match in find_ranges(text, now=TUESDAY, timezone="UTC")]


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("What did I do today?", "2026-03-10T23:00"),
        ("What did I do yesterday?", "2026-03-09T23:00"),
        ("What did I do this month?", "2026-02-28T23:00"),
        ("What did I do on 2026-03-11T00:20?", "2026-03-10T23:00"),
    ],
)
def test_a_late_evening_is_already_tomorrow_further_east(text: str, since: str) -> None:
    late = datetime(2026, 3, 10, 23, 30, tzinfo=UTC)
    found = find_range(text, now=late, timezone="Europe/Berlin")

    assert found is not None
    assert found.since == datetime.fromisoformat(since).replace(tzinfo=UTC)


def test_a_long_note_gives_each_of_its_dates_once() -> None:
    note = (
        "Call of 3 February 2026 with the roofer. He came last Friday, could not finish, and "
        "will be back next week or in April. The bill of 2025-11-30 is paid; the one for Q1 2026 "
        "is due by 31 March. (He was here in the summer of 2024, too.)"
    )
    found = find_ranges(note, now=TUESDAY, timezone="UTC")

    assert [(match.range.text, match.unit) for match in found] == [
        ("3 February 2026", "day"),
        ("last Friday", "day"),
        ("next week", "week"),
        ("April", "month"),
        ("2025-11-30", "day"),
        ("Q1 2026", "quarter"),
        ("by 31 March", "span"),
        ("the summer of 2024", "season"),
    ]
    assert all(note[match.start : match.stop] == match.range.text for match in found)


@pytest.mark.parametrize(
    "text",
    [
        "what did I promise to send by 16 March?",
        "what did I say I would send before 17 March?",
        "what must be done by 16 March?",
        "what had I agreed to do until 16 March?",
        "was habe ich bis zum 16. März zu schicken versprochen?",
        "qu'est-ce que j'ai promis pour le 16 mars ?",
    ],
)
def test_what_somebody_intends_is_due_ahead(text: str) -> None:
    found = read(text)

    assert found is not None
    assert found.until is not None
    assert found.until.date().isoformat() in ("2026-03-16", "2026-03-17")


@pytest.mark.parametrize("text", ["what did we finish by 16 March?", "what was due by 16 March?"])
def test_what_was_done_by_a_day_lies_behind(text: str) -> None:
    end = datetime(2025, 3, 17, tzinfo=UTC)
    assert read(text) == TimeRange(since=None, until=end, text="by 16 March")


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("America/Los_Angeles", "2025-03-04"),
        ("America/Indiana/Knox", "2025-03-04"),
        ("Europe/London", "2025-04-03"),
    ],
)
def test_where_the_month_is_written_first_it_is_read_first(zone: str, day: str) -> None:
    [found] = find_ranges("what happened on 3/4/2025?", now=TUESDAY, timezone=zone)

    assert found.range.since is not None
    assert found.range.since.astimezone(ZoneInfo(zone)).date().isoformat() == day
