"""What may be a space's file, beyond what the port's suite already asks."""

from pathlib import Path

import pytest

from simonides.errors import InvalidSpaceName, StoreError
from simonides.storage.names import check_name
from simonides.storage.sqlite.file_names import snapshot_file, space_file, space_names


def test_a_space_lies_in_its_home() -> None:
    assert space_file(Path("h"), "ana") == Path("h/spaces/ana.sqlite3")
    assert snapshot_file(Path("h"), "ana") == Path("h/spaces/ana.index")


def test_the_refusal_says_the_name_and_why_capitals_are_not_taken() -> None:
    with pytest.raises(InvalidSpaceName, match=r"'Ana' cannot .* Alice and alice are one file"):
        check_name("Ana")


@pytest.mark.parametrize(
    "name", ["con", "con.", "con.x.y", "aux", "prn", "nul", "com0", "lpt9.txt"]
)
def test_a_device_of_windows_is_refused(name: str) -> None:
    with pytest.raises(InvalidSpaceName):
        check_name(name)


def test_a_file_is_no_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.touch()

    with pytest.raises(StoreError, match="home is a file, and a home is a directory"):
        space_names(home)
    assert space_names(tmp_path / "missing") == []


def test_only_files_that_can_be_spaces_are_listed(tmp_path: Path) -> None:
    spaces = tmp_path / "spaces"
    (spaces / "folder.sqlite3").mkdir(parents=True)
    for name in (
        "ana.sqlite3",
        "ana.sqlite3-wal",
        "ana.index",
        "Bo.sqlite3",
        "notes.txt",
        ".sqlite3",
    ):
        (spaces / name).touch()

    assert space_names(tmp_path) == ["ana"]


def test_a_home_that_is_not_there_has_no_names(tmp_path: Path) -> None:
    assert space_names(tmp_path / "nowhere") == []
