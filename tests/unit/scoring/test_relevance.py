"""The fused score: parts of passages and items, what the thread adds, and sums that add up."""

import numpy as np
import pytest

from simonides.scoring.relevance import Parts, Relevance, ScorePart, Threads, Weights, relevance

WEIGHTS = Weights(session=0.5, before=0.1, after=0.2)

THREADS = Threads(
    items=np.array([2, 0, 1], dtype=np.int32),
    starts=np.array([0, 2]),
    follows=np.array([False, True, False]),
)
"""Two threads: items 2 and 0, then item 1 alone."""

ITEM_STARTS = np.array([0, 2, 3], dtype=np.int32)
"""Item 0 has chunks 0 and 1, item 1 has chunk 2, item 2 has chunk 3."""

CHUNK_ITEMS = np.array([0, 0, 1, 2], dtype=np.int32)

LEXICAL = ScorePart(name="lexical", weight=2.0, values=np.array([0.5, 1.0, 0.25, 0.5]))
AUTHOR = ScorePart(name="author", weight=1.0, values=np.array([0.0, 3.0, 1.0]))


def scored(*, adjustments: tuple[ScorePart, ...] = ()) -> Relevance:
    parts = Parts(of_chunks=(LEXICAL,), of_items=(AUTHOR,), adjustments=adjustments)
    return relevance(
        parts, threads=THREADS, item_starts=ITEM_STARTS, chunk_items=CHUNK_ITEMS, weights=WEIGHTS
    )


def test_an_item_has_its_best_passage_and_its_own_parts() -> None:
    assert scored().passages.tolist() == [1.0, 2.0, 0.5, 1.0]
    assert scored().own.tolist() == [2.0, 2.0, 3.5]


def test_the_best_of_the_thread_lifts_all_of_it() -> None:
    assert scored().threaded.tolist() == [3.0, 3.0, 5.25]


def test_neighbours_count_only_within_the_thread() -> None:
    assert scored().scores.tolist() == pytest.approx([3.0 + 0.6, 3.0 + 0.3, 5.25])


def test_the_first_of_equally_good_passages_speaks_for_the_item() -> None:
    even = ScorePart(name="lexical", weight=1.0, values=np.array([1.0, 1.0, 1.0, 1.0]))
    found = relevance(
        Parts(of_chunks=(even,)), threads=THREADS, item_starts=ITEM_STARTS, chunk_items=CHUNK_ITEMS
    )

    assert [found.best_chunk(item) for item in range(3)] == [0, 2, 3]
    assert scored().best_chunk(0) == 1


def test_adjustments_come_on_top_of_the_score() -> None:
    adjustment = ScorePart(name="importance", weight=0.5, values=np.array([1.0, -1.0, 0.0]))

    lifted = scored(adjustments=(adjustment,)).scores - scored().scores

    assert lifted.tolist() == pytest.approx([0.0, 0.5, -0.5])


def test_contributions_add_up_to_the_score_to_the_last_bit() -> None:
    random = np.random.default_rng(3)

    def part(name: str, size: int) -> ScorePart:
        return ScorePart(name=name, weight=float(random.normal()), values=random.normal(size=size))

    parts = Parts(
        of_chunks=tuple(part(f"c{i}", 4) for i in range(4)),
        of_items=tuple(part(f"i{i}", 3) for i in range(3)),
        adjustments=(part("a", 3),),
    )
    found = relevance(
        parts, threads=THREADS, item_starts=ITEM_STARTS, chunk_items=CHUNK_ITEMS, weights=WEIGHTS
    )

    for place in range(3):
        total = 0.0
        for contribution in found.contributions(place):
            total += contribution.value
        assert total == found.scores[place]


def test_a_part_that_gives_nothing_is_not_named() -> None:
    names = [part.name for part in scored().contributions(1)]

    assert "author" not in names
    assert names[0] == "lexical"


def test_a_part_says_where_its_value_comes_from() -> None:
    told = ScorePart(
        name="lexical", weight=1.0, values=np.ones(4), detail=lambda slot: f"chunk {slot}"
    )
    found = relevance(
        Parts(of_chunks=(told,)), threads=THREADS, item_starts=ITEM_STARTS, chunk_items=CHUNK_ITEMS
    )

    assert found.contributions(0)[0].detail == "chunk 3"
