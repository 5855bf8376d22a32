"""Probabilities that hits belong to an answer: monotone in each signal, on one scale."""

import numpy as np
import pytest

from simonides.scoring.answering import LEAD_FULL, SIGNALS, answerable_score, leads, probabilities
from simonides.scoring.answering_weights import WEIGHTS

MIDDLE = np.full((1, len(SIGNALS)), 0.5)


def test_every_signal_has_its_weight_and_none_lowers_the_probability() -> None:
    assert tuple(WEIGHTS) == SIGNALS
    assert min(WEIGHTS.values()) >= 0.0


@pytest.mark.parametrize("name", SIGNALS)
def test_more_of_a_signal_is_never_less_probable(name: str) -> None:
    more = MIDDLE.copy()
    more[0, SIGNALS.index(name)] = 1.0

    assert probabilities(more)[0] >= probabilities(MIDDLE)[0]


def test_nothing_at_all_is_next_to_impossible_and_everything_next_to_certain() -> None:
    none, all_ = np.zeros((1, len(SIGNALS))), np.ones((1, len(SIGNALS)))

    assert probabilities(none)[0] < 0.01
    assert probabilities(all_)[0] > 0.9
    assert probabilities(np.zeros((0, len(SIGNALS)))).shape == (0,)


def test_a_lead_is_counted_from_the_eleventh_score_of_the_space() -> None:
    scores = np.arange(LEAD_FULL, dtype=np.float64)

    found = leads(scores, of=scores[[99, 89, 0]])

    assert found.tolist() == [10.0, 0.0, -89.0]


def test_in_a_small_space_a_lead_is_counted_from_less() -> None:
    scores = np.array([0.5, 0.3])

    few = 0.1 * np.log(50)

    found = leads(scores, of=scores)

    assert found.tolist() == pytest.approx([few + 0.5 - 0.02 * 0.3, few + 0.3 - 0.02 * 0.3])
    assert leads(np.zeros(0), of=np.zeros(0)).shape == (0,)


def test_even_odds_score_a_half_and_a_factor_of_e_a_tenth() -> None:
    tenfold = float(np.e / (1.0 + np.e))

    assert answerable_score(0.5) == 0.5
    assert answerable_score(tenfold) == pytest.approx(0.6)
    assert answerable_score(1.0 - tenfold) == pytest.approx(0.4)


@pytest.mark.parametrize(("share", "score"), [(0.0, 0.0), (1e-4, 0.0), (0.9999, 1.0), (1.0, 1.0)])
def test_what_is_as_good_as_certain_scores_the_ends_of_the_scale(
    share: float, score: float
) -> None:
    assert answerable_score(share) == score
