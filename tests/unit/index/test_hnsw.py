"""The graph: what it does not hold is found all the same, and it says how it went."""

import os
import subprocess
import sys
import threading

import numpy as np
import numpy.typing as npt
import pytest

from simonides.index.exact import ExactIndex
from simonides.index.growing import Growing
from simonides.index.hnsw import EXPANSION_SEARCH, HnswIndex

Rows = npt.NDArray[np.int8]


def leaning(count: int, *, dimension: int = 64, seed: int = 5) -> Rows:
    """Return rows of about equal length that lean to one side, as those of texts do."""
    drawn = np.random.default_rng(seed).normal(size=(count, dimension)) + 2.0
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return np.asarray(np.clip(np.rint(unit * 250), -127, 127), dtype=np.int8)


def shared(rows: Rows) -> tuple[Growing, HnswIndex]:
    """Return an array with an index over it, whose graph is empty yet."""
    array = Growing(np.int8, width=rows.shape[1])
    array.extend(rows)
    return array, HnswIndex(ExactIndex(array))


def best(rows: Rows, query: Rows, top_k: int) -> list[int]:
    products = rows.astype(int) @ query.astype(int)
    return [int(i) for i in np.lexsort((np.arange(len(rows)), -products))[:top_k]]


def test_a_graph_that_is_not_built_yet_is_no_obstacle() -> None:
    rows = leaning(500)
    _, index = shared(rows)
    found = index.search(rows[3], 10)

    assert found.keys.tolist() == best(rows, rows[3], 10)
    assert (found.rounds, found.fell_back) == (0, True)


def test_a_graph_is_asked_once_where_all_survive() -> None:
    rows = leaning(500)
    _, index = shared(rows)
    index.grow()
    found = index.search(rows[3], 10)

    assert (found.rounds, found.fell_back) == (1, False)
    assert set(found.keys.tolist()) == set(best(rows, rows[3], 10))


def test_rows_behind_the_graph_are_scanned_along() -> None:
    rows = leaning(600)
    array, index = shared(rows[:500])
    index.grow()
    array.extend(rows[500:])
    index.adopt()

    assert (index.nodes, index.pending) == (500, 100)
    for query in rows[500:520]:
        found = index.search(query, 10)

        assert not found.fell_back
        assert found.keys.tolist() == best(rows, query, 10)


def test_growing_can_be_done_in_pieces() -> None:
    rows = leaning(300)
    _, index = shared(rows)
    index.grow(rows_max=100)
    after_one = index.nodes
    index.grow(rows_max=1000)
    index.grow()

    assert (after_one, index.nodes, index.pending) == (100, 300, 0)


def test_a_filter_widens_the_search() -> None:
    rows = leaning(2000)
    _, index = shared(rows)
    index.grow()
    found = index.search(rows[3], 20, lambda keys: keys % 3 == 0)

    assert (found.rounds, found.fell_back) == (3, False)
    assert found.keys.tolist() == [k for k in best(rows, rows[3], 2000) if k % 3 == 0][:20]


def test_a_narrow_filter_falls_back_to_the_scan_and_says_so() -> None:
    rows = leaning(2000)
    _, index = shared(rows)
    index.grow()
    found = index.search(rows[3], 20, lambda keys: keys % 50 == 0)

    assert found.fell_back
    assert found.rounds >= 1
    assert found.keys.tolist() == [k for k in best(rows, rows[3], 2000) if k % 50 == 0][:20]


def test_many_deaths_fall_back_to_the_scan() -> None:
    rows = leaning(1000)
    _, index = shared(rows)
    index.grow()
    index.delete(np.array(best(rows, rows[3], 970)))
    found = index.search(rows[3], 20)

    assert found.fell_back
    assert found.keys.tolist() == best(rows, rows[3], 1000)[970:990]


def test_rebuilding_gives_the_memory_of_the_dead_back() -> None:
    rows = leaning(1000)
    _, index = shared(rows)
    index.grow()
    held = index.nbytes
    index.delete(np.arange(500))
    index.rebuild()

    assert (len(index), index.nodes, index.pending) == (500, 500, 0)
    assert index.nbytes < held
    true = {500 + k for k in best(rows[500:], rows[700], 10)}
    assert set(index.search(rows[700], 10).keys.tolist()) == true


def test_the_same_rows_in_the_same_order_make_the_same_graph() -> None:
    rows = leaning(3000)
    graphs = [shared(rows)[1] for _ in range(2)]
    for graph in graphs:
        graph.grow()
    answers = [[g.search(q, 50, lambda keys: keys % 2 == 0) for q in rows[:20]] for g in graphs]

    for one, other in zip(*answers, strict=True):
        assert one.keys.tolist() == other.keys.tolist()


def test_of_leaning_rows_the_graph_finds_nearly_all() -> None:
    rows = leaning(5000)
    _, index = shared(rows)
    index.grow()
    queries = (leaning(100, seed=6).astype(int) - np.rint(rows.mean(axis=0)).astype(int)).clip(
        -127, 127
    )
    agreed = 0
    for query in queries.astype(np.int8):
        found = index.search(query, 10)
        agreed += len(set(found.keys.tolist()) & set(best(rows, query, 10)))

        assert not found.fell_back
    assert agreed >= 990


def test_more_than_the_usual_expansion_can_be_wanted() -> None:
    rows = leaning(3000)
    _, index = shared(rows)
    index.grow()
    wanted = 2 * EXPANSION_SEARCH
    found = index.search(rows[3], wanted)

    assert len(found.keys) == wanted
    assert len(set(found.keys.tolist()) & set(best(rows, rows[3], wanted))) >= 0.99 * wanted


def test_searching_while_it_grows_is_as_good_as_before() -> None:
    rows = leaning(2000)
    _, index = shared(rows)
    index.grow(rows_max=500)
    grower = threading.Thread(target=index.grow)
    grower.start()
    answers = [(query, index.search(query, 10)) for query in rows[:200:10]]
    grower.join()

    assert index.pending == 0
    for query, found in answers:
        assert len(set(found.keys.tolist()) & set(best(rows, query, 10))) >= 9


@pytest.mark.parametrize("order", ["faiss, onnxruntime", "onnxruntime, faiss"])
def test_the_graph_and_the_model_live_in_one_process(order: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {order}; print('alive')"],
        capture_output=True,
        check=False,
        env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},
        text=True,
    )

    assert (done.returncode, done.stdout.strip()) == (0, "alive")
