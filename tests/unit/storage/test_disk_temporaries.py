"""A file appears whole or not at all, and what a crash left of one goes; names stay removed."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simonides.disk import (
    durable,
    is_of_dead_process,
    make_held_file,
    make_held_folder,
    process_mark,
    remove_durably,
    temporary,
    write_atomically,
)
from simonides.storage.sqlite.home_files import remove_temporaries

HOLDER = """
import sys
from pathlib import Path
from simonides.disk import make_held_folder, write_atomically

path = Path(sys.argv[1])
with write_atomically(path) as file, make_held_folder(path.parent, prefix=".simonides-ana-"):
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
    with write_atomically(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"

    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["ana.index"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "ana.index"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with write_atomically(path) as file:
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
    with write_atomically(tmp_path / "ana.index") as file:
        file.write(b"x")

    assert steps == ["file", "rename", "folder"]


@pytest.fixture
def spaces(tmp_path: Path) -> Path:
    """The folder of spaces of a home."""
    folder = tmp_path / "spaces"
    folder.mkdir()
    return folder


def test_what_a_crash_left_goes_and_what_is_kept_stays(tmp_path: Path, spaces: Path) -> None:
    left = (".index-ana-1", ".index-ana-2", ".index-ben-1", ".simonides-abcdefgh")
    for name in (*left, "ana.index", "ana.sqlite3", ".simonides-left"):
        (spaces / name).write_bytes(b"half")
    made = spaces / ".simonides-ana-abcdefgh"
    made.mkdir()
    (made / "space.sqlite3").write_bytes(b"half")

    removed = remove_temporaries(tmp_path)

    assert {Path(one).name for one in removed} == {*left, made.name}
    assert names(spaces) == [".simonides-left", "ana.index", "ana.sqlite3"]


def test_what_another_process_is_writing_stays_until_that_is_killed(
    tmp_path: Path, spaces: Path
) -> None:
    command = [sys.executable, "-c", HOLDER, str(spaces / "ana.index")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        remove_temporaries(tmp_path)
        held = names(spaces)
        other.kill()
        other.wait()
        left = names(spaces)
        remove_temporaries(tmp_path)

    assert len(held) == len(left) == 2
    assert names(spaces) == []


def test_where_files_can_not_be_held_only_old_ones_go(
    tmp_path: Path, spaces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "fcntl", None)
    for name, age_s in ((".index-ana-old", 2 * temporary.AGE_MAX_S), (".index-ana-new", 0.0)):
        file = spaces / name
        file.write_bytes(b"half")
        now = file.stat().st_mtime
        os.utime(file, (now - age_s, now - age_s))

    remove_temporaries(tmp_path)
    with write_atomically(spaces / "ana.index") as file_:
        file_.write(b"x")
    with make_held_folder(spaces, prefix=".simonides-ana-") as folder:
        assert folder.is_dir()

    assert names(spaces) == [".index-ana-new", "ana.index"]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert remove_temporaries(tmp_path / "nowhere") == ()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_is_removed_before_it_is_held_is_made_again(
    spaces: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    lock, removed = fcntl.flock, list[Path]()

    def too_late(descriptor: int, how: int) -> None:
        if not removed:
            removed.extend(spaces.iterdir())
            removed[0].rmdir() if what == "folder" else removed[0].unlink()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", too_late)
    if what == "folder":
        with make_held_folder(spaces, prefix=".x-") as made:
            assert made.is_dir()
    else:
        descriptor, made = make_held_file(spaces, prefix=".x-")
        assert made.is_file()
        os.close(descriptor)

    assert [made] != removed


def test_removing_is_synced_also_of_what_was_gone_before(
    spaces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(durable, "sync_folder", synced.append)
    there, gone = spaces / "there", spaces / "gone"
    there.write_bytes(b"x")

    assert remove_durably(there, gone) == (there,)
    assert remove_durably(gone) == ()
    assert synced == [spaces, spaces]


def test_what_can_not_be_removed_leaves_the_others_removed_for_good(
    spaces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(durable, "sync_folder", synced.append)
    first, folder = spaces / "first", spaces / "folder"
    first.write_bytes(b"x")
    folder.mkdir()

    with pytest.raises(OSError, match="folder"):
        remove_durably(first, folder)

    assert not first.exists()
    assert synced == [spaces]


def test_a_mark_tells_its_process() -> None:
    mine = process_mark()
    pid, run, _ = mine.split("-")

    assert not is_of_dead_process(mine)
    assert not is_of_dead_process("up.mbox")
    assert not is_of_dead_process("1-" + mine.partition("-")[2])  # the first process of all
    assert is_of_dead_process(f"{pid}-{'0' * len(run)}-1")  # one of the same number, before
    assert is_of_dead_process(f"{2**22 + 1}-{run}-1")  # a number that Linux never gives
