"""Times as whole microseconds: exact both ways, over all the years there are."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.model.times import microseconds, moment

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (EPOCH, 0),
        (datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC), 1_000_005),
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), -1),
        (datetime(2026, 3, 12, 9, tzinfo=UTC), 1_773_306_000_000_000),
        (datetime(2026, 3, 12, 10, tzinfo=timezone(timedelta(hours=1))), 1_773_306_000_000_000),
    ],
)
def test_a_time_is_so_many_microseconds_since_1970(when: datetime, expected: int) -> None:
    assert microseconds(when) == expected
    assert moment(expected) == when
    assert moment(expected).tzinfo is UTC


@given(when=st.datetimes(timezones=st.just(UTC)))
def test_no_time_of_any_year_loses_a_microsecond(when: datetime) -> None:
    assert moment(microseconds(when)) == when


@given(a=st.datetimes(timezones=st.just(UTC)), b=st.datetimes(timezones=st.just(UTC)))
def test_numbers_are_in_the_order_of_their_times(a: datetime, b: datetime) -> None:
    assert (microseconds(a) < microseconds(b)) is (a < b)


def test_a_time_without_a_zone_is_refused_by_the_fields_name() -> None:
    with pytest.raises(InvalidInput, match=r"^time: needs a time zone"):
        microseconds(datetime(2026, 3, 12))  # noqa: DTZ001  naive on purpose
    with pytest.raises(InvalidInput, match=r"^until: needs a time zone"):
        microseconds(datetime(2026, 3, 12), field="until")  # noqa: DTZ001  naive on purpose
