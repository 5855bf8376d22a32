"""Several worker processes on one port: they answer, are replaced, and end with their parent."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

WAIT_S = 60.0
PLAIN = Settings(embedder="none", timezone="UTC")


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, oldest first."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return sorted(map(int, listed.split()))


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that has to happen."""
    end_s = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < end_s
        os.sched_yield()


def ask(url: str, body: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{url}/v1/search", json.dumps(body).encode(), headers)  # noqa: S310  our own
    with urllib.request.urlopen(asked, timeout=WAIT_S) as got:  # noqa: S310  our own
        return json.load(got)


def found(url: str) -> list[str]:
    return [one["item"]["content"] for one in ask(url, {"query": "Alpha deadline"})["entries"]]


@contextmanager
def served(home: Path, *more: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Serve a home with two workers; gives the process and the URL."""
    environment = {**os.environ, "SIMONIDES_HOME": str(home)}
    with subprocess.Popen(
        [sys.executable, "-m", "simonides", "serve", "--port", "0", "--workers", "2",
         "--embedder", "none", *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    ) as process:  # fmt: skip
        try:
            said = process.stdout.readline() if process.stdout else ""
            yield process, said.rpartition(" ")[2].strip()
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            process.wait(WAIT_S)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Memory(tmp_path / "home", settings=PLAIN) as memory:
        memory.add("The Alpha deadline is Friday.")
    return tmp_path / "home"


def test_workers_answer_are_replaced_and_end_in_time(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    package = tmp_path / "sitecustomize.py"  # stands for the package: each start reads it
    package.write_text("import simonides.version as one\none.__version__ = 'before'\n")
    with served(home) as (process, url):
        first = children(process.pid)
        assert len(first) == 2
        assert found(url) == ["The Alpha deadline is Friday."]
        assert version(url) == "before"

        os.kill(first[0], signal.SIGKILL)
        until(lambda: len(children(process.pid)) == 2 and first[0] not in children(process.pid))
        assert found(url) == ["The Alpha deadline is Friday."]

        package.write_text("import simonides.version as one\none.__version__ = 'upgraded'\n")
        before = set(children(process.pid))
        process.send_signal(signal.SIGHUP)
        until(lambda: not before & set(children(process.pid)))
        assert len(children(process.pid)) == 2
        assert found(url) == ["The Alpha deadline is Friday."]
        assert version(url) == "upgraded"

        left = children(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 0
        assert not [one for one in left if Path(f"/proc/{one}").exists()]


def version(url: str) -> str:
    with urllib.request.urlopen(f"{url}/v1/version", timeout=WAIT_S) as got:  # noqa: S310  our own
        return str(json.load(got)["version"])


@pytest.mark.slow
def test_workers_that_are_killed_in_a_row_do_not_end_the_server(home: Path) -> None:
    with served(home) as (process, url):
        for _ in range(6):  # more than may end by themselves, each before it is ten seconds old
            first, _ = children(process.pid)
            os.kill(first, signal.SIGKILL)
            until(lambda gone=first: _is_replaced(process.pid, gone))  # type: ignore[misc]

        assert process.poll() is None
        assert found(url) == ["The Alpha deadline is Friday."]


def _is_replaced(parent: int, gone: int) -> bool:
    there = children(parent)
    return gone not in there and len(there) == 2


@pytest.mark.slow
def test_what_one_worker_writes_all_of_them_find(home: Path) -> None:
    with served(home) as (_, url):
        with Memory(home, settings=PLAIN) as memory:
            memory.add("The Alpha deadline is Monday.")
        answers = [set(found(url)) for _ in range(6)]  # each over a connection of its own

    assert all("The Alpha deadline is Monday." in one for one in answers)


def said(url: str, *, key: str = "k1") -> tuple[int, str, bytes]:
    """Say something in a session, over a connection of its own: status, whether again, answer."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    body = json.dumps({"role": "user", "content": "hello"}).encode()
    asked = urllib.request.Request(f"{url}/v1/sessions/s/messages", body, headers)  # noqa: S310  our own
    try:
        with urllib.request.urlopen(asked, timeout=WAIT_S) as got:  # noqa: S310  our own
            return got.status, got.headers.get("Idempotency-Replayed", ""), got.read()
    except urllib.error.HTTPError as problem:
        with problem:
            return problem.code, "", problem.read()


@pytest.mark.slow
def test_what_one_worker_did_no_other_does_again_also_after_a_restart(home: Path) -> None:
    with served(home) as (process, url):
        first = said(url)
        again = {said(url) for _ in range(8)}
        before = children(process.pid)
        process.send_signal(signal.SIGHUP)
        until(lambda: not set(before) & set(children(process.pid)))
        after = {said(url) for _ in range(4)}

    assert (first[0], first[1]) == (201, "")
    assert again == after == {(201, "true", first[2])}
    with Memory(home, settings=PLAIN) as memory:
        assert memory.sessions.get("s").messages == 1


@pytest.mark.slow
def test_a_rate_holds_over_all_workers_but_for_their_first_burst(home: Path) -> None:
    with served(home, "--rate", "1") as (_, url):
        start_s = time.monotonic()
        with ThreadPoolExecutor(12) as pool:
            statuses = [*pool.map(lambda n: said(url, key=f"k{n}")[0], range(12))]
        most = 2 * 2 + math.ceil(time.monotonic() - start_s)  # each worker's burst, and the rate

    assert {*statuses} <= {201, 429}
    assert 2 <= statuses.count(201) <= most


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(home: Path) -> None:
    with served(home) as (process, _):
        left = children(process.pid)
        process.kill()
        process.wait(WAIT_S)

        until(lambda: not [one for one in left if _is_running(one)])


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
def test_a_server_that_may_not_start_says_why(home: Path) -> None:
    with served(home, "--host", "0.0.0.0") as (process, url):  # noqa: S104  refused
        problem = process.stderr.read() if process.stderr else ""
        assert process.wait(WAIT_S) == 4
        assert url == ""
        assert "there is no key yet" in problem
