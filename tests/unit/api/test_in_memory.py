"""`Memory(":memory:")`: a memory that leaves nothing on disk."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides import InvalidInput, Memory, Settings

SETTINGS = Settings(embedder="none")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder, with another one for temporary files."""
    temporary, here = tmp_path / "temporary", tmp_path / "here"
    temporary.mkdir()
    here.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.chdir(here)
    yield temporary
    assert list(here.iterdir()) == []


def test_it_keeps_and_finds_and_leaves_nothing(folder: Path) -> None:
    with Memory(":memory:", settings=SETTINGS) as memory:
        memory.add("Alpha is due on Friday.")
        assert memory.search("Alpha").hits
        assert memory.in_space("bob").add("Tom owns it.").revision == 1
        [private] = folder.iterdir()
        assert private.stat().st_mode & 0o077 == 0

    assert list(folder.iterdir()) == []


def test_two_of_them_share_nothing(folder: Path) -> None:
    with Memory(":memory:", settings=SETTINGS) as one, Memory(":memory:", settings=SETTINGS) as two:
        one.add("Alpha is due on Friday.")

        assert two.spaces() == ()
        assert len(list(folder.iterdir())) == 2


def test_after_closing_it_begins_anew_and_empty(folder: Path) -> None:
    memory = Memory(":memory:", settings=SETTINGS)
    memory.add("Alpha is due on Friday.")
    memory.close()
    memory.close()

    assert memory.spaces() == ()
    memory.close()
    assert list(folder.iterdir()) == []


def test_one_that_is_not_closed_goes_with_its_object(folder: Path) -> None:
    memory = Memory(":memory:", settings=SETTINGS)
    memory.spaces()
    assert list(folder.iterdir()) != []
    del memory

    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_one_that_is_not_closed_goes_with_the_process(tmp_path: Path) -> None:
    script = (
        "from simonides import Memory, Settings\n"
        "memory = Memory(':memory:', settings=Settings(embedder='none'))\n"
        "memory.add('Alpha is due on Friday.')\n"
        "print(memory.search('Alpha')[0].text)\n"
    )
    left = tmp_path / "left"
    left.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "TMPDIR": str(left)},
        check=True, capture_output=True, text=True,
    )  # fmt: skip

    assert done.stdout == "Alpha is due on Friday.\n"
    assert list(left.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_does_not_take_it_away(folder: Path) -> None:
    from simonides.api.runtime import _remove

    private = folder / "private"
    private.mkdir()
    _remove(private, process=os.getpid() + 1)
    assert private.exists()

    _remove(private, process=os.getpid())
    assert not private.exists()


@pytest.mark.usefixtures("folder")
def test_another_process_cannot_open_it() -> None:
    with (
        Memory(":memory:", settings=SETTINGS) as memory,
        pytest.raises(InvalidInput, match="home: is in memory; another process cannot open it"),
    ):
        memory.opening  # noqa: B018  looking is the test


def test_it_is_shown_as_it_was_asked_for(folder: Path) -> None:
    assert repr(Memory(":memory:", settings=SETTINGS)) == "Memory(':memory:', space='default')"
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_what_is_erased_is_proved_there_too() -> None:
    with Memory(":memory:", settings=SETTINGS) as memory:
        outcome = memory.add("Zanzibar is due on Friday.")
        report = memory.erase(outcome.id, prove=True)

    assert report.complete
