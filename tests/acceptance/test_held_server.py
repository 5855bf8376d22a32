"""Nobody can hold a server: stalled readers, hostile uploads and a stop, with real processes.

What is looked at from outside (threads, descriptors, read transactions) is as it was before.
"""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings

pytestmark = pytest.mark.slow

PROGRAM = """
import json, os, sys
from pathlib import Path
from simonides import Memory, Settings
from simonides.http.app import make_server
from simonides.http.limits import Limits
from simonides.http.server import serve
home, limits = Path(sys.argv[1]), json.loads(sys.argv[2])
memory = Memory(home, settings=Settings(embedder="none", timezone="UTC"))
server = make_server(memory, uploads=home / "uploads", limits=Limits(**limits))
serve(server, host="127.0.0.1", port=0, on_ready=lambda port: print(port, flush=True),
      on_overdue=lambda: os._exit(7))
print(server.has_ended, flush=True)
"""
PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")
HEAD = b"GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n"
BUFFER = 4096
ITEMS, CHARS = 300, 20_000
"""An export of 6 MB: more than the buffers of a connection take in."""
WAIT_S = 60.0
HOSTILE = b"From: a@b.c\nSubject: x\nContent-Type: text/html\n\n<p " + b" ".join(
    b"a%d=1" % n for n in range(200_000)
)


class Served:
    """A server in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", port: int, home: Path) -> None:
        self.process = process
        self.home = home
        self._port = port

    def connect(self, sent: bytes = HEAD) -> socket.socket:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        connection.settimeout(WAIT_S)
        connection.connect(("127.0.0.1", self._port))
        connection.sendall(sent)
        return connection

    def ask(self, method: str, path: str, body: bytes | None = None, media: str = "") -> Any:
        url = f"http://127.0.0.1:{self._port}{path}"
        headers = {"Content-Type": media or "application/json"}
        asked = urllib.request.Request(url, body, headers, method=method)
        with urllib.request.urlopen(asked, timeout=WAIT_S) as got:  # noqa: S310  our own
            read = got.read()
            return json.loads(read) if path != "/metrics" else read.decode()

    def upload(self, data: bytes) -> Any:
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.eml"\r\n\r\n'
        body = head + data + b"\r\n--b--\r\n"
        return self.ask("POST", "/v1/imports", body, "multipart/form-data; boundary=b")

    def stop(self) -> float:
        """Have it stop and return how many seconds that took."""
        self.process.send_signal(signal.SIGTERM)
        begun_s = time.monotonic()
        self.process.wait(WAIT_S)
        return time.monotonic() - begun_s

    def held(self) -> tuple[int, int, int]:
        """Return how many threads that stream or close, sockets and read locks the process has."""
        proc = Path(f"/proc/{self.process.pid}")
        names = _each(proc / "task", lambda one: (one / "comm").read_text())
        links = _each(proc / "fd", lambda one: str(one.readlink()))
        locks = [one.split() for one in Path("/proc/locks").read_text().splitlines()]
        mine = [one for one in locks if one[4:5] == [str(self.process.pid)] and one[3] == "READ"]
        reads = sum(123 <= int(one[6]) <= 127 for one in mine)
        return sum("make-way" in one for one in names), sum("socket" in one for one in links), reads


def _each(folder: Path, read: Callable[[Path], str]) -> list[str]:
    """Return what is read of each entry that does not vanish meanwhile, as a thread's does."""
    found = []
    for one in folder.iterdir():
        with suppress(OSError):
            found.append(read(one))
    return found


@contextmanager
def served(home: Path, **limits: Any) -> Iterator[Served]:
    with Memory(home, settings=PLAIN) as memory:
        memory.add([f"note {n} " + "x" * CHARS for n in range(ITEMS)])
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(home), json.dumps(limits)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield Served(process, int(process.stdout.readline()), home)
        finally:
            process.kill()


def until(is_so: Callable[[], bool]) -> None:
    """Return once something is so; it must become so in a time that no machine's load explains."""
    by_s = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < by_s
        time.sleep(0.05)


