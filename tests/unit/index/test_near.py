"""The opt-in graph of a view: what it leaves out counts nothing, what it gives is exact."""

import gc
import shutil
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from simonides.index import approximate as room
from simonides.index.approximate import CANDIDATES, PENDING_MAX, near_semantic
from simonides.index.exact import ExactIndex
from simonides.index.growing import Growing
from simonides.index.hnsw import HnswIndex
from simonides.index.index_view import IndexView
from simonides.index.space_index import SpaceIndex
from simonides.model.item import Item
from simonides.storage.sqlite import SQLiteStore

Floats = npt.NDArray[np.float64]

ITEMS: Final = 1600
DIMENSION: Final = 16


def texts(count: int, *, start: int = 0) -> list[str]:
    """Return different texts of six words out of three hundred."""
    random = np.random.default_rng(start)
    words = random.integers(300, size=(count, 6))
    return [f"n{start + i} " + " ".join(f"w{w}" for w in row) for i, row in enumerate(words)]


class Near:
    """A space with a view whose graph can be waited for."""

    def __init__(self, kept: Any, *, above: int = 100) -> None:
        self.kept = kept
        self.space_view = SpaceIndex(DIMENSION, approximate_above=above)

    def view(self) -> IndexView:
        """Return the view of the present revision."""
        with self.kept.space.read() as reader:
            view = self.space_view.at(reader)
        assert view is not None
        return view

    def built(self) -> IndexView:
        """Return the view once its graph is there."""
        view = self.view()
        assert view.near is not None
        if not view.near.is_ready():
            builder = view.near._builder
            assert builder is not None
            builder.join()
        assert view.near.is_ready()
        return view

    def ask(self, view: IndexView, text: str = "w7 w8 w9", **given: Any) -> tuple[Floats, str]:
        """Return the values and how they were found."""
        asked: dict[str, Any] = {"lexical": None, "allowed": lambda: view.alive, "limit": 10}
        query = self.kept.embedder.embed_query(text)
        return near_semantic(view, query, **{**asked, **given})

    def exact(self, view: IndexView, text: str = "w7 w8 w9") -> Floats:
        """Return the values of the scan."""
        return view.semantic(self.kept.embedder.embed_query(text))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, keep_in: Any) -> Path:
    """The home of a space of many small items, which nobody has open or changes."""
    home = tmp_path_factory.mktemp("near") / "home"
    store = SQLiteStore(home, durability="relaxed")
    keep_in(store).words(*texts(ITEMS))
    store.close()
    return home


@pytest.fixture
def many(filled: Path, store: SQLiteStore, keep_in: Any, tmp_path: Path) -> Any:
    """A space of many small items, which a test may change."""
    shutil.copytree(filled, tmp_path / "home", dirs_exist_ok=True)
    return keep_in(store)


@pytest.fixture
def near(many: Any) -> Near:
    """That space, of which nobody asked for a view yet."""
    return Near(many)


@pytest.fixture(scope="module")
def still(filled: Path, keep_in: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Near]:
    """A space of the same items with its graph, for tests that change nothing."""
    home = shutil.copytree(filled, tmp_path_factory.mktemp("still") / "home")
    store = SQLiteStore(home, durability="relaxed")
    near = Near(keep_in(store))
    near.built()
    yield near
    store.close()


def test_without_the_setting_a_view_has_no_graph(kept: Any) -> None:
    kept.words("alpha")
    with kept.space.read() as reader:
        view = SpaceIndex(DIMENSION).at(reader)

    assert view is not None
    assert view.near is None


def test_a_space_that_is_small_enough_is_scanned(kept: Any) -> None:
    kept.words(*texts(100))
    near = Near(kept, above=100)
    view = near.view()
    values, how = near.ask(view)

    assert values.tolist() == near.exact(view).tolist()
    assert how == ""
    assert view.near is not None
    assert view.near.nbytes == 0


def test_while_the_graph_is_built_answers_are_exact(near: Near) -> None:
    view = near.view()
    values, how = near.ask(view)
    near.built()

    assert values.tolist() == near.exact(view).tolist()
    assert how.startswith("exact: the approximate index is being built")


