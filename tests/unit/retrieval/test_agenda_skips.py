"""Rules that say where a day goes that a month does not have (RSCALE and SKIP of RFC 7529)."""

from datetime import UTC, datetime

import pytest

from simonides import Agenda, Item, Memory, Settings
from simonides.importers.calendar import items_of_calendar

NOW = datetime(2027, 1, 1, tzinfo=UTC)


def agenda(start: str, rule: str, *, year: int = 2027) -> Agenda:
    lines = ["BEGIN:VEVENT", "UID:fee", "SUMMARY:Fee", f"DTSTART{start}", f"RRULE:{rule}"]
    found = items_of_calendar("\r\n".join([*lines, "END:VEVENT"]).encode())
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(":memory:", settings=settings, clock=lambda: NOW) as kept:
        kept.add([one for one in found if isinstance(one, Item)])
        return kept.agenda(since=f"{year}-01-01", until=f"{year}-12-31")


def days(found: Agenda) -> str:
    return " ".join(one.starts_at[2:10].replace("-", "") for one in found.entries)


JANUARY = ";VALUE=DATE:20270130"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=MONTHLY;SKIP=OMIT;COUNT=3", "270130 270330 270430"),
        ("FREQ=MONTHLY;SKIP=BACKWARD;COUNT=3", "270130 270228 270330"),
        ("FREQ=MONTHLY;SKIP=FORWARD;COUNT=3", "270130 270301 270330"),
        ("FREQ=MONTHLY;SKIP=BACKWARD;UNTIL=20270228", "270130 270228"),
        ("FREQ=MONTHLY;SKIP=FORWARD;UNTIL=20270228", "270130"),
        # two days that are put on one, and one that is put where another is, count once
        ("FREQ=MONTHLY;BYMONTHDAY=29,30;SKIP=BACKWARD;COUNT=3", "270130 270228 270329"),
        ("FREQ=MONTHLY;BYMONTHDAY=28,30;SKIP=BACKWARD;COUNT=3", "270130 270228 270328"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,30;SKIP=FORWARD;COUNT=5", "270130 270201 270301 270330 270401"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,30;SKIP=FORWARD;UNTIL=20270305", "270130 270201 270301"),
        # the last day that is counted from the end is in every month
        ("FREQ=MONTHLY;BYMONTHDAY=-1;SKIP=BACKWARD;COUNT=3", "270130 270131 270228"),
        ("FREQ=MONTHLY;INTERVAL=13;BYMONTHDAY=30;SKIP=FORWARD", "270130"),
        ("FREQ=MONTHLY;BYMONTH=2,3;BYMONTHDAY=31;SKIP=FORWARD", "270130 270301 270331"),
        ("FREQ=MONTHLY;BYMONTH=1,2;BYMONTHDAY=30;SKIP=FORWARD", "270130 270301"),
        (
            "FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=SU,MO;SKIP=BACKWARD",
            "270130 270131 270228 270531 271031",
        ),
        ("FREQ=MONTHLY;BYMONTHDAY=29,30;BYSETPOS=1;SKIP=BACKWARD;COUNT=3", "270130 270228 270329"),
        ("FREQ=YEARLY;BYMONTH=2,4;BYMONTHDAY=31;SKIP=BACKWARD", "270130 270228 270430"),
        ("FREQ=YEARLY;BYMONTH=2,4;BYMONTHDAY=31;SKIP=FORWARD", "270130 270301 270501"),
        ("FREQ=WEEKLY;SKIP=BACKWARD;COUNT=2", "270130 270206"),
    ],
)
def test_a_day_that_a_month_does_not_have_is_put_where_the_rule_says(
    rule: str, expected: str
) -> None:
    assert days(agenda(JANUARY, f"RSCALE=GREGORIAN;{rule}")) == expected


@pytest.mark.parametrize(
    ("skip", "expected"), [("OMIT", ""), ("BACKWARD", "270228"), ("FORWARD", "270301")]
)
def test_a_birthday_on_a_leap_day(skip: str, expected: str) -> None:
    rule = f"RSCALE=GREGORIAN;FREQ=YEARLY;SKIP={skip}"
    start = ";TZID=Europe/Paris:20240229T090000"

    assert days(agenda(start, rule)) == expected
    leap = agenda(start, rule, year=2028)
    assert days(leap) == "280229"


@pytest.mark.parametrize(
    ("rule", "reported"),
    [
        ("RSCALE=CHINESE;FREQ=YEARLY", "counts by the calendar 'CHINESE'; that is not expanded"),
        ("RSCALE=HEBREW;FREQ=MONTHLY;SKIP=FORWARD", "counts by the calendar 'HEBREW'"),
        ("RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=SIDEWAYS", "SKIP can not be 'SIDEWAYS'"),
        ("RSCALE=GREGORIAN;FREQ=YEARLY;BYYEARDAY=366;SKIP=FORWARD", "skips days of the year"),
    ],
)
def test_a_rule_of_another_calendar_is_told_by_its_first_time_and_noted(
    rule: str, reported: str
) -> None:
    found = agenda(JANUARY, rule)

    assert days(found) == "270130"
    (note,) = found.notes
    assert reported in note
