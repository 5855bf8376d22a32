"""Expressions of time and what they mean on Thursday 25 May 2023, at noon in UTC."""

from datetime import UTC, datetime

import pytest

from simonides.model.answer import TimeRange
from simonides.text.dates import find_range

THURSDAY = datetime(2023, 5, 25, 12, tzinfo=UTC)

DAYS = """
today                              | 2023-05-25       | 2023-05-26
what did I do yesterday?           | 2023-05-24       | 2023-05-25
Yesterday's notes                  | 2023-05-24       | 2023-05-25
tomorrow                           | 2023-05-26       | 2023-05-27
the day before yesterday           | 2023-05-23       | 2023-05-24
the day after tomorrow             | 2023-05-27       | 2023-05-28
tonight                            | 2023-05-25 18:00 | 2023-05-26 06:00
last night                         | 2023-05-24 18:00 | 2023-05-25 06:00
this morning                       | 2023-05-25 05:00 | 2023-05-25 12:00
this afternoon                     | 2023-05-25 12:00 | 2023-05-25 18:00
this evening                       | 2023-05-25 17:00 | 2023-05-26
yesterday morning                  | 2023-05-24 05:00 | 2023-05-24 12:00
Monday evening                     | 2023-05-22 17:00 | 2023-05-23
earlier today                      | 2023-05-25       | 2023-05-25 12:00
later today                        | 2023-05-25 12:00 | 2023-05-26
yesterday at 5pm                   | 2023-05-24       | 2023-05-25
"""

DISTANCES = """
3 days ago                         | 2023-05-22       | 2023-05-23
three days ago                     | 2023-05-22       | 2023-05-23
a day ago                          | 2023-05-24       | 2023-05-25
an hour ago                        | 2023-05-25 11:00 | 2023-05-25 12:00
90 minutes ago                     | 2023-05-25 10:00 | 2023-05-25 11:00
a week ago                         | 2023-05-15       | 2023-05-22
a couple of weeks ago              | 2023-05-08       | 2023-05-15
a few weeks ago                    | 2023-04-24       | 2023-05-15
2-3 weeks ago                      | 2023-05-01       | 2023-05-15
two fortnights ago                 | 2023-04-24       | 2023-05-01
six months ago                     | 2022-11-01       | 2022-12-01
two quarters ago                   | 2022-10-01       | 2023-01-01
several years ago                  | 2016-01-01       | 2021-01-01
in 3 days                          | 2023-05-28       | 2023-05-29
in two weeks' time                 | 2023-06-05       | 2023-06-12
5 days from now                    | 2023-05-30       | 2023-05-31
two days before Christmas 2022     | 2022-12-23       | 2022-12-24
the week before Christmas 2022     | 2022-12-18       | 2022-12-25
the day after 5 May                | 2023-05-06       | 2023-05-07
a month after 2021                 | 2022-01-01       | 2022-02-01
in a few days                      | 2023-05-27       | 2023-05-30
"""

UNITS = """
last week                          | 2023-05-15       | 2023-05-22
what happened last week on Tuesday | 2023-05-16       | 2023-05-17
the previous week                  | 2023-05-15       | 2023-05-22
this week                          | 2023-05-22       | 2023-05-29
next week                          | 2023-05-29       | 2023-06-05
the week before last               | 2023-05-08       | 2023-05-15
past week                          | 2023-05-18 12:00 | 2023-05-25 12:00
in the last week                   | 2023-05-18 12:00 | 2023-05-25 12:00
past 3 days                        | 2023-05-22 12:00 | 2023-05-25 12:00
last 3 days                        | 2023-05-22 12:00 | 2023-05-25 12:00
the last 24 hours                  | 2023-05-24 12:00 | 2023-05-25 12:00
within the last two weeks          | 2023-05-11 12:00 | 2023-05-25 12:00
over the past few months           | 2023-01-25 12:00 | 2023-05-25 12:00
this past month                    | 2023-04-25 12:00 | 2023-05-25 12:00
the next 2 weeks                   | 2023-05-25 12:00 | 2023-06-08 12:00
last month                         | 2023-04-01       | 2023-05-01
this month                         | 2023-05-01       | 2023-06-01
the current month                  | 2023-05-01       | 2023-06-01
the coming 5 days                  | 2023-05-25 12:00 | 2023-05-30 12:00
following month                    | 2023-06-01       | 2023-07-01
last quarter                       | 2023-01-01       | 2023-04-01
this quarter                       | 2023-04-01       | 2023-07-01
last year                          | 2022-01-01       | 2023-01-01
next year                          | 2024-01-01       | 2025-01-01
the year before last               | 2021-01-01       | 2022-01-01
the month after next               | 2023-07-01       | 2023-08-01
year to date                       | 2023-01-01       | 2023-05-25 12:00
year-to-date spending              | 2023-01-01       | 2023-05-25 12:00
revenue YTD                        | 2023-01-01       | 2023-05-25 12:00
so far this year                   | 2023-01-01       | 2023-05-25 12:00
earlier this week                  | 2023-05-22       | 2023-05-25 12:00
later this month                   | 2023-05-25 12:00 | 2023-06-01
"""

