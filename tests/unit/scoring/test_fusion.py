"""Reciprocal rank fusion: equal values share a rank, what was not found gains nothing."""

import numpy as np
import pytest

from simonides.scoring.formulas import Lane, rank_shares, ranks


def test_equal_values_share_the_better_rank() -> None:
    placed = ranks(np.array([0.5, 0.9, 0.5, np.nan, 0.1]))

    assert placed.tolist() == [2.0, 1.0, 2.0, np.inf, 4.0]


def test_a_share_is_the_weight_over_sixty_plus_rank() -> None:
    lane = Lane(name="lexical", weight=0.7, values=np.array([3.0, 1.0, np.nan]))

    assert rank_shares(lane).tolist() == pytest.approx([0.7 / 61, 0.7 / 62, 0.0])


def test_nothing_found_gives_no_shares() -> None:
    lane = Lane(name="lexical", weight=1.0, values=np.array([np.nan, np.nan]))

    assert rank_shares(lane).tolist() == [0.0, 0.0]
