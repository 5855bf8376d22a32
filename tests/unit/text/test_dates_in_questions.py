"""Dates in whole questions, as people ask them on Tuesday 10 March 2026 at half past three."""

from datetime import UTC, datetime

import pytest

from simonides.model.answer import TimeRange
from simonides.text.dates import find_range, find_ranges
from simonides.text.dates.words import BLOCKED_NOUNS, COUNTED, HOLIDAYS, MONTHS, NUMBERED

TUESDAY = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)

QUESTIONS = """
What did I buy the day before yesterday?              | 2026-03-08       | 2026-03-09
What have I planned for the day after tomorrow?       | 2026-03-12       | 2026-03-13
Did the plumber call yesterday afternoon?             | 2026-03-09 12:00 | 2026-03-09 18:00
Who rang on Sunday night?                             | 2026-03-08 18:00 | 2026-03-09 06:00
What was on my list earlier this week?                | 2026-03-09       | 2026-03-10 15:30
What is left for later this month?                    | 2026-03-10 15:30 | 2026-04-01
How much did we spend so far this year?               | 2026-01-01       | 2026-03-10 15:30
What have I written so far today?                     | 2026-03-10       | 2026-03-10 15:30
Our rent, year to date                                | 2026-01-01       | 2026-03-10 15:30
Sales YTD, please                                     | 2026-01-01       | 2026-03-10 15:30
Month-to-date costs                                   | 2026-03-01       | 2026-03-10 15:30
What did Tom say two weeks ago?                       | 2026-02-23       | 2026-03-02
Where was I three months ago?                         | 2025-12-01       | 2026-01-01
What did we plant a couple of years ago?              | 2024-01-01       | 2025-01-01
Who wrote a few days ago?                             | 2026-03-06       | 2026-03-09
Who wrote several weeks ago?                          | 2026-01-19       | 2026-02-23
What came in eleven days ago?                         | 2026-02-27       | 2026-02-28
What came in 45 minutes ago?                          | 2026-03-10 14:00 | 2026-03-10 15:00
Whom do I meet two hours from now?                    | 2026-03-10 17:00 | 2026-03-10 18:00
Whom do I meet four days from today?                  | 2026-03-14       | 2026-03-15
What is due in a week's time?                         | 2026-03-16       | 2026-03-23
What is due in ten days?                              | 2026-03-20       | 2026-03-21
What did I eat in the past two days?                  | 2026-03-08 15:30 | 2026-03-10 15:30
What did I read over the last month?                  | 2026-02-10 15:30 | 2026-03-10 15:30
What will I read during the next month?               | 2026-03-10 15:30 | 2026-04-10 15:30
Any news this past week?                              | 2026-03-03 15:30 | 2026-03-10 15:30
What comes this coming week?                          | 2026-03-10 15:30 | 2026-03-17 15:30
Show the previous quarter                             | 2025-10-01       | 2026-01-01
Show the preceding month                              | 2026-02-01       | 2026-03-01
Show the upcoming year                                | 2027-01-01       | 2028-01-01
Where did we go the month before last?                | 2026-01-01       | 2026-02-01
Where do we go the year after next?                   | 2028-01-01       | 2029-01-01
Who came the weekend before last?                     | 2026-02-28       | 2026-03-02
What did I note on Friday last week?                  | 2026-03-06       | 2026-03-07
What did I note on Friday two weeks ago?              | 2026-02-27       | 2026-02-28
What did I note on Friday of the week before last?    | 2026-02-27       | 2026-02-28
What did I note last week, on Sunday?                 | 2026-03-08       | 2026-03-09
What did Eva say last Tuesday?                        | 2026-03-03       | 2026-03-04
What will Eva do this Tuesday?                        | 2026-03-10       | 2026-03-11
What will Eva do next Tuesday?                        | 2026-03-17       | 2026-03-18
What shall I do on Tuesday?                           | 2026-03-10       | 2026-03-11
What shall I do on Monday?                            | 2026-03-16       | 2026-03-17
Who came on Weds?                                     | 2026-03-04       | 2026-03-05
Who came on Thur. at noon?                            | 2026-03-05       | 2026-03-06
What did we pay in March last year?                   | 2025-03-01       | 2025-04-01
What did we pay in April?                             | 2025-04-01       | 2025-05-01
What will we pay in April?                            | 2026-04-01       | 2026-05-01
What did we pay in the first half of February?        | 2026-02-01       | 2026-02-15
Who came at the end of last year?                     | 2025-09-01       | 2026-01-01
Who came in the middle of 2024?                       | 2024-05-01       | 2024-09-01
Who came in late January?                             | 2026-01-21       | 2026-02-01
Who came at the start of the year?                    | 2026-01-01       | 2026-05-01
Who came in the last two weeks of 2025?               | 2025-12-18       | 2026-01-01
Who came on the last Sunday of February?              | 2026-02-22       | 2026-02-23
Who came on the third Thursday in November 2025?      | 2025-11-20       | 2025-11-21
Who came in the week of 4 February?                   | 2026-02-02       | 2026-02-09
What came two days after Christmas 2025?              | 2025-12-27       | 2025-12-28
What came the week after 1 February?                  | 2026-02-02       | 2026-02-09
What came three months before May 2025?               | 2025-02-01       | 2025-03-01
What did we do on 29 February?                        | 2024-02-29       | 2024-03-01
What did we do on the twenty of May, in 2024?         | 2024-05-01       | 2024-06-01
What did we do on the twentieth of May 2024?          | 2024-05-20       | 2024-05-21
What did we do on Friday, 6 March?                    | 2026-03-06       | 2026-03-07
What did we do on Friday the 6th?                     | 2026-03-06       | 2026-03-07
What did we do on the 6th and who came?               | 2026-03-06       | 2026-03-07
What is due by the 15th?                              | -                | 2026-03-16
What was due by the 15th?                             | -                | 2026-02-16
What is due before 1 April?                           | -                | 2026-04-01
What have we paid since the 1st?                      | 2026-03-01       | -
What have we paid since the summer?                   | 2025-06-01       | -
What have we paid from 2024 onward?                   | 2024-01-01       | -
What have we paid from last May on?                   | 2025-05-01       | -
What have we paid after 2023?                         | 2024-01-01       | -
What was paid till yesterday?                         | -                | 2026-03-10
What was paid up until January?                       | -                | 2026-02-01
What was paid up to now?                              | -                | 2026-03-10 15:30
What was paid between Christmas and New Year's Eve?   | 2025-12-25       | 2026-01-01
What was paid between 3 and 9 January?                | 2026-01-03       | 2026-01-10
What was paid from 28 December to 4 January?          | 2025-12-28       | 2026-01-05
What was paid from Q2 2024 to Q3 2025?                | 2024-04-01       | 2025-10-01
What was paid from 2024 to date?                      | 2024-01-01       | 2026-03-10 15:30
What was paid from 2024 to the present?               | 2024-01-01       | 2026-03-10 15:30
What was paid from Thursday thru Saturday?            | 2026-03-05       | 2026-03-08
What was paid, January & February 2025?               | 2025-01-01       | 2025-03-01
What was paid in Q4?                                  | 2025-10-01       | 2026-01-01
What was paid in the first quarter of 2025?           | 2025-01-01       | 2025-04-01
What was paid in 2025 Q2?                             | 2025-04-01       | 2025-07-01
What was paid in H2 2025?                             | 2025-07-01       | 2026-01-01
What was paid in the winter of 2024?                  | 2024-12-01       | 2025-03-01
What was paid this spring?                            | 2026-03-01       | 2026-06-01
What was paid in autumn last year?                    | 2025-09-01       | 2025-12-01
Which song was it, from the eighties?                 | 1980-01-01       | 1990-01-01
Which song was it, from the 10s?                      | 2010-01-01       | 2020-01-01
Who was here on 2026-02-03?                           | 2026-02-03       | 2026-02-04
Who was here on 3.2.2026?                             | 2026-02-03       | 2026-02-04
Who was here on 3/2/26?                               | 2026-02-03       | 2026-02-04
Who was here on 2026-02-03 at 9:15?                   | 2026-02-03       | 2026-02-04
Who was here, 2026-02-03 09:15?                       | 2026-02-03 09:00 | 2026-02-03 10:00
Who was here, 2026-02-03T09:15:30.5+01:00?            | 2026-02-03 08:00 | 2026-02-03 09:00
Who was here in 02/2026?                              | 2026-02-01       | 2026-03-01
Who was here in 2026-02?                              | 2026-02-01       | 2026-03-01
Who lived here in 1850?                               | 1850-01-01       | 1851-01-01
Who lived here, in Jan '98?                           | 1998-01-01       | 1998-02-01
Who lived here, in Jan '45?                           | 2045-01-01       | 2045-02-01
Who lived here, in Jan '47?                           | 1947-01-01       | 1947-02-01
Who came on Saturday, Sunday and Monday?              | 2026-03-07       | 2026-03-10
Who came in January vs February 2026?                 | 2026-01-01       | 2026-03-01
In 2025, who came on Boxing Day 2025?                 | 2025-12-26       | 2025-12-27
"""


