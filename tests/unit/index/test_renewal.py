"""When a snapshot is written anew, and that none brings back what was erased."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides.errors import StoreError
from simonides.index import snapshot
from simonides.index.index_cache import IndexCache
from simonides.index.snapshot import Renewal, SnapshotFile
from simonides.index.space_index import SpaceIndex

Views = Callable[..., IndexCache]


@pytest.fixture(autouse=True)
def _small_views_have_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)


@pytest.fixture
def views(tmp_path: Path) -> Views:
    """Return a maker of warm views whose snapshots lie in a folder."""

    def make(**renewal: int) -> IndexCache:
        return IndexCache(
            bytes_max=1 << 30,
            snapshot_path=lambda name: str(tmp_path / f"{name}.index"),
            renewal=Renewal(**renewal),
        )

    return make


def warm(views: IndexCache, kept: Any) -> SpaceIndex:
    """Ask the space something, so that its view is in memory."""
    view = views.of(kept.space)
    with kept.space.read() as reader:
        view.at(reader)
    return view


def saved_revision(kept: Any, folder: Path) -> int | None:
    """Return the revision of the snapshot that would be believed."""
    file = SnapshotFile(path=folder / "ana.index", space_uuid=kept.space.uuid)
    with kept.space.read() as reader:
        found = file.read(epoch=reader.epoch, revision=reader.revision, dimension=16)
    return None if found is None else found.revision


def test_it_is_written_anew_after_so_many_writes(kept: Any, views: Views, tmp_path: Path) -> None:
    made = views(writes=3)
    kept.words("a")
    warm(made, kept)
    saved = []
    for n in range(7):
        kept.words(f"word {n}")
        made.renew(kept.space)
        saved.append(saved_revision(kept, tmp_path))

    assert saved == [None, None, 4, 4, 4, 7, 7]


def test_it_is_written_anew_after_so_much_log(kept: Any, views: Views, tmp_path: Path) -> None:
    made = views(log_bytes=1_000_000)
    kept.words("a")
    warm(made, kept)
    made.renew(kept.space)
    before = saved_revision(kept, tmp_path)
    kept.words(*(f"number {n}" for n in range(800)), title="x" * 1000)
    made.renew(kept.space)
    after = saved_revision(kept, tmp_path)
    kept.words("little")
    made.renew(kept.space)

    assert (before, after, saved_revision(kept, tmp_path)) == (None, 2, 2)


def test_a_cold_space_is_not_warmed_for_it(kept: Any, views: Views, tmp_path: Path) -> None:
    made = views(writes=1)
    kept.words("a")
    made.renew(kept.space)

    assert saved_revision(kept, tmp_path) is None
    assert made.nbytes == 0


def test_writes_of_others_count_once_they_are_seen(kept: Any, views: Views, tmp_path: Path) -> None:
    made = views(writes=5)
    for n in range(6):
        kept.words(f"word {n}")
    warm(made, kept)
    made.renew(kept.space)

    assert saved_revision(kept, tmp_path) == 6


def test_a_view_without_a_place_for_snapshots_is_never_due(kept: Any) -> None:
    view = SpaceIndex(16, renewal=Renewal(writes=1, log_bytes=1))
    kept.words("a")
    with kept.space.read() as reader:
        view.at(reader)

    assert not view.is_due(written_bytes=1 << 30)


def test_a_view_of_before_an_erasure_writes_no_snapshot(
    kept: Any, views: Views, tmp_path: Path
) -> None:
    made = views()
    kept.words("zorkmid", "stays")
    warm(made, kept)
    kept.space.erase(["zorkmid"], at=_noon())

    made.save()

    assert not (tmp_path / "ana.index").exists()
    warm(made, kept)
    made.save()
    assert saved_revision(kept, tmp_path) == 2


def test_what_is_erased_while_a_snapshot_is_written_takes_it_away_again(
    kept: Any, tmp_path: Path
) -> None:
    kept.words("zorkmid", "stays")
    epochs = iter([0, 1])
    path = tmp_path / "ana.index"
    file = SnapshotFile(path=path, space_uuid=kept.space.uuid, epoch_now=lambda: next(epochs))

    file.write(kept.anew(), epoch=0)

    assert list(tmp_path.glob("*.index")) == []
    assert next(epochs, None) is None


def test_a_space_that_can_not_be_asked_any_more_gets_no_snapshot(kept: Any, tmp_path: Path) -> None:
    def closed() -> int:
        raise StoreError("was closed")

    kept.words("a")
    path = tmp_path / "ana.index"
    SnapshotFile(path=path, space_uuid="u", epoch_now=closed).write(kept.anew(), epoch=0)

    assert not path.exists()


def _noon() -> Any:
    from datetime import UTC, datetime

    return datetime(2026, 3, 12, 12, tzinfo=UTC)
