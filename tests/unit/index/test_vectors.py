"""The exact scan: equal to a plain integer oracle, whatever the order and number of rows."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.index import exact
from simonides.index.exact import Vectors, dots
from simonides.scoring.quantise import quantise
from simonides_bench.testing.depth import examples


def rows(count: int, *, dimension: int = 384, seed: int = 5) -> npt.NDArray[np.int8]:
    random = np.random.default_rng(seed)
    return random.integers(-127, 128, size=(count, dimension), dtype=np.int8)


def filled(stored: npt.NDArray[np.int8], *, pieces: int = 1) -> Vectors:
    vectors = Vectors(stored.shape[1])
    for piece in np.array_split(stored, pieces):
        vectors.extend(piece.tobytes())
    return vectors


@given(
    count=st.integers(min_value=0, max_value=70),
    dimension=st.sampled_from([1, 3, 31, 64, 384, 1536]),
    seed=st.integers(min_value=0, max_value=2**32 - 1),
)
@settings(max_examples=examples(60))
def test_products_equal_plain_integer_arithmetic(count: int, dimension: int, seed: int) -> None:
    stored = rows(count, dimension=dimension, seed=seed)
    query = rows(1, dimension=dimension, seed=seed + 1)[0]

    expected = stored.astype(np.int64) @ query.astype(np.int64)
    assert dots(query, stored).tolist() == expected.tolist()


def test_extreme_values_do_not_overflow() -> None:
    stored = np.full((3, 1536), -127, dtype=np.int8)

    assert dots(stored[0], stored).tolist() == [127 * 127 * 1536] * 3


@pytest.mark.parametrize("dimension", [1, 384, 1023, 1024, 1025, 4096])
@pytest.mark.parametrize("count", [1, 4_095, 4_097])
def test_without_simsimd_products_are_the_same(
    monkeypatch: pytest.MonkeyPatch, dimension: int, count: int
) -> None:
    stored = rows(count, dimension=dimension)
    stored[0], query = -127, np.full(dimension, -127, dtype=np.int8)
    usual = dots(query, stored)
    monkeypatch.setattr(exact, "simsimd", None)

    assert dots(query, stored).tolist() == usual.tolist()
    assert dots(query, stored)[0] == 127 * 127 * dimension
    assert dots(query, stored[:0]).tolist() == []


def test_the_sum_of_rows_is_exact_and_order_free() -> None:
    stored = rows(100)
    forward, backward = filled(stored), filled(stored[::-1].copy(), pieces=7)

    assert forward.total(np.arange(100)).tolist() == backward.total(np.arange(100)).tolist()


def test_centred_cosines_are_those_of_float_arithmetic() -> None:
    stored = rows(50)
    vectors = filled(stored)
    total = stored.sum(axis=0, dtype=np.int64)
    centre = vectors.centre(total=total, alive=50, count=50)
    query = rows(1, seed=9)[0]

    moved = stored.astype(np.float64) - centre.mean
    expected = moved @ query / np.linalg.norm(moved, axis=1) / np.linalg.norm(query.astype(float))
    assert vectors.centred_cosines(query, centre) == pytest.approx(expected, abs=1e-12)


def test_a_centre_that_grows_with_an_unmoved_mean_equals_one_made_anew() -> None:
    stored = np.repeat(rows(1), 400, axis=0)
    stored[::2] *= -1
    grown, anew = filled(stored), filled(stored)
    total = np.zeros(384, dtype=np.int64)
    grown.centre(total=total, alive=200, count=200)

    extended = grown.centre(total=total, alive=400, count=400)

    assert extended.norms.tolist() == anew.centre(total=total, alive=400, count=400).norms.tolist()
    assert len(grown.centre(total=total, alive=200, count=200).norms) == 200


def test_a_zero_row_and_a_zero_query_have_no_direction() -> None:
    stored = rows(2)
    stored[1] = 0
    vectors = filled(stored)
    centre = vectors.centre(total=stored.sum(axis=0, dtype=np.int64), alive=1, count=2)

    assert vectors.centred_cosines(stored[0], centre)[1] == 0.0
    assert vectors.cosines(np.zeros(384, dtype=np.int8), count=2).tolist() == [0.0, 0.0]


def test_ten_best_of_int8_are_those_of_float64() -> None:
    random = np.random.default_rng(11)
    latent = random.normal(size=(2000, 64)) @ random.normal(size=(64, 384))
    unit = latent / np.linalg.norm(latent, axis=1, keepdims=True)
    vectors = filled(quantise(unit.astype(np.float32)))
    agreed = 0
    for query in unit[:50] + random.normal(scale=0.02, size=(50, 384)):
        scores = vectors.cosines(quantise(query.astype(np.float32)), count=2000)
        agreed += len(set(np.argsort(-scores)[:10]) & set(np.argsort(-(unit @ query))[:10]))

    assert agreed / 500 >= 0.99


def test_likenesses_are_the_centred_cosines_of_each_two_and_none_of_a_row_of_zeros() -> None:
    vectors = filled(np.array([[3, 4], [100, 0], [-3, -4], [0, 0]], dtype=np.int8))
    plain = vectors.centre(total=np.zeros(2, dtype=np.int64), alive=4, count=4)

    assert vectors.likenesses(np.array([0, 1, 2, 3]), plain) == pytest.approx(
        np.array([[1, 0.6, -1, 0], [0.6, 1, -0.6, 0], [-1, -0.6, 1, 0], [0, 0, 0, 0]])
    )
    assert vectors.likenesses(np.array([1, 0]), plain)[0] == pytest.approx([1, 0.6])
    total = np.array([36 * 97, 36 * -4], dtype=np.int64)  # of 4 rows and the 32 of zeros
    moved = vectors.centre(total=total, alive=4, count=4)
    # (3, 4) and (100, 0) less (97, -4) are (-94, 8) and (3, 4)
    cosine = (-94 * 3 + 8 * 4) / (np.hypot(94, 8) * 5)
    assert vectors.likenesses(np.array([0, 1]), moved)[0] == pytest.approx([1, cosine])
