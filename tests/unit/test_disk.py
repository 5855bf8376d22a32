"""Files that get their name once they are whole, and folders that only their owner can enter."""

import errno
import os
from pathlib import Path

import pytest

from simonides.disk import make_private_folder, new_whole_file


def test_a_whole_file_has_its_name_at_the_end_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with new_whole_file(path) as file:
        file.write(b"all of it")
        assert not path.exists()

    assert path.read_bytes() == b"all of it"
    assert [one.name for one in tmp_path.iterdir()] == ["a.toml"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_whole_file(tmp_path / "a") as file:
        file.write(b"x" * (1 // 0))

    assert list(tmp_path.iterdir()) == []


def test_no_file_is_written_over_whenever_it_came(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pytest.raises(FileExistsError), new_whole_file(path):
        path.write_bytes(b"first")
    with pytest.raises(FileExistsError), new_whole_file(path):
        pytest.fail("it is there from the beginning")

    assert path.read_bytes() == b"first"
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_where_files_have_one_name_each_it_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(_from: object, _to: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)
    with new_whole_file(tmp_path / "a") as file:
        file.write(b"whole")
    with pytest.raises(FileExistsError), new_whole_file(tmp_path / "b"):
        (tmp_path / "b").write_bytes(b"first")

    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {
        "a": b"whole", "b": b"first",
    }  # fmt: skip


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_stays(
    tmp_path: Path,
) -> None:
    (tmp_path / ".a.killed.part").write_bytes(b"half")
    (tmp_path / ".ab.killed.part").write_bytes(b"of another file")
    with new_whole_file(tmp_path / "a") as first:
        first.write(b"first")
        with pytest.raises(ZeroDivisionError), new_whole_file(tmp_path / "a") as second:
            second.write(b"x" * (1 // 0))

    assert (tmp_path / "a").read_bytes() == b"first"
    assert sorted(one.name for one in tmp_path.iterdir()) == [".ab.killed.part", "a"]


def test_an_error_of_the_disk_is_raised_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(_from: object, _to: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(OSError, match="Input/output"), new_whole_file(tmp_path / "a"):
        pass

    assert list(tmp_path.iterdir()) == []


def test_folders_are_made_with_what_leads_to_them(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a/b")
    make_private_folder(tmp_path / "a/b")

    assert [one.stat().st_mode & 0o777 for one in (tmp_path / "a", tmp_path / "a/b")] == [0o700] * 2
