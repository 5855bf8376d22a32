"""Importance by age and engagement: the seeds' curves, within reach of one without engagement."""

import math

import pytest

from simonides.scoring.importance import engagement_importance

DAY = 24.0


@pytest.mark.parametrize(
    ("age_hours", "expected"),
    [
        (0.0, 1.0),
        (-5.0, 1.0),
        (168.0, math.exp(-1.0)),
        (336.0, math.exp(-2.0)),
        (math.inf, 0.0),
    ],
)
def test_without_engagement_age_alone_counts_in_full(age_hours: float, expected: float) -> None:
    assert engagement_importance(age_hours, 0, None) == pytest.approx(expected)
    assert engagement_importance(age_hours, 0) == engagement_importance(age_hours, 0, 1.0)
    assert engagement_importance(age_hours, -3) == engagement_importance(age_hours, 0)


def test_full_and_gist_are_within_reach_without_engagement() -> None:
    assert engagement_importance(3.5 * DAY, 0) >= 0.6
    assert 0.3 <= engagement_importance(8 * DAY, 0) < 0.6
    assert engagement_importance(9 * DAY, 0) < 0.3


@pytest.mark.parametrize(
    ("age_hours", "count", "since_last_hours", "expected"),
    [
        (1e9, 146, 0.0, 0.4 * math.log(147) / 5 + 0.3),
        (1e9, 148, 0.0, 0.4 + 0.3),
        (1e9, 10**12, 0.0, 0.7),
        (1e9, 1, 24.0, 0.4 * math.log(2) / 5 + 0.3 * math.exp(-1.0)),
        (1e9, 1, None, 0.4 * math.log(2) / 5),
        (168.0, 12, 3.0, 0.3 * math.exp(-1.0) + 0.4 * math.log(13) / 5 + 0.3 * math.exp(-0.125)),
        (0.0, 10**6, -4.0, 1.0),
    ],
)
def test_engagement_weighs_as_the_seeds_have_it(
    age_hours: float, count: int, since_last_hours: float | None, expected: float
) -> None:
    assert engagement_importance(age_hours, count, since_last_hours) == pytest.approx(expected)


def test_the_first_engagement_never_takes_from_a_new_item() -> None:
    assert engagement_importance(DAY, 1, 20.0) == engagement_importance(DAY, 0)


def test_engagement_lifts_an_old_item_to_full() -> None:
    assert engagement_importance(90 * DAY, 0) < 0.01
    assert engagement_importance(90 * DAY, 40, 1.0) > 0.55
    assert engagement_importance(90 * DAY, 80, 1.0) >= 0.6


@pytest.mark.parametrize(("age_hours", "since_last_hours"), [(math.nan, None), (1.0, math.nan)])
def test_a_time_that_is_no_number_is_refused(
    age_hours: float, since_last_hours: float | None
) -> None:
    with pytest.raises(ValueError, match="NaN"):
        engagement_importance(age_hours, 1, since_last_hours)
