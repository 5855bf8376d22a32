"""How well a time fits: by the grain of the question, and a little afterwards."""

import numpy as np
import pytest

from simonides.model.answer import Direction
from simonides.scoring.importance import DAY_US, UNDATED, time_agreement, time_nearness

NOW = 20_000 * DAY_US


def days(*values: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([int(NOW + value * DAY_US) for value in values], dtype=np.int64)


@pytest.mark.parametrize(
    ("length", "expected"), [(1, 1.0), (7, 1.0), (30, 0.6), (90, 0.4), (365, 0.2)]
)
def test_a_finer_range_says_more(length: int, expected: float) -> None:
    agreement = time_agreement(days(0.5), since=NOW, until=NOW + length * DAY_US)

    assert agreement.tolist() == [expected]


def test_the_end_of_a_range_is_outside_but_told_of_for_a_month() -> None:
    agreement = time_agreement(days(0, 7, 37, 39, -1), since=NOW, until=NOW + 7 * DAY_US)

    assert agreement.tolist() == [1.0, 0.2, 0.2, 0.0, 0.0]


def test_an_open_range_counts_as_a_long_one() -> None:
    agreement = time_agreement(days(-5, 5), since=NOW, until=None)

    assert agreement.tolist() == [0.0, 0.2]


def test_what_is_undated_never_agrees() -> None:
    undated = np.array([UNDATED], dtype=np.int64)

    assert time_agreement(undated, since=None, until=NOW).tolist() == [0.0]
    for direction in (Direction.NEWEST, Direction.OLDEST, Direction.NEXT):
        assert time_nearness(undated, direction=direction, now_us=NOW).tolist() == [0.0]


def test_the_newest_is_nearest_to_now_and_halves_in_a_month() -> None:
    nearness = time_nearness(days(0, -30, -60), direction=Direction.NEWEST, now_us=NOW)

    assert nearness.tolist() == pytest.approx([1.0, 0.5, 0.25])


def test_the_oldest_is_nearest_to_the_first_dated_item() -> None:
    happened = np.append(days(-60, -30), UNDATED)

    nearness = time_nearness(happened, direction=Direction.OLDEST, now_us=NOW)

    assert nearness.tolist() == pytest.approx([1.0, 0.5, 0.0])


def test_the_next_lies_ahead() -> None:
    nearness = time_nearness(days(-1, 0, 30), direction=Direction.NEXT, now_us=NOW)

    assert nearness.tolist() == pytest.approx([0.0, 1.0, 0.5])