def test_a_value_is_the_very_one_of_the_scan_or_nothing(still: Near) -> None:
    view = still.built()
    values, how = still.ask(view)
    exact = still.exact(view)
    given = values != 0.0

    assert how.startswith(f"approximate: {CANDIDATES} chunks")
    assert values[given].tolist() == exact[given].tolist()
    assert CANDIDATES <= np.count_nonzero(given) < ITEMS


def test_the_largest_values_are_given(still: Near) -> None:
    view = still.built()
    for question in ("w7 w8 w9", "w100 w30", "w255 w256 w257 w12"):
        values, _ = still.ask(view, question)

        best = np.sort(still.exact(view, question))[::-1][:20]
        assert np.sort(values)[::-1][:20].tolist() == best.tolist()


def test_what_words_find_is_looked_at_too(still: Near) -> None:
    view = still.built()
    far = int(np.argmin(still.exact(view)))
    lexical = np.zeros(view.chunk_count)
    lexical[far] = 0.5
    without, _ = still.ask(view)
    values, _ = still.ask(view, lexical=lexical)

    assert without[far] == 0.0
    assert values[far] == still.exact(view)[far] < 0.0


def test_only_the_best_by_words_are_looked_at(still: Near) -> None:
    view = still.built()
    lexical = np.linspace(0.1, 0.9, view.chunk_count)
    slots = room._best_by_words(view, lexical, view.alive)

    assert sorted(slots.tolist()) == list(range(ITEMS - CANDIDATES, ITEMS))


def test_words_do_not_bring_in_what_the_filter_leaves_out(still: Near) -> None:
    view = still.built()
    allowed = view.alive.copy()
    allowed[-10:] = False

    slots = room._best_by_words(view, np.ones(view.chunk_count), allowed)
    assert max(slots.tolist()) < ITEMS - 10


def test_the_items_before_and_after_in_a_thread_are_looked_at_too(kept: Any) -> None:
    lines = texts(ITEMS)
    kept.keep(*(Item(content=t, id=t, session="s", position=i) for i, t in enumerate(lines)))
    near = Near(kept)
    view = near.built()
    values, _ = near.ask(view)
    best = view.thread_places[view.chunk_items[int(np.argmax(values))]]
    beside = view.ordered[[best - 1, best + 1]]

    exact = near.exact(view)[view.item_starts[beside]]
    assert values[view.item_starts[beside]].tolist() == exact.tolist()


def test_neighbours_are_of_the_same_thread(kept: Any) -> None:
    sessions = ("s", "s", "s", "t", "t", "")
    for i, session in enumerate(sessions):
        kept.keep(Item(content=f"word {i}", id=f"n{i}", session=session, position=i))
    view = Near(kept).view()

    beside = [room._with_neighbours(view, np.array([i], dtype=np.int32)) for i in range(6)]
    assert [sorted(one.tolist()) for one in beside] == [
        [0, 1], [0, 1, 2], [1, 2], [3, 4], [3, 4], [5],
    ]  # fmt: skip


def test_all_chunks_of_an_item_have_their_values(many: Any) -> None:
    long = " ".join(["w7 w8 w9."] * 150 + ["w50 w60 w70."] * 300)
    many.keep(Item(content=long, id="long"))
    near = Near(many)
    view = near.built()
    values, _ = near.ask(view)
    own = np.flatnonzero(view.chunk_items == ITEMS)

    assert len(own) > 1
    assert values[own].tolist() == near.exact(view)[own].tolist()


def test_what_is_new_is_found_before_it_is_in_the_graph(near: Near) -> None:
    near.built()
    near.kept.words("w7 w8 w9")
    view = near.view()
    values, how = near.ask(view)

    assert how.startswith("approximate")
    assert values[-1] == near.exact(view)[-1] == max(values)
    assert view.near is not None
    assert (view.near.index.nodes, view.near.index.pending) == (ITEMS, 1)


def test_what_is_forgotten_is_not_found_but_an_older_view_still_finds_it(near: Near) -> None:
    before = near.built()
    best = int(np.argmax(near.ask(before)[0]))
    near.kept.forget(texts(ITEMS)[best])
    after = near.view()

    assert near.ask(after)[0][best] == 0.0
    assert near.ask(before)[0][best] > 0.9 * max(near.exact(before))


