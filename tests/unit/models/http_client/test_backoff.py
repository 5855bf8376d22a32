"""How long to wait before the next attempt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.models.http_client import LONGEST_S, backoff_s, retry_after_s

NOON = "Wed, 01 Apr 2026 12:00:00 GMT"
A_BIT_LATER = "Wed, 01 Apr 2026 12:00:07 GMT"


def test_the_longest_wait_doubles_with_each_attempt() -> None:
    assert [backoff_s(attempt, draw=1.0) for attempt in range(4)] == [0.5, 1.0, 2.0, 4.0]


def test_a_shorter_bound_holds_sooner() -> None:
    waits = [backoff_s(attempt, draw=1.0, longest_s=3.0) for attempt in range(5)]

    assert waits == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_the_draw_takes_its_share() -> None:
    assert backoff_s(2, draw=0.25) == 0.5


@given(st.integers(0, 1000), st.floats(0, 1, exclude_max=True))
def test_no_wait_is_negative_or_longer_than_half_a_minute(attempt: int, draw: float) -> None:
    assert 0.0 <= backoff_s(attempt, draw=draw) <= LONGEST_S


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": A_BIT_LATER, "date": NOON}, 7.0),
        ({"retry-after": NOON, "date": A_BIT_LATER}, 0.0),
        ({"retry-after": A_BIT_LATER}, 0.0),
        ({"retry-after": "soon", "date": NOON}, 0.0),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "inf"}, 0.0),
        ({}, 0.0),
    ],
)
def test_retry_after_is_read_in_seconds_or_as_a_date(
    headers: dict[str, str], seconds: float
) -> None:
    assert retry_after_s(headers) == seconds
