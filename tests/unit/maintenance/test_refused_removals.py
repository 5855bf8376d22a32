"""What the system does not let be removed is told as an error of ours, and goes the next time."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory
from simonides.errors import NotFound, StoreFull

Open = Callable[..., Memory]

REFUSED = ("ana.index", "ana.made", "ana.sqlite3.damaged-1", "ana.sqlite3.damaged-1-wal",
           "ana.sqlite3-journal", "ana.sqlite3-wal", "ana.sqlite3-shm", "ana.sqlite3")  # fmt: skip


@pytest.fixture
def spaces(open_memory: Open, tmp_path: Path) -> Path:
    """The folder of a space, with what a repair set aside; nobody has it open."""
    with open_memory() as memory:
        memory.add(["the codeword is xyzzyplugh", "lunch on Monday"])
        memory.add("to be erased", id="a")
        memory.search("codeword")
    folder = tmp_path / "home" / "spaces"
    for name in ("ana.sqlite3.damaged-1", "ana.sqlite3.damaged-1-wal"):
        (folder / name).write_text("the codeword is xyzzyplugh")
    return folder


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], pytest.MonkeyPatch]:
    """Return a function that has the system refuse to remove a file of this name."""
    unlink = os.unlink

    def refused(name: str) -> pytest.MonkeyPatch:
        def gated(path: Any, *given: Any, **named: Any) -> None:
            if os.path.basename(path) == name:  # noqa: PTH119  whatever stands for a path
                raise PermissionError(1, "Operation not permitted", os.fspath(path))
            unlink(path, *given, **named)

        monkeypatch.setattr(os, "unlink", gated)
        return monkeypatch

    return refused


@pytest.mark.parametrize("name", REFUSED)
def test_a_space_of_which_one_file_stays_is_reported_and_finished_later(
    open_memory: Open, spaces: Path, refuse: Callable[[str], pytest.MonkeyPatch], name: str
) -> None:
    patch = refuse(name)
    with open_memory() as memory:
        with pytest.raises(StoreFull) as caught:
            memory.erase(everything=True)
        assert f"cannot remove {spaces / name} (Operation not permitted)" in str(caught.value)
    patch.undo()

    assert open_memory().spaces() == ()
    assert list(spaces.iterdir()) == []
    assert list((spaces.parent / "erasing").iterdir()) == []
    with pytest.raises(NotFound):
        open_memory().erase(everything=True)


@pytest.mark.parametrize("name", ["ana.index", "ana.sqlite3.damaged-1"])
@pytest.mark.parametrize("everything", [True, False])
def test_a_folder_in_the_place_of_a_file_is_told_and_finished_later(
    open_memory: Open, spaces: Path, name: str, everything: bool
) -> None:
    (spaces / name).unlink(missing_ok=True)
    (spaces / name).mkdir()
    refused = pytest.raises(StoreFull, match=r"cannot remove .*ana\.index")
    with open_memory() as memory, refused if name == "ana.index" else nullcontext():
        memory.erase(everything=True) if everything else memory.erase("a")
    (spaces / name).rmdir()
    if not everything:
        for one in spaces.glob("*.damaged-*"):
            one.unlink()

    if everything:
        assert open_memory().spaces() == ()
        assert list(spaces.iterdir()) == []
    else:
        assert open_memory().erase("a").complete
        assert "to be erased" not in {one.content for one in open_memory().list().items}


@pytest.mark.parametrize("way", ["rows", "backup"])
def test_a_repair_that_may_not_remove_the_index_changes_nothing(
    open_memory: Open, spaces: Path, tmp_path: Path, way: str
) -> None:
    given = {}
    with open_memory() as memory:
        if way == "backup":
            given = {"backup": tmp_path / "copy.sqlite3"}
            memory.backup(given["backup"])
    (spaces / "ana.index").unlink(missing_ok=True)
    (spaces / "ana.index").mkdir()
    with open_memory() as memory, pytest.raises(StoreFull, match=r"cannot remove .*ana\.index"):
        memory.repair(**given)

    assert len(open_memory().list().items) == 3
    assert not (spaces / "ana.sqlite3.damaged-2").exists()


def test_a_repair_keeps_aside_what_it_may_not_remove_and_says_so(
    open_memory: Open, spaces: Path, refuse: Callable[[str], pytest.MonkeyPatch]
) -> None:
    refuse("ana.sqlite3.damaged-2")
    with open_memory() as memory:
        report = memory.repair()

    assert (report.salvaged, report.aside) == (False, str(spaces / "ana.sqlite3.damaged-2"))
    assert report.items == 3


def test_a_repair_puts_nothing_in_the_place_of_a_log_that_was_set_aside(
    open_memory: Open, spaces: Path
) -> None:
    (spaces / "ana.sqlite3.damaged-1").unlink()
    kept = (spaces / "ana.sqlite3.damaged-1-wal").read_bytes()
    with open_memory() as memory:
        memory.repair()

    assert (spaces / "ana.sqlite3.damaged-1-wal").read_bytes() == kept
