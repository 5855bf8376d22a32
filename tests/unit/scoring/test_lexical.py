"""BM25's two pieces: how rare a word is, and how long a passage."""

import math

import numpy as np
import pytest

from simonides.scoring.formulas import K1, B, idf, length_norms


def test_a_rare_word_says_more_and_a_word_of_all_still_something() -> None:
    assert idf(1, 1000) > idf(500, 1000) > idf(1000, 1000) > 0.0
    assert idf(0, 10) == pytest.approx(math.log(1 + 10.5 / 0.5))


def test_a_passage_of_mean_length_has_the_plain_constant() -> None:
    norms = length_norms(np.array([10, 20], dtype=np.uint16), mean_length=10.0)

    assert norms.tolist() == pytest.approx([K1, K1 * (1 - B + B * 2)])


def test_an_empty_space_has_a_mean_length_of_one() -> None:
    assert length_norms(np.array([], dtype=np.uint16), mean_length=0.0).tolist() == []