WEEKDAYS = """
on Monday                          | 2023-05-22       | 2023-05-23
on Thursday                        | 2023-05-25       | 2023-05-26
what did we say on Friday          | 2023-05-19       | 2023-05-20
what will we do on Monday          | 2023-05-29       | 2023-05-30
Will we meet on Friday?            | 2023-05-26       | 2023-05-27
do I have anything on Monday?      | 2023-05-29       | 2023-05-30
What did Will say on Monday?       | 2023-05-22       | 2023-05-23
last Friday                        | 2023-05-19       | 2023-05-20
last Thursday                      | 2023-05-18       | 2023-05-19
this Friday                        | 2023-05-26       | 2023-05-27
next Friday                        | 2023-06-02       | 2023-06-03
Friday last week                   | 2023-05-19       | 2023-05-20
Tuesday of last week               | 2023-05-16       | 2023-05-17
two weeks ago on Friday            | 2023-05-12       | 2023-05-13
Friday two weeks ago               | 2023-05-12       | 2023-05-13
Friday before last                 | 2023-05-12       | 2023-05-13
on Sat                             | 2023-05-20       | 2023-05-21
Friday, 5 May 2023                 | 2023-05-05       | 2023-05-06
Mon, 22 May 2023                   | 2023-05-22       | 2023-05-23
the weekend                        | 2023-05-20       | 2023-05-22
last weekend                       | 2023-05-20       | 2023-05-22
this weekend                       | 2023-05-27       | 2023-05-29
next weekend                       | 2023-06-03       | 2023-06-05
weekend before last                | 2023-05-13       | 2023-05-15
the weekend after next             | 2023-06-10       | 2023-06-12
"""

MONTHS = """
in March                           | 2023-03-01       | 2023-04-01
in may                             | 2023-05-01       | 2023-06-01
in November                        | 2022-11-01       | 2022-12-01
what will happen in March          | 2024-03-01       | 2024-04-01
last March                         | 2023-03-01       | 2023-04-01
last May                           | 2022-05-01       | 2022-06-01
this March                         | 2023-03-01       | 2023-04-01
next March                         | 2024-03-01       | 2024-04-01
next August                        | 2023-08-01       | 2023-09-01
in March 2025                      | 2025-03-01       | 2025-04-01
May 2023                           | 2023-05-01       | 2023-06-01
may 2021                           | 2021-05-01       | 2021-06-01
Mar '24                            | 2024-03-01       | 2024-04-01
Sept. 2021                         | 2021-09-01       | 2021-10-01
March of last year                 | 2022-03-01       | 2022-04-01
in March last year                 | 2022-03-01       | 2022-04-01
last year in May                   | 2022-05-01       | 2022-06-01
in 2021, in early May              | 2021-05-01       | 2021-05-11
the April invoice                  | 2023-04-01       | 2023-05-01
early March                        | 2023-03-01       | 2023-03-11
mid-March                          | 2023-03-11       | 2023-03-21
late March 2022                    | 2022-03-21       | 2022-04-01
the end of May                     | 2023-05-21       | 2023-06-01
the beginning of last month        | 2023-04-01       | 2023-04-11
the end of the month               | 2023-05-21       | 2023-06-01
the first week of April            | 2023-04-01       | 2023-04-08
the last week of February 2024     | 2024-02-23       | 2024-03-01
the last 3 days of April           | 2023-04-28       | 2023-05-01
the last Friday of April           | 2023-04-28       | 2023-04-29
first Monday of September 2022     | 2022-09-05       | 2022-09-06
the second weekend in June 2022    | 2022-06-11       | 2022-06-13
the week of May 5                  | 2023-05-01       | 2023-05-08
the month of March                 | 2023-03-01       | 2023-04-01
the weekend of 6 May               | 2023-05-06       | 2023-05-08
the week of March                  | 2023-03-01       | 2023-04-01
the second half of April           | 2023-04-16       | 2023-05-01
the third half of April            | 2023-04-01       | 2023-05-01
fifth week of February 2023        | 2023-02-01       | 2023-03-01
fifth week of March 2023           | 2023-03-29       | 2023-04-01
the end of the first week of May   | 2023-05-05       | 2023-05-08
the month of May 5                 | 2023-05-05       | 2023-05-06
early this morning                 | 2023-05-25 05:00 | 2023-05-25 12:00
"""

