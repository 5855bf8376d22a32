"""The bench of the server on purpose with a server, or a library, that does not do its work."""

import http.client
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from simonides.api.memory import Memory
from simonides.errors import SimonidesError, StoreBusy
from simonides_bench import http as bench

PAGE = Path(__file__).parents[3] / "docs/reference/benchmarks.md"

Connect = Callable[[], Any]


def asking(answer: Callable[[str], object]) -> Connect:
    """Return a way to ask that answers as a test has it."""

    @contextmanager
    def connect() -> Iterator[bench.Ask]:
        yield answer

    return connect


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time in which threads only warm be next to none."""
    monkeypatch.setattr(bench, "WARM_S", 0.01)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "error",
    [StoreBusy("busy"), ValueError("500"), ConnectionError("gone"), http.client.HTTPException()],
)
def test_whatever_a_call_fails_with_is_counted_as_an_error(error: Exception) -> None:
    def fail(_question: str) -> object:
        raise error

    tally = bench._loaded(asking(fail), ["a"], clients=2, seconds=0.05)

    assert tally.errors >= 2
    assert tally.took_ms == []


@pytest.mark.usefixtures("quick")
def test_a_thread_goes_on_asking_after_it_failed() -> None:
    asked: list[str] = []

    def every_other(question: str) -> object:
        asked.append(question)
        if question == "bad":
            raise StoreBusy("busy")
        return None

    tally = bench._loaded(asking(every_other), ["bad", "good"], clients=1, seconds=0.05)

    assert asked[:4] == ["bad", "good", "bad", "good"]
    assert len(tally.took_ms) > 0
    assert tally.errors > 0


def test_what_is_asked_while_threads_warm_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_S", 0.2)
    asked: list[str] = []

    tally = bench._loaded(asking(asked.append), ["a"], clients=1, seconds=0.0)

    assert len(asked) > 0
    assert tally.took_ms == []


def test_where_nothing_was_answered_there_is_no_time_and_no_ratio() -> None:
    nothing = bench.Tally(errors=7, seconds=2.0).figures()
    some = bench.Tally(took_ms=[1.0, 3.0], seconds=2.0).figures()

    assert nothing == {"calls": 0, "errors": 7, "ms_p50": None, "ms_p99": None, "per_s": 0.0}
    for library, over in ((nothing, some), (some, nothing)):
        figures = bench._beside(library, over, chunks=1, clients=1)
        assert (figures["p50_ratio"], figures["p99_ratio"]) == (None, None)
    assert bench._beside(some, nothing, chunks=1, clients=1)["throughput_ratio"] == 0.0
    assert bench._beside(nothing, some, chunks=1, clients=1)["throughput_ratio"] is None


def test_a_tally_tells_the_middle_the_slowest_hundredth_and_calls_a_second() -> None:
    tally = bench.Tally(took_ms=[float(n) for n in range(1, 201)], errors=1, seconds=4.0)

    assert tally.figures() == {
        "calls": 200, "errors": 1, "ms_p50": 100.5, "ms_p99": 198.0, "per_s": 50.0,
    }  # fmt: skip


def test_ratios_are_http_over_library() -> None:
    library = {"ms_p50": 2.0, "ms_p99": 10.0, "per_s": 400.0}
    over = {"ms_p50": 5.0, "ms_p99": 15.0, "per_s": 300.0}

    figures = bench._beside(library, over, chunks=9, clients=3)

    assert (figures["p50_ratio"], figures["p99_ratio"]) == (2.5, 1.5)
    assert figures["throughput_ratio"] == 0.75


# ── a server of our own that answers otherwise ────────────────────────────────────────────────


class Answering(BaseHTTPRequestHandler):
    """Answers every search as the test has it, and notes what it was asked."""

    protocol_version = "HTTP/1.1"
    status: ClassVar[int] = 200
    ids: ClassVar[list[str]] = []
    seen: ClassVar[list[tuple[str, str, Any]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.path, self.headers["Authorization"], json.loads(body)))
        sent = json.dumps({"entries": [{"entryId": one} for one in self.ids]}).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of such a server."""
    monkeypatch.setattr(Answering, "seen", [])
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_search_is_sent_with_its_key_and_its_limit(port: int) -> None:
    with bench._client(port, "secret") as ask:
        ask("when does the ferry leave?")

    assert Answering.seen == [
        ("/v1/search", "Bearer secret", {"query": "when does the ferry leave?", "limit": 10})
    ]


