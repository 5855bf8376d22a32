"""A sweep leaves no byte, or says what stood in its way and is finished by the next one."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from simonides.errors import StoreFull
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore, erase
from simonides.storage.sqlite.home_files import remove_snapshot

Prepare = Callable[..., Prepared]


def zorkmids(space: Space) -> int:
    """Return how often the erased word stands in the files of a closed space."""
    space.close()
    files = (Path(name) for name in space.files.paths)
    return sum(file.read_bytes().count(b"zorkmid") for file in files if file.exists())


@pytest.fixture
def erased(space: Space, prepare: Prepare, noon: datetime) -> Space:
    """A space whose rows have lost items, but whose files have not."""
    space.commit([prepare(f"{n} zorkmid " * 400, id=f"{n}") for n in range(30)], stored_at=noon)
    for n in range(0, 30, 2):
        space.commit([prepare(f"{n} changed zorkmid " * 200, id=f"{n}")], stored_at=noon)
    space.erase([f"{n}" for n in range(30)], at=noon)
    return space


def test_the_words_are_still_in_the_log_before_it(erased: Space) -> None:
    log = Path(erased.files.paths[1])

    assert b"zorkmid" in log.read_bytes()


def test_and_not_after_it(erased: Space) -> None:
    swept = erased.sweep()

    assert swept.bytes_after < swept.bytes_before
    assert erased.files.paths[0] in swept.files
    assert zorkmids(erased) == 0


def test_a_reader_that_stays_is_told_of_and_the_next_sweep_finishes(
    erased: Space, make_store: Callable[..., SQLiteStore]
) -> None:
    with make_store().open_any("ana").read() as reader:
        assert reader.revision
        swept = erased.sweep()

        assert (swept.rewritten, swept.log_emptied) == (True, False)
        assert "end what reads it and erase once more" in swept.problem
        assert erased.is_sweep_due()
    assert erased.sweep().problem == ""
    assert not erased.is_sweep_due()
    assert zorkmids(erased) == 0


def test_a_writer_that_stays_is_reported_of(erased: Space, file: Path) -> None:
    other = apsw.Connection(str(file))
    other.execute("BEGIN IMMEDIATE")
    swept = erased.sweep()
    other.execute("ROLLBACK")
    other.close()

    assert (swept.rewritten, swept.log_emptied) == (False, False)
    assert "could not be written anew" in swept.problem
    assert erased.is_sweep_due()
    assert erased.sweep().problem == ""


def test_a_full_disk_is_reported_of(erased: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path) -> object:
        raise StoreFull(f"no room left to write {file}")

    with monkeypatch.context() as patch:
        patch.setattr(erase, "translate_errors", full)
        swept = erased.sweep()

    assert "no room left" in swept.problem
    assert erased.is_sweep_due()
    assert erased.sweep().problem == ""


def test_the_index_snapshot_goes_and_what_was_left_of_one(erased: Space, file: Path) -> None:
    names = ("ana.index", ".index-ana-x1", "ben.index", ".index-ben-x1")
    for name in names:
        (file.parent / name).write_bytes(b"zorkmid")

    swept = erased.sweep()

    left = {name for name in names if (file.parent / name).exists()}
    assert left == {"ben.index", ".index-ben-x1"}
    assert {Path(name).name for name in swept.files} >= {"ana.index", ".index-ana-x1"}
    assert remove_snapshot(file) == ()


def test_a_sweep_of_a_space_of_which_nothing_was_erased_does_no_harm(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    with space.read() as reader:
        before = list(reader.read_all())
    assert space.sweep().problem == ""

    with space.read() as reader:
        assert list(reader.read_all()) == before
    assert all(finding.sound for finding in space.check())


def test_the_log_is_counted_over_its_own_beginnings(
    make_store: Callable[..., SQLiteStore], prepare: Prepare, noon: datetime
) -> None:
    space = make_store().open("ben", embedder=NO_EMBEDDER, create=True)
    steps = []
    for n in range(3):
        before = space.written_bytes
        space.commit([prepare("x" * 50_000, id=f"{n}")], stored_at=noon)
        steps.append(space.written_bytes - before)
        assert space.sweep().log_emptied  # and so the log begins anew

    assert all(50_000 < step < 1_000_000 for step in steps)
