"""The fused score: parts per passage, what the thread adds, and contributions that add up."""

import numpy as np
import pytest

from simonides.scoring.relevance import Part, Relevance, Weights, relevance
from simonides.scoring.threads import Threads

WEIGHTS = Weights(session=0.5, before=0.1, after=0.2)


def threads() -> Threads:
    """Two threads: items 2 and 0 (0 of two passages), then item 1 alone. Chunk slots 0..3."""
    return Threads(
        items=np.array([2, 0, 1], dtype=np.int32),
        chunks=np.array([3, 0, 1, 2], dtype=np.int32),
        item_starts=np.array([0, 1, 3]),
        thread_starts=np.array([0, 3]),
        follows=np.array([False, True, True, False]),
    )


CHUNK_ITEMS = np.array([0, 0, 1, 2], dtype=np.int32)


def scored(*, adjustments: tuple[Part, ...] = ()) -> Relevance:
    return relevance(
        (Part(name="lexical", weight=2.0, values=np.array([0.5, 1.0, 0.25, 0.0])),
         Part(name="author", weight=1.0, values=np.array([0.0, 3.0, 1.0]), per_item=True)),
        adjustments=adjustments, threads=threads(), chunk_items=CHUNK_ITEMS, weights=WEIGHTS,
    )  # fmt: skip


def test_own_parts_are_weighed_and_summed_per_passage() -> None:
    assert scored().own.tolist() == [1.0, 1.0, 2.0, 3.5]


def test_the_best_of_the_thread_lifts_all_of_it() -> None:
    assert scored().threaded.tolist() == [2.0, 2.0, 3.0, 5.25]


def test_neighbours_count_only_within_the_thread() -> None:
    assert scored().total.tolist() == pytest.approx([2.4, 2.8, 3.2, 5.25])


def test_an_item_has_the_total_of_its_best_passage() -> None:
    relevance_ = scored()

    assert relevance_.items.tolist() == pytest.approx([2.4, 3.2, 5.25])
    assert [relevance_.best_position(rank) for rank in range(3)] == [0, 2, 3]


def test_adjustments_come_on_top_of_the_item() -> None:
    adjustment = Part(
        name="importance", weight=0.5, values=np.array([1.0, -1.0, 0.0]), per_item=True
    )

    assert scored(adjustments=(adjustment,)).items.tolist() == pytest.approx([2.4, 3.7, 4.75])


def test_contributions_add_up_to_the_score_to_the_last_bit() -> None:
    random = np.random.default_rng(3)
    parts = tuple(
        Part(name=f"p{i}", weight=float(random.normal()), values=random.normal(size=4))
        for i in range(5)
    )
    adjustment = Part(name="a", weight=0.3, values=random.normal(size=3), per_item=True)
    found = relevance(
        parts, adjustments=(adjustment,), threads=threads(), chunk_items=CHUNK_ITEMS,
        weights=WEIGHTS,
    )  # fmt: skip

    for rank in range(3):
        total = 0.0
        for part in found.contributions(rank):
            total += part.value
        assert total == found.items[rank]


def test_a_part_that_gives_nothing_is_not_named() -> None:
    names = [part.name for part in scored().contributions(1)]

    assert "author" not in names
