"""Law 9: a snapshot gives the view back to the last bit, or it is as good as none."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from simonides import Item, Kind, Person
from simonides.index import snapshot
from simonides.index.growing import MAGIC
from simonides.index.index_view import IndexView
from simonides.index.snapshot import SnapshotFile
from simonides.index.space_index import SpaceIndex
from simonides.text.analyse import query_terms

STAMP: Final[dict[str, Any]] = {"space_uuid": "u1", "epoch": 3, "dimension": 16}


@pytest.fixture
def view(kept: Any) -> IndexView:
    """The view of a small space in which something was also replaced and forgotten."""
    now = datetime(2026, 3, 12, tzinfo=UTC)
    kept.keep(
        *(
            Item(
                id=f"i{n}",
                kind=Kind.MESSAGE if n % 2 else Kind.MEMORY,
                content=f"alpha number {n} harbor",
                tags=("red",) if n % 3 else (),
                people=(Person(name="Sarah Lindqvist", address="sarah@example.com"),),
                session="s" if n % 2 else "",
                happened_at=now - timedelta(days=n) if n % 4 else None,
                language="en" if n % 5 else "de",
            )
            for n in range(12)
        )
    )
    kept.words("zebra", "größe", "i3")
    kept.forget("i5", "zebra")
    found: IndexView = kept.anew()
    return found


@pytest.fixture
def file(tmp_path: Path, view: IndexView) -> Path:
    """The view's snapshot."""
    path = tmp_path / "ana.index"
    snapshot.write(path, view, space_uuid="u1", epoch=3)
    return path


def said(view: IndexView) -> dict[str, Any]:
    """Return everything that answers rest on."""
    words = [term.keys for term in query_terms("alpha harbor größe zebra 7", ("en", "de"))]
    query = np.linspace(-1, 1, 16, dtype=np.float32)
    return {
        "counts": (view.revision, view.items_alive, view.chunks_alive, view.vectors_alive),
        "sums": (view.length_total, view.vector_total.tolist()),
        "columns": {name: c.rows(view.item_count).tolist() for name, c in view.items.growing.items()
                    if name not in ("importance", "half_life")},
        "shares": view.items.importance.rows(view.item_count)[view.alive].tolist(),
        "codes": {name: [c.values[i] for i in c.column.rows(view.item_count)]
                  for name, c in view.items.codes.items()},
        "chunks": {name: c.rows(view.chunk_count).tolist()
                   for name, c in view.chunks.growing.items()},
        "lexical": view.lexical(map(view.term, words)).tolist(),
        "semantic": view.semantic(query).tolist(),
        "cosines": view.cosines(query).tolist(),
        "threads": (view.threads.items.tolist(), view.threads.follows.tolist()),
        "languages": view.languages,
        "names": (view.directory.names(), view.names.matching("sarah"), view.names.matching("x")),
        "alive": view.alive.tolist(),
    }  # fmt: skip


def without_nan(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "shares": np.nan_to_num(values["shares"], nan=-1.0).tolist()}


@pytest.mark.parametrize("maps", [False, True])
def test_what_is_read_says_what_was_written(file: Path, view: IndexView, *, maps: bool) -> None:
    back = snapshot.read(file, **STAMP, maps=maps)

    assert back is not None
    assert without_nan(said(back)) == without_nan(said(view))


def test_the_view_of_an_empty_space_can_be_kept(tmp_path: Path, kept: Any) -> None:
    path = tmp_path / "empty.index"
    snapshot.write(path, kept.anew(), space_uuid="u1", epoch=3)
    back = snapshot.read(path, **STAMP)

    assert back is not None
    assert (back.revision, back.item_count, back.chunk_count) == (0, 0, 0)


@pytest.mark.parametrize("maps", [False, True])
def test_a_view_that_was_read_grows_as_the_one_that_was_written(
    file: Path, view: IndexView, kept: Any, *, maps: bool
) -> None:
    back = snapshot.read(file, **STAMP, maps=maps)
    assert back is not None
    kept.words("harbor house", "i7")
    kept.forget("i2")
    space_view = SpaceIndex(16)
    space_view._view, space_view._epoch = back, 0
    with kept.space.read() as reader:
        grown = space_view.at(reader)

    assert grown is not None
    assert without_nan(said(grown)) == without_nan(said(_grown(view, kept)))


def _grown(view: IndexView, kept: Any) -> IndexView:
    space_view = SpaceIndex(16)
    space_view._view, space_view._epoch = view, 0
    with kept.space.read() as reader:
        grown = space_view.at(reader)
    assert grown is not None
    return grown


@pytest.mark.parametrize("wrong", [{"space_uuid": "u2"}, {"epoch": 4}, {"dimension": 32}])
def test_the_snapshot_of_another_space_epoch_or_embedder_is_none(
    file: Path, wrong: dict[str, Any]
) -> None:
    assert snapshot.read(file, **{**STAMP, **wrong}) is None


