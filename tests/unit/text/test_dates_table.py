"""What only looks like an expression of time, on Thursday 25 May 2023."""

from datetime import UTC, datetime

import pytest

from simonides.text.dates import find_ranges

THURSDAY = datetime(2023, 5, 25, 12, tzinfo=UTC)

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
99/99/9999 | 2023-13-45 | 31 June | in the fall of Rome | Feb 31 | 2023-13-45T10:00
13/2023 | later on | I read it and had it done in 3 days | between 5 and 12 people
the 5th of Beethoven | between 5 and May | May's idea | last day at work | at the last minute
the next day | blast | anna@sunday.example | 5.6.23
"""


@pytest.mark.parametrize("text", NO_DATES.strip().replace("\n", " | ").split(" | "))
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert find_ranges(text, now=THURSDAY, timezone="UTC") == ()