DATES = """
2023-05-03                         | 2023-05-03       | 2023-05-04
2023/05/03                         | 2023-05-03       | 2023-05-04
2023-05-03T14:30:00Z               | 2023-05-03 14:00 | 2023-05-03 15:00
2023-05-03T14:30+02:00             | 2023-05-03 12:00 | 2023-05-03 13:00
2023-05-03 14:30                   | 2023-05-03 14:00 | 2023-05-03 15:00
2023-05                            | 2023-05-01       | 2023-06-01
05/2023                            | 2023-05-01       | 2023-06-01
5 May 2023                         | 2023-05-05       | 2023-05-06
5-May-2023                         | 2023-05-05       | 2023-05-06
May 5th, 2023                      | 2023-05-05       | 2023-05-06
may 5                              | 2023-05-05       | 2023-05-06
June 5                             | 2022-06-05       | 2022-06-06
June 5, what shall we do?          | 2023-06-05       | 2023-06-06
May the 4th                        | 2023-05-04       | 2023-05-05
the fifth of May                   | 2023-05-05       | 2023-05-06
5/6/2023                           | 2023-06-05       | 2023-06-06
05/13/2023                         | 2023-05-13       | 2023-05-14
13/05/23                           | 2023-05-13       | 2023-05-14
25.05.2023                         | 2023-05-25       | 2023-05-26
on the 5th                         | 2023-05-05       | 2023-05-06
on the 28th                        | 2023-04-28       | 2023-04-29
the 5th of last month              | 2023-04-05       | 2023-04-06
the 3rd of the month               | 2023-05-03       | 2023-05-04
May 2nd to 4th                     | 2023-05-02       | 2023-05-05
between the 5th and 7 May          | 2023-05-05       | 2023-05-08
Feb 29                             | 2020-02-29       | 2020-03-01
29 February 2024                   | 2024-02-29       | 2024-03-01
5-12 May 2022                      | 2022-05-05       | 2022-05-13
"""

QUARTERS_AND_SEASONS = """
Q3                                 | 2022-07-01       | 2022-10-01
Q3 2022                            | 2022-07-01       | 2022-10-01
2022Q3                             | 2022-07-01       | 2022-10-01
2022-Q3                            | 2022-07-01       | 2022-10-01
Q3 last year                       | 2022-07-01       | 2022-10-01
third quarter of 2022              | 2022-07-01       | 2022-10-01
in the second quarter              | 2023-04-01       | 2023-07-01
H1 2024                            | 2024-01-01       | 2024-07-01
first half of 2024                 | 2024-01-01       | 2024-07-01
in spring                          | 2023-03-01       | 2023-06-01
over the summer                    | 2022-06-01       | 2022-09-01
last summer                        | 2022-06-01       | 2022-09-01
this summer                        | 2023-06-01       | 2023-09-01
summer 2023                        | 2023-06-01       | 2023-09-01
in the fall                        | 2022-09-01       | 2022-12-01
autumn of 2021                     | 2021-09-01       | 2021-12-01
winter 2021                        | 2021-12-01       | 2022-03-01
last winter                        | 2022-12-01       | 2023-03-01
in the fall of 2021                | 2021-09-01       | 2021-12-01
after the summer, what came?       | 2022-09-01       | -
the first quarter of last year     | 2022-01-01       | 2022-04-01
"""