def test_stalled_readers_are_cut_off_and_hold_neither_erasure_nor_threads(tmp_path: Path) -> None:
    with served(tmp_path / "home", pause_s=1) as server:
        before = server.held()
        stalled = [server.connect() for _ in range(16)]
        for one in stalled[:2]:
            assert one.recv(100).startswith(b"HTTP/1.1 200")
        until(lambda: 'cut_off_total{reason="slow"} 8.0' in server.ask("GET", "/metrics"))
        with Memory(server.home, settings=PLAIN) as memory:
            item_id = memory.list(limit=1).items[0].id
            report = memory.erase(item_id)
        until(lambda: server.held()[0::2] == before[0::2])
        for one in stalled:
            one.close()
        until(lambda: all(now <= was for now, was in zip(server.held(), before, strict=True)))

        assert (report.complete, report.notes) == (True, ())
        assert server.ask("POST", "/v1/search", b'{"query": "note"}')["entries"]


def test_an_erasure_of_another_process_ends_a_reader_that_keeps_its_pace(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server, server.connect() as reader:
        assert reader.recv(100).startswith(b"HTTP/1.1 200")
        until(lambda: server.held()[2] > 0)
        with Memory(server.home, settings=PLAIN) as memory:
            item_id = memory.list(limit=1).items[0].id
            report = memory.erase(item_id)
        got = b""
        with suppress(ConnectionResetError):
            while part := reader.recv(1 << 16):
                got += part

    assert (report.complete, report.notes) == (True, ())
    assert not got.endswith(b"0\r\n\r\n")  # broken off: nobody takes it for whole


WAYS: dict[str, Callable[[socket.socket], Any]] = {
    "resets": lambda one: one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"),
    "closes": lambda _: None,
    "closes half": lambda one: one.shutdown(socket.SHUT_WR),
    "reads a little": lambda one: one.recv(100),
    "reads more": lambda one: [one.recv(1 << 16) for _ in range(4)],
    "asks again": lambda one: one.sendall(HEAD),
    "sends nonsense": lambda one: one.sendall(b"\x00\x01 no HTTP\r\n\r\n"),
    "sends a half head": lambda one: one.sendall(HEAD[:-2]),
    "shuts reading": lambda one: one.shutdown(socket.SHUT_RD),
    "asks for much": lambda one: one.sendall(HEAD * 20),
}
"""What a reader does before it hangs up."""


def test_fifty_streams_broken_off_in_ten_ways_leave_nothing_behind(tmp_path: Path) -> None:
    with served(tmp_path / "home", pause_s=1) as server:
        server.ask("GET", "/v1/version")
        before = server.held()
        for _ in range(5):
            for act in WAYS.values():
                with server.connect() as one, suppress(OSError):
                    act(one)
        until(lambda: all(now <= was for now, was in zip(server.held(), before, strict=True)))
        for _ in range(2):
            with server.connect() as one:
                assert one.recv(100).startswith(b"HTTP/1.1 200")
        assert server.stop() < WAIT_S

        assert server.process.returncode == 0


@pytest.mark.parametrize("reads", [True, False])
def test_a_server_ends_within_its_promise_whatever_clients_and_imports_do(
    tmp_path: Path, reads: bool
) -> None:
    with served(tmp_path / "home", drain_s=2) as server:
        uploads = [server.upload(HOSTILE) for _ in range(2)]
        stalled = [server.connect() for _ in range(8)]
        if reads:
            assert all(one.recv(100) for one in stalled)
        until(lambda: server.ask("GET", f"/v1/imports/{uploads[0]['id']}")["state"] == "running")
        took_s = server.stop()
        assert server.process.stdout is not None

        assert (server.process.returncode, server.process.stdout.read()) == (0, "True\n")
        assert took_s < WAIT_S / 2
        assert list((server.home / "uploads").iterdir()) == []
        for one in stalled:
            one.close()


def test_an_import_is_ended_in_the_middle_of_a_message_and_the_space_is_sound(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "home") as server:
        begun = server.upload(HOSTILE)["id"]
        until(lambda: server.ask("GET", f"/v1/imports/{begun}")["state"] == "running")
        server.ask("DELETE", f"/v1/imports/{begun}")
        until(lambda: server.ask("GET", f"/v1/imports/{begun}")["state"] == "cancelled")
        small = server.upload(b"From: bob@x.y\nSubject: hi\n\nhello there\n")["id"]
        until(lambda: server.ask("GET", f"/v1/imports/{small}")["state"] == "done")
        server.stop()

    with Memory(tmp_path / "home", settings=PLAIN) as memory:
        assert all(one.sound for one in memory.verify())
        assert memory.search("hello").hits[0].item.title == "hi"