def rows(table: str) -> list[tuple[str, str, str]]:
    parts = [[part.strip() for part in line.split("|")] for line in table.strip().splitlines()]
    return [(text, since, until) for text, since, until in parts]


def moment(shown: str) -> datetime | None:
    return None if shown == "-" else datetime.fromisoformat(shown).replace(tzinfo=UTC)


def read(text: str) -> TimeRange | None:
    return find_range(text, now=TUESDAY, timezone="UTC")


@pytest.mark.parametrize(("text", "since", "until"), rows(QUESTIONS))
def test_a_question_means_its_range(text: str, since: str, until: str) -> None:
    found = read(text)

    assert found is not None
    assert (found.since, found.until) == (moment(since), moment(until))


@pytest.mark.parametrize(
    "text",
    [
        "Which novel has the line 'it was the best of times'?",
        "May I bring Eva along?",
        "Who will march with us?",
        "What does the second option cost?",
        "Where is the house by the lake with 3 rooms?",
        "How far is room 2019 from the lift?",
        "Who ordered invoice 2024 and paid 1999 euros?",
        "What is in chapter 1999?",
        "Did Sunny sit in the sun, or was it April who sat down?",
        "Do we still play every Thursday?",
        "Who goes to school each Monday?",
        "What happens on Black Friday?",
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


@pytest.mark.parametrize(("words", "date"), HOLIDAYS.items())
def test_every_holiday_is_read_with_its_year(words: tuple[str, ...], date: tuple[int, int]) -> None:
    name = " ".join(words).replace(" '", "'").replace(" .", ".")
    found = read(f"Who came on {name.title().replace(chr(39) + 'S', chr(39) + 's')} 2024?")

    assert found is not None
    assert found.since == datetime(2024, *date, tzinfo=UTC)


HOLIDAY_NAMES = """
Christmas Eve 12-24 | Christmas Day 12-25 | Xmas 12-25 | Boxing Day 12-26 | New Year's Eve 12-31
New Year's Day 01-01 | New Years Day 01-01 | New Year's 01-01 | Valentine's Day 02-14
Valentines Day 02-14 | St. Patrick's Day 03-17 | April Fools 04-01 | April Fool's Day 04-01
Earth Day 04-22 | Cinco de Mayo 05-05 | Juneteenth 06-19 | Independence Day 07-04
Bastille Day 07-14 | Halloween 10-31 | Guy Fawkes Night 11-05 | Bonfire Night 11-05
Veterans Day 11-11 | Armistice Day 11-11
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