YEARS_AND_HOLIDAYS = """
in 2022                            | 2022-01-01       | 2023-01-01
my 2022 goals                      | 2022-01-01       | 2023-01-01
the year 1850                      | 1850-01-01       | 1851-01-01
early 2022                         | 2022-01-01       | 2022-05-01
late last year                     | 2022-09-01       | 2023-01-01
the 1990s                          | 1990-01-01       | 2000-01-01
in the 90s                         | 1990-01-01       | 2000-01-01
the '90s                           | 1990-01-01       | 2000-01-01
Christmas                          | 2022-12-25       | 2022-12-26
on Christmas Eve 2021              | 2021-12-24       | 2021-12-25
next Christmas                     | 2023-12-25       | 2023-12-26
New Year's Eve                     | 2022-12-31       | 2023-01-01
Halloween last year                | 2022-10-31       | 2022-11-01
Valentine's Day                    | 2023-02-14       | 2023-02-15
"""

ENDS = """
since January                      | 2023-01-01       | -
since 2020                         | 2020-01-01       | -
since last week                    | 2023-05-15       | -
since yesterday                    | 2023-05-24       | -
after March                        | 2023-04-01       | -
from March onwards                 | 2023-03-01       | -
before Christmas 2022              | -                | 2022-12-25
prior to 2020                      | -                | 2020-01-01
until last Friday                  | -                | 2023-05-20
up to 5 May                        | -                | 2023-05-06
by Friday                          | -                | 2023-05-27
what did I finish by Friday        | -                | 2023-05-20
through March                      | -                | 2023-04-01
until now                          | -                | 2023-05-25 12:00
between June and August 2022       | 2022-06-01       | 2022-09-01
between November and January 2023  | 2022-11-01       | 2023-02-01
between 2019 and 2021              | 2019-01-01       | 2022-01-01
between 5 and 12 May               | 2023-05-05       | 2023-05-13
from Monday to Wednesday           | 2023-05-22       | 2023-05-25
from Friday to Monday              | 2023-05-19       | 2023-05-23
from June to August last year      | 2022-06-01       | 2022-09-01
from May 5 to 12                   | 2023-05-05       | 2023-05-13
from March to now                  | 2023-03-01       | 2023-05-25 12:00
since March until May              | 2023-03-01       | 2023-06-01
June-August 2022                   | 2022-06-01       | 2022-09-01
Jan \u2013 Mar 2023                     | 2023-01-01       | 2023-04-01
2019-2021                          | 2019-01-01       | 2022-01-01
Monday through Wednesday           | 2023-05-22       | 2023-05-25
June or July 2019                  | 2019-06-01       | 2019-08-01
between 2021 and 2019              | 2019-01-01       | 2022-01-01
the report from last week          | 2023-05-15       | 2023-05-22
"""

ONE_OF_MANY = """
Q1 and Q2                          | 2023-01-01       | 2023-07-01
in June, July or August            | 2022-06-01       | 2022-09-01
yesterday and today                | 2023-05-24       | 2023-05-26
after March and before May         | 2023-04-01       | 2023-05-01
this year, what happened in March? | 2023-03-01       | 2023-04-01
on Monday, about 2019              | 2023-05-22       | 2023-05-23
"""

FAR = """
5000 years ago                     | 0001-01-01       | 0002-01-01
99999999999 weeks ago              | 0001-01-01       | 0001-01-08
"""

TABLES = (
    DAYS, DISTANCES, UNITS, WEEKDAYS, MONTHS, DATES,
    QUARTERS_AND_SEASONS, YEARS_AND_HOLIDAYS, ENDS, ONE_OF_MANY, FAR,
)  # fmt: skip


def rows(*tables: str) -> list[tuple[str, str, str]]:
    lines = [line for table in tables for line in table.strip().splitlines()]
    parts = [[part.strip() for part in line.split("|")] for line in lines]
    return [(text, since, until) for text, since, until in parts]


