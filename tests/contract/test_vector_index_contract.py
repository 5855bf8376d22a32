"""The laws of `ports.VectorIndex`, for the exact index and the approximate one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pydoc_data.topics import topics
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.index.exact import ExactIndex
from simonides.index.growing import Growing
from simonides.index.hnsw import HnswIndex
from simonides.models.embedding.minilm import MiniLMEmbedder
from simonides.ports.models import VectorIndex, VectorMatches
from simonides.scoring.quantise import quantise
from simonides_bench.testing.depth import examples

Rows = npt.NDArray[np.int8]
Keys = npt.NDArray[np.int64]
KeyFilter = Callable[[Keys], npt.NDArray[np.bool_]]


def exact(dimension: int) -> VectorIndex:
    return ExactIndex(Growing(np.int8, width=dimension))


def hnsw(dimension: int) -> VectorIndex:
    return HnswIndex(ExactIndex(Growing(np.int8, width=dimension)))


ADAPTERS: Final = {"exact": exact, "hnsw": hnsw}


@pytest.fixture(params=list(ADAPTERS))
def adapter(request: pytest.FixtureRequest) -> Callable[[int], VectorIndex]:
    made: Callable[[int], VectorIndex] = ADAPTERS[request.param]
    return made


def drawn(count: int, *, dimension: int = 16, seed: int = 3) -> Rows:
    random = np.random.default_rng(seed)
    return random.integers(-127, 128, size=(count, dimension), dtype=np.int8)


def keys(*numbers: int) -> Keys:
    return np.array(numbers, dtype=np.int64)


def oracle(
    held: dict[int, Rows], query: Rows, top_k: int, passes: KeyFilter | None = None
) -> list[tuple[int, int]]:
    """Return (key, product) of the best, by plain integers."""
    chosen = [k for k in held if passes is None or passes(keys(k))[0]]
    products = {k: int(held[k].astype(int) @ query.astype(int)) for k in chosen}
    return sorted(products.items(), key=lambda one: (-one[1], one[0]))[:top_k]


def pairs(found: VectorMatches) -> list[tuple[int, int]]:
    return [(int(k), int(s)) for k, s in zip(found.keys, found.scores, strict=True)]


def check_laws(
    index: VectorIndex, held: dict[int, Rows], query: Rows, top_k: int, passes: KeyFilter | None
) -> None:
    found = index.search(query, top_k, passes)
    got = pairs(found)
    passing = [k for k in held if passes is None or passes(keys(k))[0]]

    assert len(index) == len(held)
    assert len(got) == min(top_k, len(passing))
    assert {k for k, _ in got} <= set(passing)
    assert len({k for k, _ in got}) == len(got)
    assert got == sorted(got, key=lambda one: (-one[1], one[0]))
    assert all(int(held[k].astype(int) @ query.astype(int)) == score for k, score in got)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing done to an index and to a dictionary."""

    upserted: tuple[int, ...] = ()
    deleted: tuple[int, ...] = ()
    rebuild: bool = False
    seed: int = 0


KEYS: Final = st.integers(min_value=-3, max_value=40)
STEPS: Final = st.lists(
    st.builds(
        Step,
        upserted=st.lists(KEYS, max_size=12, unique=True).map(tuple),
        deleted=st.lists(KEYS, max_size=4).map(tuple),
        rebuild=st.booleans(),
        seed=st.integers(min_value=0, max_value=2**32 - 1),
    ),
    max_size=8,
)


def done(index: VectorIndex, steps: list[Step]) -> dict[int, Rows]:
    """Do the steps and return what must be held then."""
    held: dict[int, Rows] = {}
    for step in steps:
        rows = drawn(len(step.upserted), dimension=8, seed=step.seed)
        index.upsert(keys(*step.upserted), rows)
        held.update(zip(step.upserted, rows, strict=True))
        index.delete(keys(*step.deleted))
        for key in step.deleted:
            held.pop(key, None)
        if step.rebuild:
            index.rebuild()
    return held


@pytest.mark.parametrize("name", list(ADAPTERS))
@given(
    steps=STEPS,
    top_k=st.integers(min_value=1, max_value=12),
    divisor=st.integers(min_value=1, max_value=5),
)
@settings(max_examples=examples(40))
def test_whatever_was_written_the_laws_hold(
    name: str, steps: list[Step], top_k: int, divisor: int
) -> None:
    index = ADAPTERS[name](8)
    held = done(index, steps)
    for passes in (None, lambda found: found % divisor == 0):
        check_laws(index, held, drawn(1, dimension=8, seed=99)[0], top_k, passes)


@given(steps=STEPS, top_k=st.integers(min_value=1, max_value=50))
@settings(max_examples=examples(40))
def test_the_exact_index_is_a_brute_force_over_integers(steps: list[Step], top_k: int) -> None:
    index = exact(8)
    held = done(index, steps)
    query = drawn(1, dimension=8, seed=99)[0]

    assert pairs(index.search(query, top_k)) == oracle(held, query, top_k)


def test_under_a_narrow_filter_both_are_a_brute_force(
    adapter: Callable[[int], VectorIndex],
) -> None:
    index, rows, query = adapter(16), drawn(3000), drawn(1, seed=8)[0]
    index.upsert(np.arange(3000), rows)
    held = dict(enumerate(rows))

    def one_in_forty(found: Keys) -> npt.NDArray[np.bool_]:
        return np.asarray(found % 40 == 0)

    assert pairs(index.search(query, 10, one_in_forty)) == oracle(held, query, 10, one_in_forty)


