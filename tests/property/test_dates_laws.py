"""Laws of reading dates, over arbitrary texts and clocks."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.text.directions import direction_of
from tests.unit.text.time_ranges import find_range

from simonides.text.dates import (
    DateMatch,
    asks_when,
    cues,
    find_ranges,
    holds_time,
)

ZONES = st.sampled_from(
    ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "America/Santiago"]
)
CLOCKS = st.datetimes(timezones=st.just(UTC))
RECENT = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001  the zone is given beside it
    max_value=datetime(2090, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
WORDS = st.sampled_from(
    ["the", "a", "last", "past", "this", "next", "in", "on", "of", "from", "to", "between", "and",
     "since", "before", "after", "until", "by", "early", "late", "end", "first", "second", "day",
     "week", "weekend", "month", "quarter", "season", "year", "years", "days", "ago", "now",
     "today", "yesterday", "tomorrow", "Monday", "Fri", "May", "march", "March", "summer", "fall",
     "Christmas", "Q3", "H1", "5", "12th", "31", "2022", "'", "2023-05-25", "5/6/2023", "90s",
     "few", "couple", "three", "morning", "night", "-", ",", ".", "?", "will", "did"]
)  # fmt: skip
PHRASES = st.lists(WORDS, max_size=12).map(" ".join)
TEXTS = st.one_of(st.text(max_size=80), PHRASES)
WEEKLY = st.sampled_from(
    ["last week", "this week", "next week", "on Monday", "last Friday", "next Friday", "yesterday",
     "the weekend", "last weekend", "past 3 days", "2 weeks ago", "Friday last week", "tomorrow",
     "from Monday to Wednesday", "since Sunday", "the week before last", "until Friday"]
)  # fmt: skip


def read(text: str, now: datetime, zone: str) -> tuple[DateMatch, ...]:
    return find_ranges(text, now=now, timezone=zone)


@given(text=TEXTS, now=CLOCKS, zone=ZONES)
def test_every_range_begins_before_it_ends_and_is_in_utc(
    text: str, now: datetime, zone: str
) -> None:
    for match in read(text, now, zone):
        since, until = match.range.since, match.range.until

        assert since is not None or until is not None
        assert all(end.tzinfo is UTC for end in (since, until) if end)
        assert since is None or until is None or since < until


@given(text=TEXTS, now=CLOCKS, zone=ZONES)
def test_matches_are_in_order_and_apart_and_hold_their_words(
    text: str, now: datetime, zone: str
) -> None:
    stop = 0
    for match in read(text, now, zone):
        assert stop <= match.start < match.stop <= len(text)
        assert match.range.text == text[match.start : match.stop]

        stop = match.stop


@given(text=TEXTS, now=CLOCKS, zone=ZONES)
def test_the_one_range_is_there_if_any_is_and_is_not_empty(
    text: str, now: datetime, zone: str
) -> None:
    one = find_range(text, now=now, timezone=zone)

    assert (one is None) == (not read(text, now, zone))
    if one and one.since and one.until:
        assert one.since < one.until


@given(text=TEXTS, now=CLOCKS, zone=ZONES)
def test_the_same_question_has_the_same_answer(text: str, now: datetime, zone: str) -> None:
    first = find_range(text, now=now, timezone=zone)
    find_range("next Friday", now=now + timedelta(0), timezone="Asia/Tokyo")

    assert find_range(text, now=now, timezone=zone) == first


@given(text=WEEKLY, now=RECENT, weeks=st.integers(-500, 500))
def test_a_weekly_range_moves_with_the_weeks(text: str, now: datetime, weeks: int) -> None:
    by = timedelta(weeks=weeks)
    here = find_range(text, now=now, timezone="UTC")
    there = find_range(text, now=now + by, timezone="UTC")

    assert here is not None
    assert there is not None
    assert there.since == (here.since + by if here.since else None)
    assert there.until == (here.until + by if here.until else None)


@given(now=RECENT, zone=ZONES)
def test_yesterday_today_and_tomorrow_touch(now: datetime, zone: str) -> None:
    names = ("the day before yesterday", "yesterday", "today", "tomorrow", "the day after tomorrow")
    days = [find_range(name, now=now, timezone=zone) for name in names]

    for one, other in pairwise(days):
        assert one is not None
        assert other is not None
        assert one.until == other.since


@given(now=RECENT, zone=ZONES, count=st.integers(1, 400))
def test_what_is_so_many_days_ago_is_a_day_of_the_last_so_many_and_one(
    now: datetime, zone: str, count: int
) -> None:
    day = find_range(f"{count} days ago", now=now, timezone=zone)
    stretch = find_range(f"past {count} days", now=now, timezone=zone)

    assert day is not None
    assert day.since is not None
    assert day.until is not None
    assert stretch is not None
    assert stretch.since is not None
    assert day.since <= stretch.since < day.until


@given(day=st.dates(), zone=ZONES, now=RECENT)
def test_an_iso_date_is_the_same_whatever_the_clock(day: object, zone: str, now: datetime) -> None:
    here = find_range(f"on {day}", now=now, timezone=zone)

    assert here == find_range(f"on {day}", now=datetime(2000, 1, 1, tzinfo=UTC), timezone=zone)
    assert here is not None


@given(text=TEXTS)
def test_cues_never_fail(text: str) -> None:
    assert holds_time(text) in (True, False)
    assert asks_when(text) in (True, False)
    assert direction_of(text) is direction_of(text)


AROUND = st.sampled_from(
    ["", " ", "  ", "\n", "\u00a0", "(", ")", ".", ",", "-", "'", "x", "\u2019"]
)
EXPRESSIONS = st.from_regex(cues._TIME.pattern) | st.lists(
    st.one_of(WORDS, AROUND, st.sampled_from(["st", "of", "pm", "a.m", "jan", "Sept.", "o'clock"])),
    max_size=9,
).map("".join)


@given(st.tuples(AROUND, EXPRESSIONS, AROUND, EXPRESSIONS).map("".join))
@example("the  5\u2003p.m")
@example("couple \n of\u00a0days")
def test_what_runs_say_of_time_is_what_a_search_finds(text: str) -> None:
    found = cues._TIME.search(cues._plain(text)) is not None

    assert holds_time(text) == holds_time(text, runs=text.split()) == found