def moment(shown: str) -> datetime | None:
    return None if shown == "-" else datetime.fromisoformat(shown).replace(tzinfo=UTC)


def read(text: str) -> TimeRange | None:
    return find_range(text, now=THURSDAY, timezone="UTC")


@pytest.mark.parametrize(("text", "since", "until"), rows(*TABLES))
def test_an_expression_means_its_range(text: str, since: str, until: str) -> None:
    found = read(text)

    assert found is not None
    assert (found.since, found.until) == (moment(since), moment(until))


MS_RECOGNIZERS = """
last week                          | 2023-05-15       | 2023-05-22
Q3 2022                            | 2022-07-01       | 2022-10-01
this month                         | 2023-05-01       | 2023-06-01
since January                      | 2023-01-01       | -
last weekend                       | 2023-05-20       | 2023-05-22
next weekend                       | 2023-06-03       | 2023-06-05
last Friday                        | 2023-05-19       | 2023-05-20
this Friday                        | 2023-05-26       | 2023-05-27
next Friday                        | 2023-06-02       | 2023-06-03
on Monday                          | 2023-05-22       | 2023-05-23
in March                           | 2023-03-01       | 2023-04-01
next March                         | 2024-03-01       | 2024-04-01
last quarter                       | 2023-01-01       | 2023-04-01
after March                        | 2023-04-01       | -
the day before yesterday           | 2023-05-23       | 2023-05-24
last year                          | 2022-01-01       | 2023-01-01
"""
"""What the recognizers-text library reads (of two candidates the past one), where we agree.

It differs on purpose in: "past 3 days" (whole days; ours rolls up to now), "the first week of
April" (Monday 3 to 9 April; ours is the days 1 to 7), "last Monday" and "last March" (those of
last week and last year; ours are the latest that ended), "the weekend" (the coming one; ours is
the latest), "a couple of weeks ago" (a day three weeks back; ours is a week two weeks back),
and it finds no range in "last summer", "before Christmas 2022" and "between June and August".
"""


@pytest.mark.parametrize(("text", "since", "until"), rows(MS_RECOGNIZERS))
def test_a_reading_agrees_with_that_of_a_well_known_library(
    text: str, since: str, until: str
) -> None:
    found = read(text)

    assert found is not None
    assert (found.since, found.until) == (moment(since), moment(until))


NO_DATES = """
may I march | will you | March on Washington | the March on Washington | second opinion | sat down
sun cream | I may go | spring the trap | fall over | summer house | in the summer house
it costs 1999 | $2000 | 2000\u20ac | version 2.1.3 | call 555-1234 | +44 20 7946 1999 | in 2 parts
a week-long trip | see Q3-7 | 24/7 support | at 5pm | at 17:30 | every Monday | I may 2
this may take a while | we march 5 miles | march 5 people out | the last straw | at last
room 2022 | 2000 dollars | 20% of 1999 people | first name | the 5th floor
the second day of the trip | monday.com | http://example.com/2023/05/03 | anna_2023-05-03
IMG-2023-05-03-7a | 10.0.0.1 | 1.2.2020.4 | June said hello | ask April about it | last meeting
next door | last 3 messages | three weeks of holiday | the day before | Sunday-ish | for 3 hours
half past ten | a good day | Christmas party | summer camp | the fall of Rome
the fourth quarter of the game | in my 20s | by the way | the last one | since the wedding
before we met | between you and me | #2022 | from home to work | by 5 people | the H1 heading
99/99/9999 | 2023-13-45 | 31 June | Good Friday | in the fall of Rome | Feb 31 | 2023-13-45T10:00
13/2023 | later on | I read it and had it done in 3 days | between 5 and 12 people
the 5th of Beethoven | between 5 and May | May's idea | last day at work | at the last minute
the next day | blast | anna@sunday.example | 5.6.23
"""


@pytest.mark.parametrize("text", NO_DATES.strip().replace("\n", " | ").split(" | "))
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert read(text) is None


def test_the_tables_are_as_large_as_they_are_meant_to_be() -> None:
    assert len(rows(*TABLES)) >= 150
    assert len(NO_DATES.split("|")) >= 35
