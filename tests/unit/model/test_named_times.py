"""The rolling ranges of time by name, and times as people write them."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.model.query import DAYS, NamedTime, named_range
from simonides.model.times import in_zone, read_time

# ── named times ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the machine be in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


SWITCH = datetime(2026, 3, 29, 12, tzinfo=UTC)
"""The noon of a day on which Berlin sets its clocks forward at two in the night."""


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("zone", ["", "Europe/Berlin"])
def test_midnight_is_that_of_the_night_before_the_clocks_were_set(zone: str) -> None:
    today = named_range(NamedTime.TODAY, now=SWITCH, timezone=zone)
    yesterday = named_range(NamedTime.YESTERDAY, now=SWITCH, timezone=zone)
    tomorrow = SWITCH + timedelta(days=1)
    whole = named_range(NamedTime.YESTERDAY, now=tomorrow, timezone=zone)

    assert today.since == yesterday.until == datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert yesterday.since == datetime(2026, 3, 27, 23, tzinfo=UTC)
    assert whole.until is not None
    assert whole.since is not None
    assert whole.until.astimezone(UTC) - whole.since.astimezone(UTC) == timedelta(hours=23)


ZONES = st.sampled_from(["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu"])
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis wants naive bounds


@given(now=MOMENTS, zone=ZONES, name=st.sampled_from(NamedTime))
def test_a_range_ends_now_or_at_midnight_and_begins_before(
    now: datetime, zone: str, name: NamedTime
) -> None:
    found = named_range(name, now=now, timezone=zone)

    assert found.since is not None
    assert found.until is not None
    assert found.since < found.until <= now + timedelta(microseconds=1)
    assert found.text == name
    if name in DAYS:
        assert now - found.since == timedelta(days=DAYS[name])
    else:
        assert in_zone(found.since, zone).time().isoformat() in ("00:00:00", "01:00:00")


@pytest.mark.parametrize("name", list(NamedTime))
def test_a_range_that_leaves_the_calendar_is_refused(name: NamedTime) -> None:
    first = datetime(1, 1, 1, tzinfo=UTC)

    with pytest.raises(InvalidInput, match=f"now: .* has no {name} in the years 1 to 9999"):
        named_range(name, now=first, timezone="America/New_York")


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01", "2026-03-12T25:00", "12.3.2026"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"--since: .* is no date; write 2026-03-12 or"):
        read_time(text, name="--since", timezone="Asia/Tokyo")


@given(when=MOMENTS, hours=st.integers(-12, 14), zone=ZONES)
def test_a_time_with_a_zone_keeps_its_moment_in_any_zone(
    when: datetime, hours: int, zone: str
) -> None:
    reported = when.astimezone(timezone(timedelta(hours=hours))).isoformat()

    assert read_time(f" {reported} ", name="at", timezone=zone) == when
