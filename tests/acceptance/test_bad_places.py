"""Wherever it is run: full, read-only and broken disks, interrupts, neighbours, closed pipes.

A clear error, and what was acknowledged is kept, once, in a space that is sound.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from simonides import SimonidesError
from simonides.errors import NotFound

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from tests.acceptance.conftest import Home, Post

# ── disks that are full, read-only or broken ─────────────────────────────────────────────────


def limited(blocks: int) -> tuple[str, ...]:
    """Return what runs a program that can write no file longer than so many times 512 bytes."""
    return ("sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh")


@pytest.mark.parametrize("kib", [0, 4, 100, 700])
def test_a_full_disk_is_reported_and_nothing_that_was_kept_is_lost(
    home: "Home", post: "Post", kib: int
) -> None:
    kept = home.answer("add", "kept before the disk was full")["outcomes"][0]["id"]
    path = post.large("a.mbox", range(600))

    status, _, err = home.run("import", path, before=limited(kib * 2))

    assert (status, "[store_full]" in err) == (5, True)
    assert home.is_sound()
    assert home.answer("get", kept)["content"] == "kept before the disk was full"
    assert home.answer("import", path)["skipped"] == []
    assert home.answer("stats")["items"] == 601


def test_a_disk_that_is_full_from_the_start_leaves_a_home_that_works_later(home: "Home") -> None:
    assert home.run("add", "x", before=limited(8))[0] == 5
    assert home.is_sound()

    assert home.answer("add", "x")["added"] == 1


# A child of root that may not override rights: the capability (1) leaves its bounding set (24).
WITHOUT_RIGHTS = (
    sys.executable,
    "-c",
    """
import ctypes, os, sys
os.geteuid() or ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
""",
)


@pytest.fixture
def read_only(home: "Home") -> "Iterator[Home]":
    """A home that holds one note and that its user may only read."""
    home.answer("add", "the crane costs 85")
    places = [home.path, home.space.parent, home.space]
    for place in places:
        place.chmod(0o500 if place.is_dir() else 0o400)
    try:
        if subprocess.run([*WITHOUT_RIGHTS, "/bin/sh", "-c", f"echo > '{home.path}/probe'"],
                          capture_output=True, check=False).returncode == 0:  # fmt: skip
            pytest.skip("this system lets us write whatever the rights say")
        yield home
    finally:
        for place in places:
            place.chmod(0o700 if place.is_dir() else 0o600)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights are another matter on Windows")
def test_a_read_only_home_can_be_read_and_says_that_it_can_not_be_written(
    read_only: "Home",
) -> None:
    for reading in (["search", "crane"], ["list"], ["stats"], ["doctor"]):
        assert read_only.run(*reading, before=WITHOUT_RIGHTS)[0] == 0
    for writing in (["add", "y"], ["forget", "x"], ["add", "y", "--space", "other"], ["init"]):
        status, _, err = read_only.run(*writing, before=WITHOUT_RIGHTS)

        assert (status, "[store_full]" in err) == (5, True)
    assert read_only.answer("stats")["items"] == 1


VERBS = (("list",), ("search", "harbor"), ("stats",), ("add", "x"), ("get", "x"), ("forget", "x"))


def _garbage_header(raw: bytes) -> bytes:
    return b"garbage, not a database " * 40 + raw[960:]


def _half(raw: bytes) -> bytes:
    return raw[: len(raw) // 2 + 17]


@pytest.mark.parametrize("harm", [_garbage_header, _half])
def test_a_space_whose_file_is_garbage_or_cut_is_told_by_every_verb(
    damaged: "Home", harm: Callable[[bytes], bytes]
) -> None:
    damaged.space.write_bytes(harm(damaged.space.read_bytes()))
    for argv in VERBS:
        status, out, err = damaged.run(*argv)

        assert (status, out) == (5, "")
        assert str(damaged.space) in err
    assert not damaged.is_sound()


@pytest.mark.parametrize("filling", [b"\x00", b"\xa5"])
def test_a_page_that_is_lost_anywhere_is_found_by_the_doctor_and_never_a_crash(
    damaged: "Home", filling: bytes
) -> None:
    raw = damaged.space.read_bytes()
    for at in range(4096, len(raw), 5 * 4096):
        damaged.space.write_bytes(raw[:at] + filling * 4096 + raw[at + 4096 :])
        with damaged.memory() as memory:
            for verb in (memory.list, memory.entities, memory.stats, memory.doctor):
                with suppress(SimonidesError):
                    verb()
            with suppress(SimonidesError):
                memory.search("harbor")

        assert not damaged.is_sound()


def test_a_page_of_rubbish_is_no_traceback_on_the_command_line(damaged: "Home") -> None:
    raw = damaged.space.read_bytes()
    middle = len(raw) // 8192 * 4096
    damaged.space.write_bytes(raw[:middle] + b"\xa5" * 4096 + raw[middle + 4096 :])
    for argv in VERBS:
        damaged.run(*argv)

    assert not damaged.is_sound()


# ── interrupted and at once ──────────────────────────────────────────────────────────────────


@contextmanager
def met_half_way(home: "Home", path: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield an import that has committed something and has not ended yet."""
    with home.start("import", path) as process:
        try:
            while process.poll() is None and _kept(home) == 0:
                pass
            assert process.poll() is None
            yield process
        finally:
            process.kill()
            process.communicate()