def test_an_older_view_is_not_given_what_came_later(near: Near) -> None:
    before = near.built()
    near.kept.words("w7 w8 w9")
    near.ask(near.view())
    values, how = near.ask(before)

    assert how.startswith("approximate")
    assert len(values) == ITEMS


def test_a_chunk_without_a_vector_is_never_a_candidate(many: Any) -> None:
    view = Near(many).view()
    view.vectors.squares.rows(view.chunk_count)[5] = 0.0
    may = room._may_come(view, view.alive, np.array([4, 5, 6, ITEMS, ITEMS + 7]))

    assert may.tolist() == [True, False, True, False, False]


def only(count: int) -> Callable[[IndexView], npt.NDArray[np.bool_]]:
    """Return a filter that the first `count` items pass."""
    return lambda view: np.arange(view.item_count) < count


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"limit": CANDIDATES + 1}, f"exact: more than {CANDIDATES} were asked for"),
        ({"allowed": only(100)}, "exact: the filter leaves less than 1 of 8 chunks"),
        ({"allowed": only(300)}, "exact: the graph brought too few"),
    ],
)
def test_what_the_graph_cannot_serve_is_scanned(
    still: Near, given: dict[str, Any], why: str
) -> None:
    view = still.built()
    if "allowed" in given:
        given = {"allowed": partial(given["allowed"], view)}
    values, how = still.ask(view, **given)

    assert how.startswith(why)
    assert values.tolist() == still.exact(view).tolist()


def test_a_wide_filter_is_served_by_a_wider_search(still: Near) -> None:
    view = still.built()
    third = np.arange(view.item_count) % 3 == 0
    values, how = still.ask(view, allowed=lambda: third)

    assert how == f"approximate: {CANDIDATES} chunks by the graph, rounds: 3"
    best = np.sort(still.exact(view)[third])[::-1][:10]
    assert np.sort(values[third])[::-1][:10].tolist() == best.tolist()


def test_chunks_of_too_few_items_are_not_enough(kept: Any) -> None:
    kept.words(*texts(600))
    kept.keep(Item(content=" ".join(f"w7 w8 w{i}." for i in range(12_000)), id="long"))
    near = Near(kept)
    view = near.built()
    values, how = near.ask(view, limit=300)

    assert how.startswith("exact: what the graph brought belongs to")
    assert values.tolist() == near.exact(view).tolist()


def test_successive_views_share_one_graph_and_count_its_bytes(near: Near) -> None:
    scanned = near.space_view.nbytes
    first = near.built()
    held = near.space_view.nbytes
    near.kept.words("one more")
    second = near.view()

    assert second.near is first.near
    assert held > scanned


@pytest.mark.slow
def test_many_new_chunks_are_put_into_the_graph(near: Near) -> None:
    near.built()
    near.kept.words(*texts(PENDING_MAX, start=10_000), "and one more")
    view = near.view()
    assert view.near is not None
    is_ready = view.near.is_ready()
    near.built()

    assert not is_ready
    assert view.near.index.nodes > ITEMS
    assert near.ask(view)[1].startswith("approximate")


def test_nobody_builds_a_graph_that_nobody_wants() -> None:
    rows = Growing(np.int8, width=4)
    rows.extend(np.ones((600, 4), dtype=np.int8))
    index = HnswIndex(ExactIndex(rows))
    wanted = weakref.ref(index)
    del index
    gc.collect()
    room._build(wanted)

    assert wanted() is None


@pytest.mark.slow
def test_a_program_ends_though_a_graph_is_being_built() -> None:
    program = """
import numpy as np
from simonides.index.exact import Vectors
from simonides.index.approximate import ApproximateChunks
vectors = Vectors(384)
rows = np.random.default_rng(1).integers(-60, 61, size=(60_000, 384), dtype=np.int8)
vectors.extend(rows.tobytes())
near = ApproximateChunks(vectors, above=1)
print(near.is_ready())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True, timeout=60
    )

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "False", "")
