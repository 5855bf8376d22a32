"""A file that lost its bytes is no new space; what a crash or an erasure leaves is one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from simonides import Memory, Settings
from simonides.disk import new_private_file
from simonides.errors import StoreCorrupt, StoreError

PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")


def opened(home: Path) -> Memory:
    return Memory(home, space="ana", settings=PLAIN)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a space that something is kept in; nobody has it open."""
    with opened(tmp_path) as memory:
        memory.add("the harbor deadline is Friday", id="a")
    return tmp_path / "spaces/ana.sqlite3"


@pytest.mark.parametrize("size", [0, 1, 99])
def test_a_file_that_was_cut_is_refused_and_left_as_it_is(
    tmp_path: Path, file: Path, size: int
) -> None:
    os.truncate(file, size)
    with opened(tmp_path) as memory:
        verbs = (lambda: memory.add("over it"), lambda: memory.search("harbor"), memory.repair)
        for verb in verbs:
            with pytest.raises(StoreCorrupt, match=r"simonides repair --from FILE"):
                verb()

    assert file.stat().st_size == size


def test_a_backup_takes_the_place_of_a_file_that_was_cut(tmp_path: Path, file: Path) -> None:
    with opened(tmp_path) as memory:
        memory.backup(tmp_path / "kept.sqlite3")
    os.truncate(file, 0)
    with opened(tmp_path) as memory:
        memory.repair(backup=tmp_path / "kept.sqlite3")

        assert memory.get("a").content == "the harbor deadline is Friday"


def test_what_a_crash_leaves_before_the_first_page_is_a_new_space(tmp_path: Path) -> None:
    file = tmp_path / "spaces/ana.sqlite3"
    file.parent.mkdir()
    file.touch()
    with opened(tmp_path) as memory:
        memory.add("first", id="a")

        assert memory.get("a").content == "first"


def test_so_is_what_a_crash_leaves_after_somebody_removed_the_file(
    tmp_path: Path, file: Path
) -> None:
    file.unlink()
    with opened(tmp_path) as memory:
        memory.add("second", id="b")
    file.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simonides.storage.sqlite.store.migrate", _broken_off)
        with opened(tmp_path) as memory, pytest.raises(KeyboardInterrupt):
            memory.add("third")
    file.write_bytes(b"")
    with opened(tmp_path) as memory:
        memory.add("fourth", id="d")

        assert [one.id for one in memory.list().items] == ["d"]


def _broken_off(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_erased_space_leaves_no_mark(tmp_path: Path, file: Path) -> None:
    with opened(tmp_path) as memory:
        report = memory.erase(everything=True)

    assert report.complete
    assert list(file.parent.iterdir()) == []


def test_a_space_of_an_earlier_version_gets_its_mark_when_it_is_opened(
    tmp_path: Path, file: Path
) -> None:
    file.with_suffix(".made").unlink()
    with opened(tmp_path) as memory:
        memory.search("harbor")
    os.truncate(file, 0)

    with opened(tmp_path) as memory, pytest.raises(StoreCorrupt):
        memory.add("over it")


# ── the mark and other processes ──────────────────────────────────────────────────────────────

ERASER = """
import sys
from simonides import Memory, Settings

settings = Settings(embedder="none", timezone="UTC", durability="relaxed", timeout_s=0.2)
with Memory(sys.argv[1], space="ana", settings=settings) as memory:
    memory.erase(everything=True)
"""


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has another process erase the space just before this one notes that it was made."""
    done: list[int] = []

    def erased(path: Path) -> BinaryIO:
        if path.suffix == ".made" and not done:
            run = subprocess.run([sys.executable, "-c", ERASER, str(tmp_path)], check=True)
            done.append(run.returncode)
        return new_private_file(path)

    monkeypatch.setattr("simonides.storage.sqlite.file_names.new_private_file", erased)
    return done


@pytest.mark.parametrize("begins", ["making", "opening"])
def test_a_space_that_was_erased_before_it_was_noted_leaves_no_mark(
    tmp_path: Path, file: Path, interrupted: list[int], begins: str
) -> None:
    file.with_suffix(".made").unlink()
    if begins == "making":
        file.unlink()
    with opened(tmp_path) as memory, pytest.raises(StoreError, match="was erased since"):
        memory.add("over it")

    assert interrupted == [0]
    assert not file.with_suffix(".made").exists()
    file.write_bytes(b"")  # what another process that makes it anew has for a moment
    with opened(tmp_path) as memory:
        assert memory.add("made anew").revision == 1
