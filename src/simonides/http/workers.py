"""Several worker processes that answer on one port: forked, watched, and replaced one by one.

The parent binds the port and watches; it opens nothing of the home and has one thread, so that it
may fork at any time. Each worker is a whole server that takes connections off the shared port. One
that ends unasked is replaced. SIGHUP replaces all, each once its successor answers, so that no
request is refused; SIGTERM and SIGINT end them all. A worker whose parent is gone ends as well.
What they share for minutes lies in a file of a private folder that ends with the parent. Must not
import what starts threads.
"""

import logging
import math
import os
import select
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from simonides.api.workers_state import state_of_workers
from simonides.disk import process_folder
from simonides.errors import InvalidInput
from simonides.http.limits import BACKLOG, Limits
from simonides.ports.shared_state import SharedState

LOG = logging.getLogger("simonides.http")

START_S = 120.0
"""How long a worker may take until it answers: large spaces are opened by the first question."""

EARLY_S, EARLY_MAX = 10.0, 5
"""A worker that ends by itself sooner than this ends early; after so many in a row the parent gives
up. Each had answered: one that never does ends the server at once."""

KILL_AFTER_S = 5.0
"""How long after its own time to stop a worker is killed."""

_STOPPING = frozenset({signal.SIGTERM, signal.SIGINT})


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStart:
    """What a worker starts with: its number, the port's socket, and how to report it ready.

    `shared` is what it shares with the others.
    """

    number: int
    listener: socket.socket
    on_ready: Callable[[], None]
    shared: SharedState | None = None


Work = Callable[[WorkerStart], None]
"""Serves in a worker until it is asked to stop."""


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


@dataclass(slots=True)
class _Worker:
    """A worker as its parent sees it."""

    number: int
    started_s: float
    code: int = 0


@dataclass(slots=True, kw_only=True)
class WorkerPool:
    """The workers of one server; `run` returns in a worker when it has served, else at the end.

    `stop_s` is the time that a worker has to stop; `on_ready` is called once, when the first
    workers answer. With `shares_state`, the workers share what is known for minutes.
    """

    count: int
    listener: socket.socket
    work: Work
    stop_s: float
    on_ready: Callable[[], None]
    shares_state: bool = False
    monotonic_s: Callable[[], float] = time.monotonic
    _workers: dict[int, _Worker] = field(default_factory=dict, init=False)
    _leaving: set[int] = field(default_factory=set, init=False)
    _early: int = field(default=0, init=False)
    _code: int = field(default=0, init=False)
    _lifeline: tuple[int, int] = field(default=(-1, -1), init=False)
    _shared: Path | None = field(default=None, init=False)

    def run(self) -> int:
        """Run the workers until a signal ends them; return the exit code of this process.

        In a worker it returns 0 when its work ends, and raises what that raises.
        """
        self._lifeline = os.pipe()
        try:
            with _notice_signals(signal.SIGCHLD, signal.SIGHUP, *_STOPPING) as next_signals:
                if not self.shares_state:
                    return self._watch(next_signals)
                with _folder() as folder:
                    self._shared = folder / "state.db"
                    return self._watch(next_signals)
        except _IsWorker as one:
            start = one.start
        self.work(start)
        return 0

    def _watch(self, next_signals: "NextSignals") -> int:
        """Start the workers and follow the signals until the end; return the exit code."""
        for number in range(self.count):
            if not self._start(number):
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
        """Fork a worker and wait until it answers; return whether it does. Raises in the worker."""
        ready, tell = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            self._become(number, tell)
        os.close(tell)
        self._workers[pid] = _Worker(number, self.monotonic_s())
        try:
            return _has_news(ready, within_s=START_S)
        finally:
            os.close(ready)

    def _become(self, number: int, tell: int) -> NoReturn:
        """Leave the parent's loop as a worker."""
        os.close(self._lifeline[1])
        _end_with_parent(self._lifeline[0])

        def on_ready() -> None:
            with suppress(BrokenPipeError):
                os.write(tell, b".")
            os.close(tell)

        shared = None if self._shared is None else state_of_workers(self._shared)
        raise _IsWorker(
            WorkerStart(number=number, listener=self.listener, on_ready=on_ready, shared=shared)
        )

    def _find_ended(self) -> list[_Worker]:
        """Return the workers that have ended unasked since the last look."""
        ended = []
        for pid, code in _reap():
            worker = self._workers.pop(pid, None)
            if pid in self._leaving:
                self._leaving.discard(pid)
            elif worker is not None:
                ended.append(worker)
                worker.code = self._code = code
        return ended

    def _replace(self, worker: _Worker) -> bool:
        """Start another worker for one that ended; return whether that makes sense."""
        was_killed = worker.code == -signal.SIGKILL  # as a system short of memory does
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
        for pid, worker in list(self._workers.items()):
            if pid in self._leaving:
                continue
            if not self._start(worker.number):
                LOG.error("a new worker does not answer; the others stay")
                return
            self._leaving.add(pid)
            _send(pid, signal.SIGTERM)

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
        return code and (self._code or code)

    def _send_all(self, number: signal.Signals) -> None:
        for pid in self._workers:
            _send(pid, number)


class _IsWorker(BaseException):
    """Raised in a forked worker to leave the loop of its parent."""

    def __init__(self, start: WorkerStart) -> None:
        super().__init__()
        self.start = start


NextSignals = Callable[[float | None], frozenset[int]]
"""Waits for signals, for so many seconds or without end, and returns their numbers."""


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a private folder, removed at the end by the process that made it alone."""
    made, process = process_folder("workers", in_memory=True), os.getpid()
    try:
        yield made
    finally:
        if os.getpid() == process:
            shutil.rmtree(made, ignore_errors=True)


@contextmanager
def _notice_signals(*signals: signal.Signals) -> Iterator[NextSignals]:
    """Yield a way to wait for signals; they do what they did before at the end.

    That holds in a forked process as well, which leaves this by an exception.
    """
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


def _has_news(pipe: int, *, within_s: float) -> bool:
    """Return whether something comes through a pipe in time; false at its end."""
    readable, _, _ = select.select([pipe], [], [], within_s)
    return bool(readable) and os.read(pipe, 1) != b""


def _reap() -> Iterator[tuple[int, int]]:
    """Yield the id and the exit code of each child that has ended."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _end_with_parent(lifeline: int) -> None:
    """Stop this process once nobody holds the other end of the lifeline: the parent is gone."""

    def wait() -> None:
        os.read(lifeline, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="simonides-lifeline", daemon=True).start()
