"""What a process does to files is reported in order, outside is not, and a refusal is not done."""

import errno
import io
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from simonides_bench.crash.disk import Change, Did
from simonides_bench.crash.whole.file_calls import changes_watched
from simonides_bench.crash.whole.recorded import ChangeRecorder


def seen(root: Path, do: Callable[[], object]) -> list[tuple[str, ...]]:
    """Return what is reported while something is done: the change, its path, its data or name."""
    recorder = ChangeRecorder()
    with changes_watched(root, recorder):
        do()
    return [(one.did.value, one.path, one.to or one.data.decode()) for one in recorder.changes]


def test_writing_a_file_is_its_making_its_bytes_and_its_sync(tmp_path: Path) -> None:
    def do() -> None:
        with (tmp_path / "a").open("wb") as file:
            file.write(b"one")
            file.flush()
            os.fsync(file.fileno())

    assert seen(tmp_path, do) == [("create", "a", ""), ("write", "a", "one"), ("sync", "a", "")]


def test_text_is_reported_as_the_bytes_that_it_is(tmp_path: Path) -> None:
    changes = seen(tmp_path, lambda: (tmp_path / "a").write_text("grün", encoding="utf-8"))

    assert changes == [("create", "a", ""), ("write", "a", "grün")]
    assert (tmp_path / "a").read_text("utf-8") == "grün"


def test_writing_a_file_again_empties_it_first(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"before")

    assert seen(tmp_path, lambda: (tmp_path / "a").write_bytes(b"x"))[0] == ("truncate", "a", "")
    assert (tmp_path / "a").read_bytes() == b"x"


def test_appended_bytes_are_reported_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    recorder = ChangeRecorder()
    with changes_watched(tmp_path, recorder), (tmp_path / "a").open("ab") as file:
        file.write(b"67")

    assert [(one.did, one.offset) for one in recorder.changes] == [(Did.WRITE, 5)]


def test_names_are_reported_where_they_lie(tmp_path: Path) -> None:
    def do() -> None:
        (tmp_path / "f").mkdir()
        (tmp_path / "f/a").touch()
        os.link(tmp_path / "f/a", tmp_path / "b")
        (tmp_path / "b").rename(tmp_path / "c")
        (tmp_path / "c").replace(tmp_path / "f/d")
        (tmp_path / "f/a").unlink()

    assert seen(tmp_path, do) == [
        ("make_folder", "f", ""), ("create", "f/a", ""), ("link", "f/a", "b"),
        ("rename", "b", "c"), ("rename", "c", "f/d"), ("unlink", "f/a", ""),
    ]  # fmt: skip


def test_a_folder_is_synced_by_its_descriptor(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()

    def do() -> None:
        for one in (tmp_path, tmp_path / "f"):
            descriptor = os.open(one, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)

    assert seen(tmp_path, do) == [("sync_folder", "", ""), ("sync_folder", "f", "")]


def test_a_tree_is_removed_from_below(tmp_path: Path) -> None:
    (tmp_path / "f/g").mkdir(parents=True)
    (tmp_path / "f/g/a").touch()

    assert seen(tmp_path, lambda: shutil.rmtree(tmp_path / "f")) == [
        ("unlink", "f/g/a", ""), ("remove_folder", "f/g", ""), ("remove_folder", "f", ""),
    ]  # fmt: skip


def test_temporary_files_are_reported_with_the_bytes_written_by_descriptor(tmp_path: Path) -> None:
    def do() -> None:
        descriptor, _name = tempfile.mkstemp(dir=tmp_path, prefix="t-")
        os.write(descriptor, b"raw")
        os.ftruncate(descriptor, 1)
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"R")

    assert [change[0] for change in seen(tmp_path, do)] == ["create", "write", "truncate", "write"]


def test_what_lies_elsewhere_and_what_is_read_is_not_reported(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "root-2"
    root.mkdir()
    other.mkdir()
    (root / "a").write_bytes(b"x")

    def do() -> None:
        (other / "b").write_bytes(b"y")
        (other / "b").unlink()
        assert (root / "a").read_bytes() == b"x"

    assert seen(root, do) == []


@dataclass
class Refuses:
    """Refuses every change of one sort."""

    did: Did
    done: list[Did] = field(default_factory=list)

    def before(self, change: Change) -> None:
        if change.did is self.did:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), change.path)

    def after(self, change: Change) -> None:
        self.done.append(change.did)


@pytest.mark.parametrize(
    ("did", "do"),
    [
        (Did.CREATE, lambda root: (root / "new").touch()),
        (Did.CREATE, lambda root: (root / "new").write_bytes(b"x")),
        (Did.WRITE, lambda root: (root / "old").open("r+b", buffering=0).write(b"x")),
        (Did.TRUNCATE, lambda root: os.truncate(root / "old", 0)),
        (Did.RENAME, lambda root: (root / "old").rename(root / "new")),
        (Did.UNLINK, lambda root: (root / "old").unlink()),
        (Did.MAKE_FOLDER, lambda root: (root / "new").mkdir()),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_refused_change_is_not_made(
    tmp_path: Path, did: Did, do: Callable[[Path], object]
) -> None:
    (tmp_path / "old").write_bytes(b"before")
    watcher = Refuses(did)
    with changes_watched(tmp_path, watcher), pytest.raises(OSError, match="No space"):
        do(tmp_path)

    assert watcher.done == []
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"old": b"before"}


def test_afterwards_everything_is_as_it_was(tmp_path: Path) -> None:
    names = (io.open, os.open, os.fsync, os.unlink, os.replace, os.write, open)
    with changes_watched(tmp_path, ChangeRecorder()):
        assert os.unlink is not names[3]

    assert (io.open, os.open, os.fsync, os.unlink, os.replace, os.write, open) == names