def test_asked_for_all_both_are_a_brute_force(adapter: Callable[[int], VectorIndex]) -> None:
    index, rows, query = adapter(16), drawn(300), drawn(1, seed=8)[0]
    index.upsert(np.arange(300), rows)

    assert pairs(index.search(query, 300)) == oracle(dict(enumerate(rows)), query, 300)


def test_an_empty_index_finds_nothing(adapter: Callable[[int], VectorIndex]) -> None:
    index = adapter(16)

    assert len(index) == 0
    assert pairs(index.search(drawn(1)[0], 5)) == []


def test_a_deleted_key_is_gone_though_it_was_the_best(
    adapter: Callable[[int], VectorIndex],
) -> None:
    index, rows = adapter(16), drawn(2000)
    index.upsert(np.arange(2000), rows)
    best = index.search(rows[7], 5).keys
    index.delete(best)

    assert not set(best.tolist()) & set(index.search(rows[7], 50).keys.tolist())
    assert len(index) == 1995


def test_an_upsert_leaves_nothing_of_the_row_before_it(
    adapter: Callable[[int], VectorIndex],
) -> None:
    index, rows = adapter(16), drawn(2000)
    index.upsert(np.arange(2000), rows)
    index.upsert(keys(7), -rows[7:8])
    found = dict(pairs(index.search(rows[7], 2000)))

    assert len(index) == 2000
    assert found[7] == -int(rows[7].astype(int) @ rows[7].astype(int))


def test_a_key_that_was_deleted_can_come_back(adapter: Callable[[int], VectorIndex]) -> None:
    index, rows = adapter(16), drawn(3)
    index.upsert(keys(1, 2), rows[:2])
    index.delete(keys(1, 77))
    index.upsert(keys(1), rows[2:])

    assert dict(pairs(index.search(rows[2], 9)))[1] == int(rows[2].astype(int) @ rows[2])


def test_equal_rows_are_ordered_by_key(adapter: Callable[[int], VectorIndex]) -> None:
    index = adapter(16)
    same = np.repeat(drawn(1), 4, axis=0)
    index.upsert(keys(9, -2, 30, 4), same)

    assert index.search(same[0], 4).keys.tolist() == [-2, 4, 9, 30]


def test_rebuilding_changes_no_answer(adapter: Callable[[int], VectorIndex]) -> None:
    index, rows, query = adapter(16), drawn(500), drawn(1, seed=8)[0]
    index.upsert(np.arange(500), rows)
    index.delete(np.arange(0, 500, 3))
    before = pairs(index.search(query, 400))
    index.rebuild()

    assert pairs(index.search(query, 400)) == before
    assert len(index) == 333


def test_extreme_rows_give_exact_scores(adapter: Callable[[int], VectorIndex]) -> None:
    index = adapter(1536)
    row = np.full((1, 1536), -127, dtype=np.int8)
    index.upsert(keys(1, 2), np.concatenate([row, -row]))

    assert pairs(index.search(row[0], 2)) == [(1, 127 * 127 * 1536), (2, -127 * 127 * 1536)]


def test_a_row_of_zeros_is_found_with_a_score_of_zero(
    adapter: Callable[[int], VectorIndex],
) -> None:
    index, rows = adapter(16), drawn(2)
    rows[0] = 0
    index.upsert(keys(1, 2), np.stack([rows[0], -rows[1]]))

    assert pairs(index.search(rows[1], 2))[0] == (1, 0)


@pytest.mark.parametrize("top_k", [0, -1])
def test_to_ask_for_none_is_a_mistake(adapter: Callable[[int], VectorIndex], top_k: int) -> None:
    with pytest.raises(ValueError, match="top_k must be 1 or more"):
        adapter(16).search(drawn(1)[0], top_k)


def test_a_key_given_twice_is_a_mistake(adapter: Callable[[int], VectorIndex]) -> None:
    with pytest.raises(ValueError, match="twice"):
        adapter(16).upsert(keys(1, 1), drawn(2))


def test_rows_that_do_not_fit_are_a_mistake(adapter: Callable[[int], VectorIndex]) -> None:
    index = adapter(16)
    for given_keys, rows in ((keys(1), drawn(2)), (keys(1), drawn(1, dimension=8))):
        with pytest.raises(ValueError, match="rows of shape"):
            index.upsert(given_keys, rows)


SENTENCES: Final = 1500
QUESTIONS: Final = 100


@pytest.fixture(scope="module")
def real() -> npt.NDArray[np.float32]:
    """Sentences of Python's own manual as vectors of the model on board, in a random order."""
    split = (re.split(r"(?<=[.!?:])\s+", text) for text in topics.values())
    texts = {" ".join(one.split()) for found in split for one in found}
    prose = sorted(text for text in texts if 6 <= len(text.split()) <= 25)
    np.random.default_rng(0).shuffle(prose)
    return MiniLMEmbedder(threads=2).embed(prose[: SENTENCES + QUESTIONS])


@pytest.mark.slow
def test_ten_found_are_the_ten_of_float64_on_real_embeddings(
    adapter: Callable[[int], VectorIndex], real: npt.NDArray[np.float32]
) -> None:
    rows, asked = real[QUESTIONS:], real[:QUESTIONS]
    index = adapter(rows.shape[1])
    index.upsert(np.arange(len(rows)), quantise(rows))
    truth = np.argsort(-(asked.astype(np.float64) @ rows.astype(np.float64).T))[:, :10]
    found = [index.search(query, 10) for query in quantise(asked)]

    agreed = sum(len(set(one.keys) & set(true)) for one, true in zip(found, truth, strict=True))
    assert agreed / (10 * QUESTIONS) >= 0.99
    assert not any(one.fell_back for one in found)