def test_a_status_that_is_not_200_is_an_error(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Answering, "status", 503)

    with bench._client(port, "secret") as ask, pytest.raises(ValueError, match="503: b'"):
        ask("a")


@pytest.mark.usefixtures("quick")
def test_a_server_that_refuses_everything_has_errors_and_no_calls(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Answering, "status", 500)

    tally = bench._loaded(lambda: bench._client(port, "k"), ["a"], clients=1, seconds=0.1)

    assert tally.errors > 0
    assert tally.figures()["calls"] == 0


def test_a_server_that_answers_something_else_does_not_answer_the_same(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Answering, "ids", ["a", "b"])
    wanted = [["a", "b"], ["b", "a"], [], ["a", "b", "c"]]

    same = bench._same_answers(lambda: bench._client(port, "k"), ["1", "2", "3", "4"], wanted)

    assert same == 0.25


def process(code: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the server's process be one that runs `code`; return where it will stand."""
    started: list[Any] = []

    class Popen(subprocess.Popen[str]):
        def __init__(self, _command: Any, **rest: Any) -> None:
            super().__init__([sys.executable, "-c", code], **rest)
            started.append(self)

    monkeypatch.setattr("simonides_bench.http.subprocess.Popen", Popen)
    return started


def test_a_server_that_does_not_start_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = process("raise SystemExit(1)", monkeypatch)

    with (
        pytest.raises(SimonidesError, match="the server did not start"),
        bench._served(tmp_path),
    ):
        pass

    assert started[0].returncode == 1


def test_a_server_that_does_not_stop_is_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print(4711, flush=True); time.sleep(60)"
    )
    started = process(deaf, monkeypatch)
    monkeypatch.setattr(bench, "STOP_S", 0.1)

    with bench._served(tmp_path) as port:
        assert port == 4711

    assert started[0].returncode == -9


# ── the whole run ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def run_of(monkeypatch: pytest.MonkeyPatch, port: int) -> Callable[[], dict[str, Any]]:
    """A run in which the server is the one that answers as a test has it."""

    @contextmanager
    def served(_home: Path) -> Iterator[int]:
        yield port

    monkeypatch.setattr(bench, "WARM_S", 0.01)
    monkeypatch.setattr(bench, "_served", served)
    return lambda: bench.run(chunks=20, clients=1, seconds=0.1)


def test_a_server_that_finds_nothing_gets_no_credit_for_its_speed(
    run_of: Callable[[], dict[str, Any]],
) -> None:
    figures = run_of()

    assert figures["http"]["errors"] == 0
    assert figures["same_answers"] == 0.0


def test_every_figure_is_told_in_the_reference(run_of: Callable[[], dict[str, Any]]) -> None:
    section = PAGE.read_text("utf-8").split("## Http\n")[1].split("\n## ")[0]
    told = {
        name
        for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    figures = run_of()

    assert told == set(figures)
    assert all(f"`{name}`" in section for name in figures["http"])


def test_a_library_that_fails_is_seen_in_its_errors(
    run_of: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    search, begun = Memory.search, threading.Event()

    def fails_once_in_two(self: Memory, *given: Any, **rest: Any) -> Any:
        if threading.current_thread() is not threading.main_thread() and not begun.is_set():
            begun.set()
            raise StoreBusy("busy")
        return search(self, *given, **rest)

    monkeypatch.setattr(Memory, "search", fails_once_in_two)

    assert run_of()["library"]["errors"] == 1
