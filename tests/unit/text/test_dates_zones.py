"""Days are the user's days: zones, clock changes, leap days, the turns of weeks and years."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from tests.unit.text.time_ranges import find_range

from simonides.errors import InvalidInput
from simonides.model.answer import TimeRange
from simonides.text.dates import find_ranges

NEW_YORK, KOLKATA, AUCKLAND = "America/New_York", "Asia/Kolkata", "Pacific/Auckland"

# expression | now in UTC | zone | since in UTC | until in UTC
CASES = """
today           | 2023-05-25 02:00 | America/New_York | 2023-05-24 04:00 | 2023-05-25 04:00
yesterday       | 2023-05-25 02:00 | America/New_York | 2023-05-23 04:00 | 2023-05-24 04:00
today           | 2023-03-12 18:00 | America/New_York | 2023-03-12 05:00 | 2023-03-13 04:00
today           | 2023-11-05 18:00 | America/New_York | 2023-11-05 04:00 | 2023-11-06 05:00
last week       | 2023-03-15 12:00 | America/New_York | 2023-03-06 05:00 | 2023-03-13 04:00
past 3 days     | 2023-03-13 16:00 | America/New_York | 2023-03-10 17:00 | 2023-03-13 16:00
past 24 hours   | 2023-03-12 16:00 | America/New_York | 2023-03-11 16:00 | 2023-03-12 16:00
in March        | 2023-05-25 12:00 | America/New_York | 2023-03-01 05:00 | 2023-04-01 04:00
an hour ago     | 2023-11-05 06:30 | America/New_York | 2023-11-05 05:00 | 2023-11-05 06:00
2023-05-03      | 2023-05-25 12:00 | Asia/Kolkata     | 2023-05-02 18:30 | 2023-05-03 18:30
today           | 2023-05-24 19:00 | Asia/Kolkata     | 2023-05-24 18:30 | 2023-05-25 18:30
an hour ago     | 2023-05-25 12:00 | Asia/Kolkata     | 2023-05-25 10:30 | 2023-05-25 11:30
this morning    | 2023-05-25 06:00 | Asia/Kolkata     | 2023-05-24 23:30 | 2023-05-25 06:30
in 2022         | 2023-05-25 12:00 | Asia/Kolkata     | 2021-12-31 18:30 | 2022-12-31 18:30
2023-05-03T09:15:00+05:30 | 2023-05-25 12:00 | UTC    | 2023-05-03 03:00 | 2023-05-03 04:00
2023-05-03T09:15 | 2023-05-25 12:00 | Asia/Kolkata    | 2023-05-03 03:30 | 2023-05-03 04:30
on Monday       | 2023-05-21 13:00 | Pacific/Auckland | 2023-05-21 12:00 | 2023-05-22 12:00
today           | 2023-09-24 06:00 | Pacific/Auckland | 2023-09-23 12:00 | 2023-09-24 11:00
today           | 2023-04-02 06:00 | Pacific/Auckland | 2023-04-01 11:00 | 2023-04-02 12:00
this year       | 2022-12-31 12:00 | Pacific/Auckland | 2022-12-31 11:00 | 2023-12-31 11:00
today           | 2023-09-03 12:00 | America/Santiago | 2023-09-03 04:00 | 2023-09-04 03:00
a year ago      | 2024-02-29 12:00 | UTC              | 2023-01-01 00:00 | 2024-01-01 00:00
past year       | 2024-02-29 12:00 | UTC              | 2023-02-28 12:00 | 2024-02-29 12:00
past month      | 2024-03-31 12:00 | UTC              | 2024-02-29 12:00 | 2024-03-31 12:00
a month ago     | 2023-03-31 12:00 | UTC              | 2023-02-01 00:00 | 2023-03-01 00:00
Feb 29          | 2024-02-29 12:00 | UTC              | 2024-02-29 00:00 | 2024-03-01 00:00
next February 29 | 2097-01-01 12:00 | UTC             | 2104-02-29 00:00 | 2104-03-01 00:00
the end of February | 2024-03-05 12:00 | UTC           | 2024-02-20 00:00 | 2024-03-01 00:00
yesterday       | 2024-01-01 12:00 | UTC              | 2023-12-31 00:00 | 2024-01-01 00:00
last week       | 2024-01-01 12:00 | UTC              | 2023-12-25 00:00 | 2024-01-01 00:00
this week       | 2024-01-07 23:59 | UTC              | 2024-01-01 00:00 | 2024-01-08 00:00
last month      | 2024-01-15 12:00 | UTC              | 2023-12-01 00:00 | 2024-01-01 00:00
last quarter    | 2024-01-15 12:00 | UTC              | 2023-10-01 00:00 | 2024-01-01 00:00
this winter     | 2024-01-15 12:00 | UTC              | 2023-12-01 00:00 | 2024-03-01 00:00
last winter     | 2024-01-15 12:00 | UTC              | 2022-12-01 00:00 | 2023-03-01 00:00
last summer     | 2024-07-15 12:00 | UTC              | 2023-06-01 00:00 | 2023-09-01 00:00
last winter     | 2024-01-15 12:00 | Australia/Brisbane | 2023-05-31 14:00 | 2023-08-31 14:00
this summer     | 2024-01-15 12:00 | Pacific/Auckland | 2023-11-30 11:00 | 2024-02-29 11:00
in autumn 2023  | 2024-01-15 12:00 | America/Sao_Paulo | 2023-03-01 03:00 | 2023-06-01 03:00
last summer     | 2024-07-15 12:00 | Africa/Nairobi   | 2023-05-31 21:00 | 2023-08-31 21:00
last Christmas  | 2023-12-25 12:00 | UTC              | 2022-12-25 00:00 | 2022-12-26 00:00
last Sunday     | 2023-05-28 12:00 | UTC              | 2023-05-21 00:00 | 2023-05-22 00:00
last Sunday     | 2023-05-22 00:00 | UTC              | 2023-05-21 00:00 | 2023-05-22 00:00
last weekend    | 2023-05-28 12:00 | UTC              | 2023-05-20 00:00 | 2023-05-22 00:00
weekend before last | 2023-05-28 12:00 | UTC           | 2023-05-13 00:00 | 2023-05-15 00:00
weekend before last | 2023-05-29 12:00 | UTC           | 2023-05-20 00:00 | 2023-05-22 00:00
the weekend     | 2023-05-28 12:00 | UTC              | 2023-05-27 00:00 | 2023-05-29 00:00
on Monday       | 2023-05-22 00:00 | UTC              | 2023-05-22 00:00 | 2023-05-23 00:00
the 31st        | 2023-05-25 12:00 | UTC              | 2023-05-31 00:00 | 2023-06-01 00:00
5/6/05          | 1999-01-01 12:00 | UTC              | 2005-06-05 00:00 | 2005-06-06 00:00
"""


def at(shown: str) -> datetime:
    return datetime.fromisoformat(shown).replace(tzinfo=UTC)


def rows() -> list[tuple[str, ...]]:
    lines = CASES.strip().splitlines()
    return [tuple(part.strip() for part in line.split("|")) for line in lines]


@pytest.mark.parametrize(("text", "now", "zone", "since", "until"), rows())
def test_a_day_is_the_local_one(text: str, now: str, zone: str, since: str, until: str) -> None:
    found = find_range(text, now=at(now), timezone=zone)

    assert found is not None
    assert (found.since, found.until) == (at(since), at(until))


def hours(found: TimeRange | None) -> float:
    assert found is not None
    assert found.since is not None
    assert found.until is not None
    return (found.until - found.since) / timedelta(hours=1)


@pytest.mark.parametrize(
    ("date", "zone", "length"),
    [
        ("2023-03-12", NEW_YORK, 23),
        ("2023-11-05", NEW_YORK, 25),
        ("2023-04-02", AUCKLAND, 25),
        ("2023-09-24", AUCKLAND, 23),
        ("2023-09-24", KOLKATA, 24),
    ],
)
def test_a_day_is_as_long_as_the_clocks_make_it(date: str, zone: str, length: int) -> None:
    found = find_range(date, now=at("2023-12-01"), timezone=zone)

    assert hours(found) == length


def test_now_may_stand_in_any_zone() -> None:
    moment = at("2023-05-25 02:00")
    elsewhere = moment.astimezone(timezone(timedelta(hours=9)))

    assert find_range("today", now=elsewhere, timezone=NEW_YORK) == find_range(
        "today", now=moment, timezone=NEW_YORK
    )


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "America", "Bad\0Zone"])
def test_an_unknown_zone_is_refused_by_name(zone: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_ranges("today", now=at("2023-05-25"), timezone=zone)

    assert refused.value.field == "timezone"


def test_a_clock_without_a_zone_is_refused() -> None:
    naive = at("2023-05-25").replace(tzinfo=None)

    with pytest.raises(InvalidInput) as refused:
        find_range("today", now=naive, timezone="UTC")

    assert refused.value.field == "now"


@pytest.mark.parametrize("now", [datetime.min, datetime.max, datetime(9999, 12, 31, 23, 30)])  # noqa: DTZ001, DTZ901  the zone follows
@pytest.mark.parametrize("zone", ["UTC", KOLKATA, NEW_YORK, AUCKLAND])
@pytest.mark.parametrize(
    "text",
    ["today", "an hour ago", "5000 years ago", "99999999999999999 weeks ago", "in 9000 years",
     "past 99999999999 hours", "next 9999999 days", "last winter", "on Monday", "since Christmas",
     "the weekend", "the 31st", "two weeks before May 5", "the end of the year", "last month"],
)  # fmt: skip
def test_the_ends_of_the_calendar_never_raise(text: str, zone: str, now: datetime) -> None:
    found = find_range(text, now=now.replace(tzinfo=UTC), timezone=zone)

    assert found is None or found.since is None or found.until is None or hours(found) > 0