def _kept(home: "Home") -> int:
    try:
        with home.memory() as memory:
            return memory.stats().items
    except NotFound:
        return 0


def test_a_killed_import_is_completed_by_the_next_one_and_everything_is_there_once(
    home: "Home", post: "Post"
) -> None:
    path = post.large("a.mbox", range(3000))
    with met_half_way(home, path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = _kept(home)

    assert home.is_sound()
    assert 0 < kept < 3000
    report = home.answer("import", path)
    assert (report["unchanged"], report["added"]) == (kept, 3000 - kept)
    assert _kept(home) == 3000


def test_an_import_that_is_interrupted_says_so_and_leaves_a_sound_space(
    home: "Home", post: "Post"
) -> None:
    path = post.large("a.mbox", range(12_000))  # far from its end
    with met_half_way(home, path) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (130, b"")
    assert err.decode().endswith(
        "interrupted; what was read is kept, and importing again goes on\n"
    )
    assert 0 < _kept(home) < 12_000


def test_two_imports_at_once_into_one_new_space_keep_everything_once(
    home: "Home", post: "Post"
) -> None:
    boxes = (
        post.large("a.mbox", range(900)),
        post.large("b.mbox", range(600, 1500)),
    )
    with (
        home.start("import", boxes[0], "--json") as a,
        home.start("import", boxes[1], "--json") as b,
    ):
        reports = [json.loads(one.communicate(timeout=60)[0]) for one in (a, b)]

    assert (a.returncode, b.returncode) == (0, 0)
    assert sum(one["added"] for one in reports) == 1500
    assert sum(one["unchanged"] for one in reports) == 300
    assert _kept(home) == 1500


@pytest.mark.parametrize(
    "argv", [("--help",), ("list",), ("list", "--json"), ("search", "harbor"), ("doctor",),
             ("config",), ("get", "zz")], ids=" ".join,
)  # fmt: skip
def test_a_reader_that_has_left_gets_no_traceback(damaged: "Home", argv: tuple[str, ...]) -> None:
    process = damaged.start(*argv)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    reported = process.stderr.read()
    for stream in (process.stdin, process.stderr):
        assert stream is not None
        stream.close()

    assert process.wait(timeout=60) in (0, 3)
    assert b"Traceback" not in reported
    assert b"Broken" not in reported


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
@pytest.mark.parametrize("argv", [("list",), ("add", "-"), ("get", "zz")], ids=" ".join)
def test_streams_that_the_shell_closed_are_no_traceback(
    damaged: "Home", argv: tuple[str, ...], closed: str
) -> None:
    status, _, _ = damaged.run(*argv, before=("sh", "-c", f'exec "$@" {closed}', "sh"))

    assert status in (0, 3, 4)


def test_keys_of_a_read_only_home_can_be_read_and_say_that_none_can_be_made(
    home: "Home",
) -> None:
    home.answer("add", "the crane costs 85")
    home.answer("keys", "create", "--space", "default")
    places = [*home.path.rglob("*"), home.path]
    for place in places:
        place.chmod(0o500 if place.is_dir() else 0o400)
    try:
        for reading in (["keys", "list"], ["audit"]):
            assert home.run(*reading, before=WITHOUT_RIGHTS)[0] == 0
        status, _, err = home.run("keys", "create", "--space", "x", before=WITHOUT_RIGHTS)
    finally:
        for place in places:
            place.chmod(0o700 if place.is_dir() else 0o600)

    assert (status, "[store_full]" in err) == (5, True)
