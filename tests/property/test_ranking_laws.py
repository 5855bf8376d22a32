"""The default score: sums that add up to the last bit, on scales that no other item moves."""

from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.scoring.ranking import (
    FEATURES,
    SHIPPED,
    Feature,
    LinearScores,
    RankingModel,
)
from simonides.scoring.threads import ThreadOrder, best_by_owner

NUMBERS: Final = st.sampled_from([0.0, 0.1, -0.3, 0.5, 1.0]) | st.floats(-4.0, 4.0)


@st.composite
def sums(draw: st.DrawFn) -> LinearScores:
    """Draw features of a few items with weights for them."""
    names = draw(st.lists(st.sampled_from(FEATURES), min_size=1, unique=True))
    size = draw(st.integers(1, 5))
    values = st.lists(NUMBERS, min_size=size, max_size=size)
    features = [Feature(name=name, values=np.array(draw(values))) for name in names]
    weights = {name: draw(NUMBERS) for name in names}
    return LinearScores.of(features, RankingModel(weights=weights, relevance=SHIPPED.relevance))


@given(sums())
def test_contributions_add_up_to_the_score_to_the_last_bit(scored: LinearScores) -> None:
    for slot, score in enumerate(scored.values().tolist()):
        total = 0.0
        for part in scored.contributions(slot):
            assert part.value
            total += part.value

        assert total == score


@given(sums())
def test_each_contribution_is_its_weight_times_what_the_item_has(scored: LinearScores) -> None:
    parts = {feature.name: (feature.values, weight) for feature, weight in scored.parts}
    for slot in range(len(scored.values())):
        for part in scored.contributions(slot):
            values, weight = parts[part.name]
            assert part.value == weight * values[slot]


def test_a_unit_of_a_feature_makes_a_tenth_of_its_log_odds() -> None:
    feature = Feature(name="words", values=np.ones(1))

    [(_, weight)] = LinearScores.of([feature]).parts

    assert weight == pytest.approx(SHIPPED.weights["words"] / 10)


@given(sums(), st.integers(0, 4))
def test_a_score_is_its_own(scored: LinearScores, slot: int) -> None:
    at = slot % len(scored.values())
    alone = LinearScores(
        parts=[
            (Feature(name=one.name, values=one.values[at : at + 1]), weight)
            for one, weight in scored.parts
        ]
    )

    assert alone.values().tolist() == [scored.values()[at]]


@given(st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=5), st.integers(0, 40), st.booleans())
def test_likelier_is_what_scores_higher_and_a_question_that_says_more(
    scores: list[float], words: int, is_own: bool
) -> None:
    rising = np.array(sorted(scores))
    likely = SHIPPED.probabilities(rising, words=words, is_own=is_own)

    assert likely.tolist() == sorted(likely.tolist())
    assert ((likely >= 0.0) & (likely <= 1.0)).all()
    more = SHIPPED.probabilities(rising, words=words + 1, is_own=is_own)
    assert (more >= likely).all()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_neighbours_never_reach_over_the_edge_of_a_thread(sizes: list[int]) -> None:
    count = sum(sizes)
    follows = np.ones(count, dtype=bool)
    follows[np.cumsum([0, *sizes[:-1]])] = False
    threads = ThreadOrder(items=np.arange(count, dtype=np.int32), follows=follows)
    values = np.arange(1.0, count + 1)
    before, after = threads.before(values).tolist(), threads.after(values).tolist()
    at = 0
    for size in sizes:
        own = values[at : at + size].tolist()

        assert before[at : at + size] == [0.0, *own[:-1]]
        assert after[at : at + size] == [*own[1:], 0.0]
        at += size


def test_the_largest_of_each_owner_is_its_best() -> None:
    values, owners = np.array([1.0, 3.0, 2.0]), np.array([0, 2, 2], dtype=np.int32)

    assert best_by_owner(values, owners, count=3).tolist() == [1.0, -np.inf, 3.0]


def test_the_bytes_of_threads_are_those_of_their_arrays() -> None:
    threads = ThreadOrder(items=np.arange(3, dtype=np.int32), follows=np.zeros(3, dtype=bool))

    assert threads.nbytes == 3 * 4 + 3 * 1


def test_there_are_sixteen_features_at_most_and_all_have_a_weight() -> None:
    assert 0 < len(FEATURES) <= 16
    assert tuple(SHIPPED.weights) == FEATURES
