"""`simonides bench http`: what a search costs over HTTP, beside the same search in the library.

The same questions from as many threads for as long: first in this process through the library, then
over sockets to a server in a process of its own, or in several workers. Questions are embedded by
the stand-in of the tests, which takes next to no time: the server gets no credit for the time of a
model.
"""

import functools
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import SimonidesError
from simonides.model.answer import SearchResult
from simonides.text.chunk import rule_for
from simonides_bench.corpus import passages
from simonides_bench.filling import batches
from simonides_bench.metrics import percentile
from simonides_bench.process_memory import memory_of_workers
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.writing import Writer, questions

if TYPE_CHECKING:
    from simonides.http.workers import WorkerStart
    from simonides.ports.shared_state import SharedState

PASSAGES_MAX = 1000
QUESTIONS = 200
LIMIT = 10
COMPARED = 20
"""So many questions must get the same hits both ways."""

WARM_S = 1.0
STOP_S = 30.0

Progress = Callable[[int, int], None]
Ask = Callable[[str], object]
Connect = Callable[[], AbstractContextManager[Ask]]


@dataclass(slots=True)
class Tally:
    """What all threads of one run saw: times in milliseconds, errors, and how long it ran."""

    took_ms: list[float] = field(default_factory=list)
    errors: int = 0
    seconds: float = 0.0

    def figures(self) -> dict[str, Any]:
        """Return median, 99th percentile, calls a second, and errors; no times of no calls."""
        return {
            "calls": len(self.took_ms),
            "errors": self.errors,
            "ms_p50": median(self.took_ms) if self.took_ms else None,
            "ms_p99": percentile(self.took_ms, 0.99) if self.took_ms else None,
            "per_s": len(self.took_ms) / self.seconds,
        }


def run(
    *,
    chunks: int,
    clients: int,
    seconds: float,
    workers: int = 1,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the figures of the library and of the server, and how the one relates to the other.

    `clients` threads ask for `seconds` each time; the server has so many `workers`. Progress is
    reported in three steps.

    Raises:
        NotFound: Python came without its documentation, of which the corpus is made.
        SimonidesError: The server did not start.
    """
    report = on_progress or (lambda _done, _of: None)
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        home = Path(folder) / "home"
        asked, key = fill(home, chunks=chunks)
        report(1, 3)
        with memory_of(home) as memory:
            library = _put_under_load(
                lambda: _library(memory), asked, clients=clients, seconds=seconds
            )
            wanted = [[hit.id for hit in _find(memory, one)] for one in asked[:COMPARED]]
        report(2, 3)
        with serve(home, workers=workers) as (port, pid):
            over = _put_under_load(
                lambda: _client(port, key), asked, clients=clients, seconds=seconds
            )
            same = _same_answers(lambda: _client(port, key), asked, wanted)
            memory_used = memory_of_workers(pid)
        report(3, 3)
    figures = _beside(library.figures(), over.figures(), chunks=chunks, clients=clients)
    return {
        **figures, "workers": workers, "answers_per_s": over.figures()["per_s"],
        "same_answers": same, **memory_used,
    }  # fmt: skip


def _beside(
    library: dict[str, Any], over: dict[str, Any], *, chunks: int, clients: int
) -> dict[str, Any]:
    return {
        "chunks": chunks,
        "clients": clients,
        "cores": os.cpu_count() or 1,
        "library": library,
        "http": over,
        "p50_ratio": _ratio(over["ms_p50"], library["ms_p50"]),
        "p99_ratio": _ratio(over["ms_p99"], library["ms_p99"]),
        "throughput_ratio": _ratio(over["per_s"], library["per_s"]),
    }


def _ratio(over: float | None, library: float | None) -> float | None:
    """Return the one over the other; None where nothing was answered."""
    return over / library if over is not None and library else None


def memory_of(home: Path, *, working: "SharedState | None" = None) -> Memory:
    """Return the memory of a home whose questions are embedded by the stand-in."""
    settings = Settings(timezone="UTC", share_indexes=working is not None)
    return Memory(home, settings=settings, embedder=HashingEmbedder(), working=working)


def fill(home: Path, *, chunks: int) -> tuple[list[str], str]:
    """Fill a space, and return questions to it and a key for it."""
    corpus = passages(passages_max=min(PASSAGES_MAX, max(chunks, 50)))
    embedder = HashingEmbedder()
    with memory_of(home) as memory:
        rule = rule_for(embedder.identity.window_words)
        for batch in batches(Writer(corpus).items(), rule=rule, chunks=chunks):
            memory.add(batch.items)
        key = memory.keys.create(space=memory.space, permissions=["read"]).key
    return questions(corpus, count=QUESTIONS), key


def _put_under_load(
    connect: Connect, asked: Sequence[str], *, clients: int, seconds: float
) -> Tally:
    """Return what `clients` threads saw; what they ask before all are warm is not counted.

    Each asks until something was counted, however slow the machine is.
    """
    tally, turns, lock = Tally(), count(), threading.Lock()
    begin = time.perf_counter() + WARM_S

    def work() -> None:
        while time.perf_counter() < begin + seconds:
            try:
                with connect() as ask:
                    on_one(ask)
            except (OSError, ValueError, http.client.HTTPException, SimonidesError):
                with lock:
                    tally.errors += 1

    def on_one(ask: Ask) -> None:
        counted = 0
        while (started := time.perf_counter()) < begin + seconds or not counted:
            ask(asked[next(turns) % len(asked)])
            took_ms = 1000.0 * (time.perf_counter() - started)
            if started >= begin:
                counted += 1
                with lock:
                    tally.took_ms.append(took_ms)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    tally.seconds = seconds
    return tally


@contextmanager
def _library(memory: Memory) -> Iterator[Ask]:
    yield functools.partial(_find, memory)


def _find(memory: Memory, question: str) -> SearchResult:
    return memory.search(question, limit=LIMIT)


def _same_answers(
    connect: Callable[[], AbstractContextManager[Callable[[str], bytes]]],
    asked: Sequence[str],
    wanted: Sequence[Sequence[str]],
) -> float:
    """Return to which share of the first questions the server gives the ids that are wanted."""
    with connect() as ask:
        same = [_ids(ask(one)) == own for one, own in zip(asked, wanted, strict=False)]
    return sum(same) / len(same)


def _ids(sent: bytes) -> list[str]:
    return [one["entryId"] for one in json.loads(sent)["entries"]]


@contextmanager
def _client(port: int, key: str) -> Iterator[Callable[[str], bytes]]:
    """Give a way to ask over one connection that stays open."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        yield functools.partial(_search, connection, key)


def _search(connection: http.client.HTTPConnection, key: str, question: str) -> bytes:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"query": question, "limit": LIMIT})
    connection.request("POST", "/v1/search", body, headers)
    got = connection.getresponse()
    sent = got.read()
    if got.status != http.client.OK:
        raise ValueError(f"{got.status}: {sent[:200]!r}")
    return sent


