"""One server in a process of its own, and what the system says of it from outside (Linux).

Must not know what clients do to it.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from simonides.errors import SimonidesError

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a process holds: threads, and descriptors by kind."""

    threads: int
    files: int
    sockets: int

    def above(self, before: "Held", most: "Held") -> list[str]:
        """Return the names of what has grown since `before` by more than `most`."""
        return [
            one.name
            for one in fields(self)
            if getattr(self, one.name) > getattr(before, one.name) + getattr(most, one.name)
        ]


class ServerProcess:
    """A server over a home, whose temporary files lie in `temporary`."""

    def __init__(self, home: Path, *, temporary: Path, model_port: int) -> None:
        temporary.mkdir(exist_ok=True)
        self._process = subprocess.Popen(  # noqa: S603  our own module
            (sys.executable, "-m", "simonides_bench.crash.peers.served", str(home),
             str(model_port)),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(temporary), "SIMONIDES_CHAT_API_KEY": "none"},
        )  # fmt: skip
        said = self._process.stdout.readline() if self._process.stdout else b""
        if not said:
            self._process.wait()
            raise SimonidesError("the server of the trial did not start")
        ready = json.loads(said)
        self.port: int = ready["port"]
        self.drain_s: float = ready["drain_s"]

    def read_load(self) -> Held:
        """Return what the process holds now."""
        own = _PROC / str(self._process.pid)
        targets = []
        for one in (own / "fd").iterdir():
            try:
                targets.append(os.readlink(one))  # noqa: PTH115  it names no path
            except FileNotFoundError:
                continue
        sockets = sum(one.startswith("socket:") for one in targets)
        return Held(threads=len(list((own / "task").iterdir())), files=len(targets) - sockets,
                    sockets=sockets)  # fmt: skip

    def ask(
        self, method: str, path: str, body: Any = None, *, timeout_s: float = 30.0
    ) -> tuple[int, bytes]:
        """Return the status and body of one answer.

        Raises:
            OSError: There was none in time.
        """
        sent = None if body is None else json.dumps(body).encode()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)) as one:
            one.request(method, path, sent, {"Content-Type": "application/json"})
            answer = one.getresponse()
            return answer.status, answer.read()

    def measure_stop_s(self, most_s: float) -> float | None:
        """Ask it to end, and return how long it took; None where it did not in `most_s`."""
        started = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(most_s)
        except subprocess.TimeoutExpired:
            return None
        return time.monotonic() - started

    def kill(self) -> None:
        """End it at once, if it runs."""
        with self._process as process:
            process.kill()


@contextmanager
def server_process(home: Path, *, temporary: Path, model_port: int) -> Iterator[ServerProcess]:
    """Give a server that is gone afterwards, whatever happens."""
    server = ServerProcess(home, temporary=temporary, model_port=model_port)
    try:
        yield server
    finally:
        server.kill()
