"""The one view of a space: kept current by revision, exact, and dropped when in doubt."""

from functools import partial
from typing import Any

import pytest

from simonides.errors import StoreBusy, WrongEmbedder
from simonides.index.columns import ChunkColumns
from simonides.index.index_view import IndexView
from simonides.index.space_index import DEAD_SHARE_MAX, SpaceIndex
from simonides.ingest.prepare import Preparer
from simonides.maintenance.repair import reembed
from simonides.retrieval.looking import look
from simonides_bench.testing.hashing import HashingEmbedder


def statistics_of(view: IndexView | None) -> tuple[Any, ...]:
    assert view is not None
    return (
        view.revision, view.items_alive, view.chunks_alive, view.vectors_alive,
        view.length_total, view.vector_total.tolist(),
    )  # fmt: skip


def test_the_view_of_one_revision_is_made_once(kept: Any) -> None:
    kept.words("alpha")
    space_view = SpaceIndex(16)
    with kept.space.read() as reader:
        first = space_view.at(reader)
        again = space_view.at(reader)

    assert first is not None
    assert again is first
    assert space_view.nbytes > 0


def test_each_write_is_caught_up_with_exactly(kept: Any, watched: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha", "harbor lunch", "zebra")
    seen = []
    writes = [
        partial(kept.words, "one", "two"),
        partial(kept.forget, "alpha"),
        partial(kept.words, "alpha", language="de"),
        partial(kept.forget, "one", "two", "zebra"),
        partial(kept.forget, "never there"),
    ]
    for write in writes:
        with kept.space.read() as reader:
            before = watched(reader)
            assert statistics_of(space_view.at(before)) == statistics_of(kept.anew())
            seen += before.since
        write()
    with kept.space.read() as reader:
        assert statistics_of(space_view.at(reader)) == statistics_of(kept.anew())

    assert seen == [0, 1, 2, 3, 4]


def test_what_was_born_and_died_between_two_looks_leaves_nothing(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha")
    with kept.space.read() as reader:
        space_view.at(reader)
    kept.words("short lived")
    kept.words("short lived", language="de")
    kept.forget("short lived")
    with kept.space.read() as reader:
        view = space_view.at(reader)

    assert statistics_of(view) == statistics_of(kept.anew())
    assert view is not None
    assert view.item_count == 1


def test_a_reader_overtaken_by_a_writer_gets_no_view_and_looks_again(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha")
    with kept.space.read() as slow:
        kept.words("beta")
        with kept.space.read() as quick:
            ahead = space_view.at(quick)

        assert statistics_of(ahead)[0] == 2
        assert space_view.at(slow) is None
    with look(kept.space, space_view) as (reader, view):
        assert (reader.revision, view.revision) == (2, 2)


def test_a_reader_that_is_overtaken_for_ever_gives_up(kept: Any) -> None:
    class Ahead(SpaceIndex):
        def at(self, reader: Any) -> None:
            del reader

    with pytest.raises(StoreBusy, match="retry"), look(kept.space, Ahead(16)):
        pass


def test_an_earlier_view_goes_on_seeing_what_died_since(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha", "beta")
    with kept.space.read() as reader:
        earlier = space_view.at(reader)
    kept.forget("alpha")
    kept.words(*(f"more {n}" for n in range(200)))
    with kept.space.read() as reader:
        later = space_view.at(reader)

    assert earlier is not None
    assert later is not None
    assert (earlier.alive.tolist(), int(later.alive.sum())) == ([True, True], 201)
    assert len(earlier.threads.items) == 2


def test_a_view_of_mostly_dead_chunks_is_built_anew(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words(*(f"number {n}" for n in range(1200)))
    with kept.space.read() as reader:
        space_view.at(reader)
    kept.forget(*(f"number {n}" for n in range(1100)))
    with kept.space.read() as reader:
        heavy = space_view.at(reader)
    kept.words("alpha")
    with kept.space.read() as reader:
        light = space_view.at(reader)

    assert heavy is not None
    assert light is not None
    assert heavy.chunk_count == 1200 > 1100 / DEAD_SHARE_MAX / 4
    assert light.chunk_count == 101
    assert statistics_of(light) == statistics_of(kept.anew())


def test_a_catch_up_that_breaks_off_leaves_nothing_half_done(
    kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha")
    with kept.space.read() as reader:
        space_view.at(reader)
    kept.words("beta", "gamma")

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, kept.space.read() as reader:
        patch.setattr(ChunkColumns, "extend", interrupt)
        with pytest.raises(KeyboardInterrupt):
            space_view.at(reader)
    kept.words("delta")
    with kept.space.read() as reader:
        view = space_view.at(reader)

    assert statistics_of(view) == statistics_of(kept.anew())
    assert view is not None
    assert view.item_count == 4


def test_another_epoch_builds_the_view_anew(kept: Any, watched: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha")
    with kept.space.read() as reader:
        space_view.at(reader)
    same = HashingEmbedder(16)
    reembed(kept.space, preparer=Preparer(identity=same.identity, embedder=same))
    with kept.space.read() as reader:
        seen = watched(reader)
        view = space_view.at(seen)

    assert seen.since == [0]
    assert statistics_of(view) == statistics_of(kept.anew())


def test_vectors_of_another_size_are_an_error_that_says_what_to_do(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("alpha", "beta")
    with kept.space.read() as reader:
        space_view.at(reader)
    smaller = HashingEmbedder(8)
    reembed(kept.space, preparer=Preparer(identity=smaller.identity, embedder=smaller))
    with (
        kept.space.read() as reader,
        pytest.raises(WrongEmbedder, match="close it and open it again"),
    ):
        space_view.at(reader)
