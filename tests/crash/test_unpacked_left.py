"""What a killed import had unpacked lies in its home, and goes with whoever starts next."""

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from simonides import Memory, Settings

WAIT_S = 60.0
WORD = b"lanternfish"
PLAIN = Settings(embedder="none", timezone="UTC")

IMPORT = """
import sys
from simonides import Memory, Settings

with Memory(sys.argv[1], settings=Settings(embedder="none")) as memory:
    memory.import_(sys.argv[2], on_progress=lambda at: sys.stdin.readline())
"""
"""Waits with the first batch, which is in the middle of the archive."""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A zip with a mailbox, of more than one batch."""
    mails = "".join(
        f"From a@b Thu Jan  1 00:00:00 2026\nFrom: a@x.example\nMessage-ID: <{n}@x>\n"
        f"Subject: Mail {n}\n\nA {WORD.decode()} number {n}.\n\n"
        for n in range(600)
    )
    path = tmp_path / "box.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("Takeout/All mail.mbox", mails)
    return path


def holding(folder: Path) -> list[Path]:
    """Return the files below a folder that hold the word."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if WORD in path.read_bytes()]


@contextmanager
def importing(home: Path, archive: Path, temporary: Path) -> Iterator["subprocess.Popen[str]"]:
    """Run an import until it has unpacked the mailbox, and kill it at the end."""
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(home), str(archive)],
        stdin=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)},
    ) as process:  # fmt: skip
        end_s = time.monotonic() + WAIT_S
        while not holding(home / "uploads") or not (home / "spaces" / "default.sqlite3").exists():
            assert process.poll() is None
            assert time.monotonic() < end_s
            os.sched_yield()
        yield process
        process.kill()


def test_a_killed_import_leaves_nothing_outside_its_home(tmp_path: Path, archive: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    with importing(home, archive, temporary):
        assert holding(temporary) == []

    assert holding(temporary) == []
    assert [path.name for path in holding(home / "uploads")] == ["All mail.mbox"]
    with Memory(home, settings=PLAIN) as memory:
        memory.list()
        assert list((home / "uploads").iterdir()) == []


@pytest.mark.slow
def test_an_erasure_finds_what_a_killed_import_left(tmp_path: Path, archive: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    with Memory(home, settings=PLAIN) as memory:
        memory.add("A harbor.")  # opened before the import is killed
        with importing(home, archive, temporary):
            pass
        report = memory.erase(everything=True, prove=True)

    assert report.complete
    assert holding(home) == []


def test_a_memory_without_a_home_leaves_no_folder_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import os, signal
from simonides import Memory, Settings

memory = Memory(":memory:", settings=Settings(embedder="none"))
memory.add("A lanternfish.")
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert holding(tmp_path) != []

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Memory(":memory:", settings=PLAIN) as memory:
        memory.add("A harbor.")
        assert holding(tmp_path) == []
