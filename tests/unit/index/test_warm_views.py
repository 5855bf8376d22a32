"""Warm views: as many as fit, the least recently asked go, and no space sees another's."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.index import snapshot
from simonides.index.index_cache import IndexCache
from simonides.index.space_index import SpaceIndex
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.testing.hashing import HashingEmbedder


@pytest.fixture
def three(store: SQLiteStore, kept: Any) -> list[Space]:
    """Three spaces with some items each."""
    spaces = []
    for name in ("ana", "ben", "cem"):
        kept.space = store.open(name, embedder=kept.embedder.identity, create=True)
        kept.words(*(f"{name} number {n}" for n in range(20)))
        spaces.append(kept.space)
    return spaces


def no_path(_: str) -> str:
    return ""


def warmed(views: IndexCache, space: Space) -> SpaceIndex:
    view = views.of(space)
    with space.read() as reader:
        view.at(reader)
    return view


def test_a_space_has_one_view_while_it_is_warm(three: list[Space]) -> None:
    views = IndexCache(bytes_max=1 << 30, snapshot_path=no_path)

    assert views.of(three[0]) is views.of(three[0])
    assert views.of(three[0]) is not views.of(three[1])


def test_the_least_recently_asked_goes_first(three: list[Space]) -> None:
    one = warmed(IndexCache(bytes_max=1, snapshot_path=no_path), three[0]).nbytes
    views = IndexCache(bytes_max=int(2.5 * one), snapshot_path=no_path)
    first, second, third = (warmed(views, space) for space in three)
    views.of(three[2])  # what the third one takes is known by now

    assert views.nbytes < 2.5 * one
    assert views.of(three[2]) is third
    assert views.of(three[1]) is second
    assert views.of(three[0]) is not first


def test_asking_again_keeps_a_view(three: list[Space]) -> None:
    one = warmed(IndexCache(bytes_max=1, snapshot_path=no_path), three[0]).nbytes
    views = IndexCache(bytes_max=int(2.5 * one), snapshot_path=no_path)
    first, second = (warmed(views, space) for space in three[:2])
    views.of(three[0])
    warmed(views, three[2])

    assert views.of(three[0]) is first
    assert views.of(three[1]) is not second


def test_the_view_in_use_stays_however_large(three: list[Space]) -> None:
    views = IndexCache(bytes_max=1, snapshot_path=no_path)
    view = warmed(views, three[0])

    assert views.of(three[0]) is view
    assert views.nbytes == view.nbytes > 1


def test_an_evicted_view_is_saved_and_goes_on_serving(
    three: list[Space], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    views = IndexCache(bytes_max=1, snapshot_path=lambda name: str(tmp_path / f"{name}.index"))
    evicted = warmed(views, three[0])
    views.of(three[1])
    with three[0].read() as reader:
        view = evicted.at(reader)

    assert (tmp_path / "ana.index").exists()
    assert view is not None
    assert view.items_alive == 20


def test_a_dropped_view_is_built_anew(three: list[Space]) -> None:
    views = IndexCache(bytes_max=1 << 30, snapshot_path=no_path)
    view = views.of(three[0])
    views.drop(three[0])
    views.drop(three[1])

    assert views.of(three[0]) is not view


@pytest.fixture
def memory(tmp_path: Path) -> Callable[..., Memory]:
    """Return a function that opens a memory on one home."""

    def opened(**fields: Any) -> Memory:
        chosen = Settings(timezone="UTC", durability="relaxed", **fields)
        return Memory(tmp_path / "two", settings=chosen, embedder=HashingEmbedder(16))

    return opened


def test_a_copied_file_is_a_space_of_its_own(memory: Callable[..., Memory], tmp_path: Path) -> None:
    with memory() as first:
        first.in_space("ana").add("harbor", id="a")
    folder = tmp_path / "two" / "spaces"
    for file in list(folder.glob("ana.*")):
        shutil.copy(file, folder / file.name.replace("ana", "ben"))
    with memory() as both:
        ana, ben = both.in_space("ana"), both.in_space("ben")
        ana.add("walrus", id="b")
        ben.add("zebra", id="b")
        found = [
            [hit.item.content for hit in space.search(word, mode="text")]
            for word in ("walrus", "zebra")
            for space in (ana, ben)
        ]

    assert found == [["walrus"], [], [], ["zebra"]]


def test_little_memory_changes_no_answer(memory: Callable[..., Memory]) -> None:
    with memory(view_bytes_max=1) as tight:
        for name in ("ana", "ben"):
            tight.in_space(name).add([f"harbor {name} {n}" for n in range(5)])
        found = [
            {hit.item.content for hit in tight.in_space(name).search("harbor")}
            for name in ("ana", "ben", "ana", "ben")
        ]

    assert found[0] == found[2] == {f"harbor ana {n}" for n in range(5)}
    assert found[1] == found[3] == {f"harbor ben {n}" for n in range(5)}