@contextmanager
def serve(home: Path, *, workers: int) -> Iterator[tuple[int, int]]:
    """Give the port of a server in a process of its own and its id, and end it afterwards."""
    with subprocess.Popen(  # noqa: S603  our own module
        [sys.executable, "-m", "simonides_bench.http", str(home), str(workers)],
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            said = process.stdout.readline() if process.stdout else ""
            if not said:
                raise SimonidesError("the server did not start; it said why on its error stream")
            yield int(said), process.pid
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def main(home: Path, workers: int) -> None:
    """Serve a home until SIGTERM; the port is the one line that is written."""
    from simonides.http.workers import WorkerPool, listening, worker_start

    if start := worker_start():
        _serve(home, start)
        return
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    WorkerPool(
        count=workers, listener=listener, stop_s=STOP_S,
        on_ready=lambda: print(port, flush=True),  # noqa: T201  whoever started it reads it
        shares_state=workers > 1,
    ).run()  # fmt: skip


def _serve(home: Path, start: "WorkerStart") -> None:
    from simonides.api.workers_state import state_of_workers
    from simonides.http.app import AuthMiddleware, guest_of, make_server
    from simonides.http.limits import Limits
    from simonides.http.server import serve
    from simonides.web.door import pages_of

    server = make_server(
        memory_of(home, working=state_of_workers(start.state) if start.state else None),
        uploads=home / "uploads",
        limits=Limits(rate_per_s=1e6, rate_burst=10**6),
    )
    guarded = functools.partial(AuthMiddleware, server=server, path="/web", by_people=True)
    serve(
        server, host="127.0.0.1", port=0, listener=start.listener,
        pages=pages_of(guarded, guest_of),
        on_ready=lambda _port: start.on_ready(),
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
