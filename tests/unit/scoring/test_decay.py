"""Importance fades by half-lives, between a floor and one."""

import numpy as np
import pytest

from simonides.errors import InvalidInput
from simonides.model.decay import DecayConfig
from simonides.scoring.importance import decayed_importance, decayed_importances


@pytest.mark.parametrize(
    ("base", "half_life", "age", "expected"),
    [
        (0.8, 24.0, 0.0, 0.8),
        (0.8, 24.0, 24.0, 0.4),
        (0.8, 24.0, 48.0, 0.2),
        (0.8, None, 1e9, 0.8),
        (0.8, 0.0, 0.0, 0.05),
        (0.8, 24.0, -5.0, 0.8),
        (1.7, None, 0.0, 1.0),
        (-1.0, None, 0.0, 0.05),
        (0.01, None, 0.0, 0.05),
        (0.8, 1.0, 1e6, 0.05),
    ],
)
def test_importance_fades_by_half_lives_between_floor_and_one(
    base: float, half_life: float | None, age: float, expected: float
) -> None:
    faded = decayed_importance(base, half_life_hours=half_life, age_hours=age)

    assert faded == pytest.approx(expected)


def test_the_seeds_own_example_with_another_floor_holds() -> None:
    config = DecayConfig(floor=0.1)
    faded = decayed_importance(0.5, half_life_hours=12.0, age_hours=120.0, config=config)

    assert faded == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("stated", "expected"), [(None, 0.2), (24.0, 0.4), (0.0, 0.05), (1e300, 0.8)]
)
def test_the_default_half_life_holds_where_none_is_stated(
    stated: float | None, expected: float
) -> None:
    config = DecayConfig(default_half_life_hours=12.0)
    faded = decayed_importance(0.8, half_life_hours=stated, age_hours=24.0, config=config)

    assert faded == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "problem"),
    [({"floor": 1.5}, "floor: "), ({"floor": float("nan")}, "floor: "),
     ({"default_half_life_hours": -1.0}, "default_half_life_hours: ")],
)  # fmt: skip
def test_a_decay_out_of_range_is_refused(given: dict[str, float], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        DecayConfig(**given)


def test_rows_fade_as_single_values_do() -> None:
    base, half_life, age = [0.9, 0.2, 0.7], [24.0, np.nan, 0.0], [30.0, 10.0, 1.0]

    rows = decayed_importances(
        np.array(base), half_life_hours=np.array(half_life), age_hours=np.array(age)
    )

    single = [
        decayed_importance(b, half_life_hours=None if np.isnan(h) else h, age_hours=a)
        for b, h, a in zip(base, half_life, age, strict=True)
    ]
    assert rows.tolist() == single
