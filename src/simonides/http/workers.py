"""Several worker processes that answer on one port: started, watched, and replaced one by one.

The parent binds the port and watches; it opens nothing of the home. Each worker is a whole server
in a fresh interpreter, so that the next one runs an upgraded package, and takes connections off the
shared port. One that ends unasked is replaced. SIGHUP replaces all, each once its successor
answers, so that no request is refused; SIGTERM and SIGINT end them all. A worker whose parent is
gone ends as well. What they share for minutes lies in a file of a private folder that ends with the
parent.
"""

import json
import logging
import math
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from simonides.disk import process_folder
from simonides.errors import InvalidInput
from simonides.http.limits import BACKLOG, Limits

LOG = logging.getLogger("simonides.http")

START_S = 120.0
"""How long a worker may take until it answers: large spaces are opened by the first question."""

EARLY_S, EARLY_MAX = 10.0, 5
"""A worker that ends by itself sooner than this ends early; after so many in a row the parent gives
up. Each had answered: one that never does ends the server at once."""

KILL_AFTER_S = 5.0
"""How long after its own time to stop a worker is killed."""

_STOPPING = frozenset({signal.SIGTERM, signal.SIGINT})

_START = "_SIMONIDES_WORKER"
"""The variable of the environment that makes a process a worker; no setting has that prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStart:
    """What a worker starts with: its number, the port's socket, and how to report it ready.

    `state` is the file of what it shares with the others; None if they share nothing.
    """

    number: int
    listener: socket.socket
    on_ready: Callable[[], None]
    state: Path | None = None


def worker_start() -> WorkerStart | None:
    """Take the start of this process as a worker, and return it; None if it is none.

    From then on it ends with its parent.
    """
    given = os.environ.pop(_START, "")  # no process that a worker starts is one
    if not given:
        return None
    start = json.loads(given)

    def on_ready() -> None:
        with suppress(BrokenPipeError):
            os.write(start["ready"], b".")
        os.close(start["ready"])

    _end_with_parent()
    return WorkerStart(
        number=start["number"],
        listener=socket.socket(fileno=start["listener"]),
        on_ready=on_ready,
        state=Path(start["state"]) if start["state"] else None,
    )


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port of this machine; port 0 takes a free one.

    Raises:
        InvalidInput: The port cannot be had.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        problem = f"{host}:{port} cannot be had; is another server running there?"
        raise InvalidInput("--port", problem) from error


def divide(limits: Limits, workers: int) -> Limits:
    """Return the limits of one of several workers: its part of what is for the whole server."""

    def part(number: int, least: int = 1) -> int:
        return max(least, math.ceil(number / workers))

    return replace(
        limits,
        threads=part(limits.threads, least=2),
        waiting_max=part(limits.waiting_max),
        streams_max=part(limits.streams_max, least=2),
        imports_running_max=part(limits.imports_running_max),
        connections_max=part(limits.connections_max),
    )


@dataclass(slots=True, kw_only=True)
class _Worker:
    """A worker as its parent sees it; it is leaving once another one has taken its place."""

    number: int
    process: "subprocess.Popen[bytes]"
    started_s: float
    is_leaving: bool = False


@dataclass(slots=True, kw_only=True)
class WorkerPool:
    """The workers of one server; `run` returns when they have ended.

    `command` starts a worker, which calls `worker_start`; the default is the command line of this
    process. `stop_s` is the time that a worker has to stop; `on_ready` is called once, when the
    first workers answer. With `shares_state`, the workers share what is known for minutes.
    """

    count: int
    listener: socket.socket
    stop_s: float
    on_ready: Callable[[], object]
    command: Sequence[str] = (sys.executable, *sys.orig_argv[1:])
    shares_state: bool = False
    monotonic_s: Callable[[], float] = time.monotonic
    _workers: list[_Worker] = field(default_factory=list, init=False)
    _early: int = field(default=0, init=False)
    _code: int = field(default=0, init=False)
    _state: str = field(default="", init=False)

    def run(self) -> int:
        """Run the workers until a signal ends them; return the exit code of this process."""
        with _notice_signals(signal.SIGCHLD, signal.SIGHUP, *_STOPPING) as next_signals:
            if not self.shares_state:
                return self._watch(next_signals)
            with _folder() as folder:
                self._state = str(folder / "state.db")
                return self._watch(next_signals)

    def _watch(self, next_signals: "NextSignals") -> int:
        """Start the workers and follow the signals until the end; return the exit code."""
        starting = [self._spawn(number) for number in range(self.count)]
        if not all([*map(_answers, starting)]):
            return self._stop(next_signals, code=1)
        self.on_ready()
        while True:
            numbers = next_signals(None)
            if _STOPPING.intersection(numbers):
                return self._stop(next_signals, code=0)
            if signal.SIGHUP in numbers:
                self._replace_all()
            if not all(map(self._replace, self._find_ended())):
                return self._stop(next_signals, code=1)

    def _start(self, number: int) -> bool:
        """Start a worker and wait until it answers; return whether it does."""
        return _answers(self._spawn(number))

    def _spawn(self, number: int) -> int:
        """Start a worker; return a pipe that gets a byte once it answers, and ends with it."""
        ready, tell = os.pipe()
        listener = self.listener.fileno()
        start = {"number": number, "listener": listener, "ready": tell, "state": self._state}
        try:
            process = subprocess.Popen(  # noqa: S603  this program, as it was started
                self.command, stdin=subprocess.PIPE, pass_fds=(listener, tell),
                env=os.environ | {_START: json.dumps(start)},
            )  # fmt: skip
        except OSError as error:
            LOG.warning("a worker cannot be started: %s", error.strerror)
        else:
            started_s = self.monotonic_s()
            self._workers.append(_Worker(number=number, process=process, started_s=started_s))
        finally:
            os.close(tell)
        return ready

    def _find_ended(self) -> list[_Worker]:
        """Return the workers that have ended unasked since the last look."""
        ended = [one for one in self._workers if one.process.poll() is not None]
        for one in ended:
            self._workers.remove(one)
            _release(one.process)
        unasked = [one for one in ended if not one.is_leaving]
        if unasked:
            self._code = unasked[-1].process.returncode
        return unasked

    def _replace(self, worker: _Worker) -> bool:
        """Start another worker for one that ended; return whether that makes sense."""
        was_killed = worker.process.returncode == -signal.SIGKILL  # as where memory is short
        is_early = not was_killed and self.monotonic_s() - worker.started_s < EARLY_S
        self._early = self._early + 1 if is_early else 0
        if self._early >= EARLY_MAX:
            LOG.error("workers end as soon as they start; the server stops")
            return False
        LOG.warning("worker %d ended; another one starts", worker.number)
        self._start(worker.number)  # one that does not come up ends, and is replaced in its turn
        return True

    def _replace_all(self) -> None:
        """Replace every worker by a new one, one after another, each once the new one answers."""
        for worker in [one for one in self._workers if not one.is_leaving]:
            if not self._start(worker.number):
                LOG.error("a new worker does not answer; the others stay")
                return
            worker.is_leaving = True
            worker.process.terminate()

    def _stop(self, next_signals: "NextSignals", *, code: int) -> int:
        """End every worker, by force those that do not end in time; return the exit code.

        Where a worker failed, that is its own one.
        """
        self.listener.close()
        self._send_all(signal.SIGTERM)
        end_s = self.monotonic_s() + self.stop_s + KILL_AFTER_S
        while self._workers:
            self._find_ended()
            left_s = end_s - self.monotonic_s()
            if left_s <= 0.0:
                self._send_all(signal.SIGKILL)
                break
            if self._workers:
                next_signals(left_s)
        for worker in self._workers:
            worker.process.wait()
            _release(worker.process)
        return code and (self._code or code)

    def _send_all(self, number: signal.Signals) -> None:
        for worker in self._workers:
            worker.process.send_signal(number)


NextSignals = Callable[[float | None], frozenset[int]]
"""Waits for signals, for so many seconds or without end, and returns their numbers."""


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a private folder, removed at the end."""
    made = process_folder("workers", in_memory=True)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def _notice_signals(*signals: signal.Signals) -> Iterator[NextSignals]:
    """Yield a way to wait for signals; they do what they did before at the end."""
    noticing, noticed = os.pipe()
    os.set_blocking(noticed, False)
    handlers = {one: signal.signal(one, lambda _number, _frame: None) for one in signals}
    wakeup = signal.set_wakeup_fd(noticed)

    def next_signals(within_s: float | None) -> frozenset[int]:
        readable, _, _ = select.select([noticing], [], [], within_s)
        return frozenset(os.read(noticing, 1024) if readable else b"")

    try:
        yield next_signals
    finally:
        signal.set_wakeup_fd(wakeup)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        os.close(noticing)
        os.close(noticed)


def _answers(ready: int) -> bool:
    """Return whether a worker answers in time; false once it has ended. Closes its pipe."""
    readable, _, _ = select.select([ready], [], [], START_S)
    answers = bool(readable) and os.read(ready, 1) != b""
    os.close(ready)
    return answers


def _release(process: "subprocess.Popen[bytes]") -> None:
    """Let go of what holds a worker that has ended."""
    if process.stdin is not None:
        process.stdin.close()


def _end_with_parent() -> None:
    """Stop this process once nobody holds the other end of its input: the parent is gone."""

    def wait() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="simonides-lifeline", daemon=True).start()