def test_a_snapshot_past_the_reader_is_none(file: Path, view: IndexView) -> None:
    found = SnapshotFile(path=file, space_uuid="u1")

    assert found.read(epoch=3, revision=view.revision - 1, dimension=16) is None
    assert found.read(epoch=3, revision=view.revision, dimension=16) is not None
    assert found.read(epoch=3, revision=view.revision + 5, dimension=16) is not None


def test_a_file_cut_short_anywhere_is_none(file: Path) -> None:
    whole = file.read_bytes()
    for length in [*range(40), *range(40, len(whole), 397), len(whole) - 1]:
        file.write_bytes(whole[:length])

        assert snapshot.read(file, **STAMP) is None, length


def test_a_file_with_one_wrong_byte_is_none(file: Path) -> None:
    whole = file.read_bytes()
    for at in [*range(60), *range(60, len(whole), 211), len(whole) - 1]:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])

        assert snapshot.read(file, **STAMP) is None, at


@pytest.mark.parametrize("content", [b"", b"\x00" * 500, b"SIMOIDX8" + bytes(100), MAGIC * 40])
def test_a_file_of_something_else_is_none(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    assert snapshot.read(file, **STAMP) is None


def test_a_longer_file_is_none(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\x00")

    assert snapshot.read(file, **STAMP) is None


def test_no_file_and_a_folder_are_none(tmp_path: Path) -> None:
    assert snapshot.read(tmp_path / "missing", **STAMP) is None
    assert snapshot.read(tmp_path, **STAMP) is None


def test_the_bytes_of_the_file_are_let_go(file: Path) -> None:
    back = snapshot.read(file, **STAMP)

    assert back is not None
    for postings in (back.terms, back.facets):
        for segment in postings.segments:
            arrays = (segment.keys, segment.starts, segment.docs, segment.counts)
            assert all(array.base is None for array in arrays)


def test_small_views_are_not_written(tmp_path: Path, view: IndexView) -> None:
    file = SnapshotFile(path=tmp_path / "small.index", space_uuid="u1")
    file.write(view, epoch=3)

    assert not file.path.exists()


def test_a_disk_that_refuses_leaves_the_old_file_and_no_litter(
    file: Path, view: IndexView, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)

    def refuse(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr("os.fsync", refuse)
    SnapshotFile(path=file, space_uuid="u1").write(view, epoch=9)

    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == [file.name]


# ── as a space uses it ───────────────────────────────────────────────────────────────────────────


@pytest.fixture
def saved(
    kept: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], tuple[SpaceIndex, Any]]:
    """Return a function that makes a cold view of the space, whose snapshot was written once."""
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    file = SnapshotFile(path=tmp_path / "ana.index", space_uuid=kept.space.uuid)

    def cold() -> tuple[SpaceIndex, Any]:
        return SpaceIndex(16, snapshot=file), file

    kept.words("alpha harbor", "zebra")
    warm, _ = cold()
    with kept.space.read() as reader:
        warm.at(reader)
    warm.save()
    return cold


def test_a_cold_view_takes_up_the_snapshot_and_reads_only_what_is_new(
    kept: Any, saved: Callable[[], tuple[SpaceIndex, Any]], watched: Any
) -> None:
    kept.words("lunch")
    kept.forget("zebra")
    cold, _ = saved()
    with kept.space.read() as reader:
        seen = watched(reader)
        view = cold.at(seen)

    assert view is not None
    assert seen.since == [1]
    assert without_nan(said(view))["counts"] == without_nan(said(kept.anew()))["counts"]
    assert said(view)["sums"] == said(kept.anew())["sums"]


def test_a_snapshot_of_the_present_needs_no_rows(
    kept: Any, saved: Callable[[], tuple[SpaceIndex, Any]], watched: Any
) -> None:
    cold, _ = saved()
    with kept.space.read() as reader:
        seen = watched(reader)
        cold.at(seen)

    assert seen.since == []


@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
def test_a_damaged_snapshot_is_passed_over_and_written_anew(
    kept: Any, saved: Callable[[], tuple[SpaceIndex, Any]], watched: Any, damage: str
) -> None:
    cold, file = saved()
    whole = file.path.read_bytes()
    broken = {"flip": whole[:99] + b"!" + whole[100:], "cut": whole[:-7], "gone": b""}[damage]
    file.path.write_bytes(broken)
    with kept.space.read() as reader:
        seen = watched(reader)
        view = cold.at(seen)
        cold.save()

    assert view is not None
    assert seen.since == [0]
    assert said(view)["counts"] == said(kept.anew())["counts"]
    assert file.path.read_bytes() == whole


def test_saving_twice_writes_once(kept: Any, saved: Callable[[], tuple[SpaceIndex, Any]]) -> None:
    cold, file = saved()
    with kept.space.read() as reader:
        cold.at(reader)
    file.path.unlink()
    cold.save()

    assert not file.path.exists()
