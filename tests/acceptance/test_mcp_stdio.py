"""`simonides mcp` on its pipes, as clients that are slow, rude or gone leave it."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings

pytest.importorskip("mcp", reason="needs the extra mcp")

BINARY = Path(sys.executable).with_name("simonides")
NO_MODEL = Settings(embedder="none", timezone="UTC")
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "a test", "version": "1"}},
}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def environment(home: Path) -> dict[str, str]:
    own = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
    return {**os.environ, **own}


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def piped(*lines: Any) -> bytes:
    """Return lines as they go into a pipe: bytes as they are, all else as JSON."""
    reported = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
    return b"".join(one + b"\n" for one in reported)


def answered_bytes(home: Path, *lines: Any) -> bytes:
    """Return what is answered to a whole input that then ends."""
    done = subprocess.run(
        [BINARY, "mcp"], input=piped(HELLO, READY, *lines), env=environment(home),
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def answered(home: Path, *lines: Any) -> list[Any]:
    """Return the answers to a whole input that then ends, that to `HELLO` left out."""
    reported = [json.loads(one) for one in answered_bytes(home, *lines).decode().split("\n") if one]
    assert all(one["jsonrpc"] == "2.0" for one in reported)
    return [one for one in reported if one["id"] != 0]


@contextmanager
def running(home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Give a program that has said hello, and waits."""
    with subprocess.Popen(
        [BINARY, "mcp"], env=environment(home),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(piped(HELLO, READY))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 0
            yield process
        finally:
            process.kill()


def test_an_input_that_ends_at_once_is_answered_to_its_last_line(tmp_path: Path) -> None:
    calls = [call(n, "add_memory", text=f"Fact number {n} is kept.") for n in range(1, 9)]
    reported = answered(tmp_path, *calls)

    assert sorted(one["id"] for one in reported) == list(range(1, 9))
    with Memory(tmp_path, settings=NO_MODEL) as memory:
        kept = {one.content for one in memory.list(limit=20).items}
    assert kept == {f"Fact number {n} is kept." for n in range(1, 9)}


def test_no_answer_holds_a_mark_at_which_clients_split_lines(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=NO_MODEL) as memory:
        memory.add("The winch:\u2028first line\u2029second line.")
    raw = answered_bytes(tmp_path, call(1, "list_memories"))

    assert rb"winch:\u2028first line\u2029second" in raw
    assert "\u2028".encode() not in raw
    assert "\u2029".encode() not in raw


@pytest.mark.slow
def test_garbage_is_answered_as_such_and_hurts_nothing(tmp_path: Path) -> None:
    garbage = (
        b"nonsense", b"\xff\xfe\x00", b"[]", b"{}", b"null", b"", b"  ", b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping"', b'{"jsonrpc": "1.0", "id": 7}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"a": ' + b"1" * 5_000 + b"}}",
        b'{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"a": "\\ud800"}}',
    )  # fmt: skip
    reported = answered(tmp_path, *garbage, call(1, "list_memories"))
    errors = [(one["id"], one["error"]["code"]) for one in reported if "error" in one]

    assert Counter(errors) == {(None, -32700): 5, (None, -32600): 3, (7, -32600): 1, (7, -32602): 1}
    assert len(errors) == len(garbage) - 2  # blank lines say nothing
    (good,) = (one for one in reported if one["id"] == 1)
    assert good["result"]["structuredContent"]["items"] == []


@pytest.mark.slow
def test_a_line_longer_than_a_message_may_be_is_refused_and_the_next_one_answered(
    tmp_path: Path,
) -> None:
    endless = call(1, "search_memories", query="x" * (9 << 20))
    long = call(2, "search_memories", query="x" * (1 << 20))
    reported = {one["id"]: one for one in answered(tmp_path, endless, long)}

    assert reported[None]["error"]["code"] == -32700
    assert "at most 8000 characters" in reported[2]["result"]["content"][0]["text"]
    assert 1 not in reported


@pytest.mark.slow
def test_letters_of_every_sort_come_through_the_pipe(tmp_path: Path) -> None:
    text = "Größe \U0001f600 \u2028 \u202e שלום end"
    kept = call(1, "add_memory", text=text)
    (reported,) = answered(tmp_path, kept)
    (got,) = answered(
        tmp_path, call(2, "get_memory", id=reported["result"]["structuredContent"]["id"])
    )

    assert got["result"]["structuredContent"]["item"]["content"] == text


STRUCK_ASIDE = """
import os, signal, sys, threading
from pathlib import Path

WAITS = Path(f"/proc/self/task/{threading.get_native_id()}/wchan")

def strike(pipe):
    os.read(pipe, 1)
    for _ in range(20_000):  # not every system says it
        if "epoll" in WAITS.read_text():
            break
        os.sched_yield()
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

threading.Thread(target=strike, args=(int(sys.argv.pop()),), daemon=True).start()
from simonides.cli.main import main
main()
"""
"""The program, with a thread that takes the interrupt once it was told to by a pipe.

The system call in which the program waits is not broken off by that, as where the interrupt comes
just before it.
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="only there can be seen what a thread waits for"
)
def test_ctrl_c_is_heard_where_the_system_does_not_wake_the_program(tmp_path: Path) -> None:
    reported, telling = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", STRUCK_ASIDE, "mcp", str(reported)], env=environment(tmp_path),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[reported],
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(piped(HELLO, READY))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        os.write(telling, b"!")
        try:
            assert process.wait(timeout=20) == 130
        finally:
            process.kill()
            os.close(reported)
            os.close(telling)


@pytest.mark.slow
def test_ctrl_c_is_heard_at_once_though_nothing_comes_in(tmp_path: Path) -> None:
    with running(tmp_path) as process:
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=20) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_a_client_that_reads_no_more_is_left_without_a_word(tmp_path: Path) -> None:
    with running(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(piped(call(1, "list_memories")))
        process.stdin.flush()  # and it stays open: the program finds out by itself

        assert process.wait(timeout=20) == 0
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_what_is_written_by_a_client_that_leaves_in_the_middle_of_its_call_is_kept(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(piped(call(1, "add_memory", text="Said on the way out.")))
        process.stdin.close()
        assert process.stdout is not None
        reported = json.loads(process.stdout.readline())

        assert process.wait(timeout=20) == 0
    with Memory(tmp_path, settings=NO_MODEL) as memory:
        kept = memory.get(reported["result"]["structuredContent"]["id"]).content
    assert kept == "Said on the way out."


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes no stream there")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_without_its_pipes_the_program_says_what_is_missing(tmp_path: Path, closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" mcp {closed}', str(BINARY)], env=environment(tmp_path),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (4, "")
    assert "is closed: a client starts this program" in done.stderr
