"""The server itself: a real socket, what it refuses to listen on, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.errors import InvalidInput
from simonides.http.server import check_host

BINARY = Path(sys.executable).with_name("simonides")


@contextmanager
def running(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Give a server in a process of its own, once it answers, and its address."""
    own = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
    with subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--json", *options], env={**os.environ, **own},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


def post(url: str, body: Any, *, key: str = "") -> Any:
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    asked = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310  our own
    with urllib.request.urlopen(asked, timeout=20) as got:  # noqa: S310  our own
        return json.load(got)


def test_a_server_answers_ends_well_and_loses_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "home") as (process, url):
        post(f"{url}/v1/items", {"content": "The Alpha deadline moved to Friday."})
        found = post(f"{url}/v1/search", {"query": "Alpha"})
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)

        assert (process.returncode, said) == (0, "")

    assert found["entries"][0]["item"]["content"] == "The Alpha deadline moved to Friday."
    with Memory(tmp_path / "home", settings=Settings(embedder="none")) as memory:
        assert memory.stats().items == 1
    assert not list((tmp_path / "home" / "spaces").glob("*-wal"))


@pytest.mark.slow
def test_a_key_made_and_revoked_elsewhere_counts_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(home) as (_, url), Memory(home, settings=Settings(embedder="none")) as memory:
        post(f"{url}/v1/items", {"content": "before there was a key"})
        key = memory.keys.create(space="alice").key
        with pytest.raises(urllib.error.HTTPError, match="401"):
            post(f"{url}/v1/search", {"query": "x"})
        post(f"{url}/v1/search", {"query": "x"}, key=key)
        memory.keys.revoke(key)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            post(f"{url}/v1/search", {"query": "x"}, key=key)


@pytest.mark.slow
def test_each_request_is_logged_as_one_line_where_that_is_asked_for(tmp_path: Path) -> None:
    with running(tmp_path / "home", "--log", "info") as (process, url):
        post(f"{url}/v1/search", {"query": "my secret"})
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)

    [reported] = map(json.loads, said.splitlines())
    assert process.returncode == 0
    assert (reported["route"], reported["status"]) == ("/v1/search", 200)
    assert "secret" not in said


@pytest.mark.slow
def test_a_server_is_not_opened_to_others_before_there_is_a_key(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "memory.example.com"):  # noqa: S104  refused
        with pytest.raises(InvalidInput, match="keys create"):
            check_host(host, has_keys=False)
    for host in ("127.0.0.1", "::1", "localhost"):
        check_host(host, has_keys=False)
    check_host("0.0.0.0", has_keys=True)  # noqa: S104  nothing listens
    with pytest.raises(InvalidInput, match=r"memory\.example\.com .* keys create"):
        check_host("127.0.0.1", has_keys=False, allowed=("memory.example.com",))
    check_host("127.0.0.1", has_keys=True, allowed=("memory.example.com",))

    own = {"SIMONIDES_HOME": str(tmp_path), "SIMONIDES_EMBEDDER": "none"}
    for option in (["--host", "0.0.0.0"], ["--allow-host", "memory.example.com"]):  # noqa: S104
        done = subprocess.run(
            [BINARY, "serve", *option], env={**os.environ, **own}, text=True,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 4
        assert "[invalid_input]" in done.stderr
        assert "simonides keys create --space NAME" in done.stderr


def test_a_port_that_is_taken_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        own = {"SIMONIDES_HOME": str(tmp_path), "SIMONIDES_EMBEDDER": "none"}
        done = subprocess.run(
            [BINARY, "serve", "--port", str(taken.getsockname()[1])], text=True, timeout=60,
            env={**os.environ, **own}, capture_output=True, check=False,
        )  # fmt: skip

    assert done.returncode == 4
    assert "is another server running there" in done.stderr
    assert "Traceback" not in done.stderr
