"""Float vectors become int8 on a fixed scale, and lose nothing that ranking needs."""

import numpy as np
import numpy.typing as npt
import pytest

from simonides.scoring.quantise import (
    PRIOR_ROWS,
    centred_query,
    quantise,
    rounded_mean,
    scale,
)


def unit_rows(count: int, dimension: int = 384) -> npt.NDArray[np.float32]:
    rows = np.random.default_rng(7).normal(size=(count, dimension))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_the_scale_keeps_rows_of_any_dimension_equally_fine() -> None:
    assert scale(384) == 512.0
    assert scale(1536) == 1024.0


def test_values_are_rounded_and_saturate_at_127() -> None:
    row = np.array([[0.0, 0.1, -0.1, 0.9, -0.9] + [0.0] * 379], dtype=np.float32)

    assert quantise(row)[0, :5].tolist() == [0, 51, -51, 127, -127]


def test_nan_and_infinity_do_not_spread() -> None:
    row = np.array([np.nan, np.inf, -np.inf, 0.01], dtype=np.float32)

    assert quantise(row)[0] == 0
    assert np.abs(quantise(row).astype(int)).max() <= 127


def test_cosines_of_quantised_rows_stay_within_a_hundredth() -> None:
    rows = unit_rows(200)
    packed = quantise(rows).astype(np.float64)
    packed /= np.linalg.norm(packed, axis=1, keepdims=True)

    assert np.abs(packed @ packed.T - rows @ rows.T).max() < 0.01


def test_the_mean_of_few_rows_is_held_back() -> None:
    total = np.array([100, -100], dtype=np.int64)

    assert rounded_mean(total, 1).tolist() == [round(100 / (1 + PRIOR_ROWS)), -3]
    assert rounded_mean(np.zeros(2, dtype=np.int64), 0).tolist() == [0, 0]


def test_the_mean_of_many_rows_is_their_mean() -> None:
    rows = quantise(unit_rows(5000, 16))

    mean = rounded_mean(rows.sum(axis=0, dtype=np.int64), len(rows))

    assert np.abs(mean - rows.mean(axis=0)).max() <= 1


def test_a_query_is_centred_before_it_is_rounded() -> None:
    query = np.array([0.1] + [0.0] * 383, dtype=np.float32)
    mean = np.array([1] + [2] * 383, dtype=np.int8)

    assert centred_query(query, mean)[:2].tolist() == [50, -2]


@pytest.mark.parametrize("shape", [(0, 384), (3, 384)])
def test_shapes_are_kept(shape: tuple[int, int]) -> None:
    assert quantise(np.zeros(shape, dtype=np.float32)).shape == shape
