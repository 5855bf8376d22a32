"""A snapshot appears whole or not at all, and what a crash left of one goes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simonides import disk
from simonides.disk import written_aside
from simonides.store.sqlite.home_files import remove_temporaries

HOLDER = """
import sys
from pathlib import Path
from simonides.disk import written_aside

with written_aside(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
"""


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "ana.index"
    path.write_bytes(b"old")
    with written_aside(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"

    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["ana.index"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "ana.index"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with written_aside(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["ana.index"]


def test_the_file_and_its_name_are_made_durable_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")  # noqa: PTH112  a descriptor
        fsync(descriptor)

    def renamed(self: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    with written_aside(tmp_path / "ana.index") as file:
        file.write(b"x")

    assert steps == ["file", "rename", "folder"]


def test_what_a_crash_left_goes_and_what_is_of_others_stays(tmp_path: Path) -> None:
    for name in (".index-ana-1", ".index-ana-2", ".index-ben-1", "ana.index", "ana.sqlite3"):
        (tmp_path / name).write_bytes(b"half")

    remove_leftovers(tmp_path / "ana.index")

    assert names(tmp_path) == [".index-ben-1", "ana.index", "ana.sqlite3"]


def test_what_another_process_is_writing_stays_until_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "ana.index"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        remove_leftovers(path)
        held = names(tmp_path)
        other.kill()
        other.wait()
        left = names(tmp_path)
        remove_leftovers(path)

    assert len(held) == len(left) == 1
    assert names(tmp_path) == []


def test_where_files_can_not_be_held_only_old_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "fcntl", None)
    for name, age_s in ((".index-ana-old", 2 * leftovers.AGE_MAX_S), (".index-ana-new", 0.0)):
        file = tmp_path / name
        file.write_bytes(b"half")
        now = file.stat().st_mtime
        os.utime(file, (now - age_s, now - age_s))

    remove_leftovers(tmp_path / "ana.index")
    with written_aside(tmp_path / "ana.index") as file_:
        file_.write(b"x")

    assert names(tmp_path) == [".index-ana-new", "ana.index"]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    remove_leftovers(tmp_path / "nowhere" / "ana.index")

    assert names(tmp_path) == []
