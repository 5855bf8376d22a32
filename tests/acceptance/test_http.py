"""The seed's own example over HTTP, from a mailbox to an answer; and what a killed server keeps."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings

BINARY = Path(sys.executable).with_name("simonides")
MAIL = b"""From sarah@example.com Thu Mar  5 10:00:00 2026
From: Sarah Johnson <sarah@example.com>
To: me@example.com
Subject: Alpha
Message-ID: <m1@example.com>
Date: Thu, 5 Mar 2026 10:00:00 +0000

The Alpha deadline moved to Friday, said the client.

"""
JSON = "application/json"
WRITERS = 4
KEPT_BEFORE_THE_KILL = 60


class Served:
    """A server in a process of its own, and one key for it."""

    def __init__(self, home: Path, process: subprocess.Popen[str], url: str, key: str) -> None:
        self.home = home
        self.process = process
        self._url = url
        self._key = key

    def ask(self, method: str, path: str, body: Any = None, *, media: str = JSON) -> Any:
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": media}
        url = self._url + path
        asked = urllib.request.Request(url, sent, headers, method=method)  # noqa: S310  our own
        with urllib.request.urlopen(asked, timeout=30) as got:  # noqa: S310  our own
            return json.load(got)


@contextmanager
def served(home: Path, *options: str) -> Iterator[Served]:
    """Run a server that may be asked as often as a test asks how far an import is."""
    plain = Settings(embedder="none")
    with Memory(home, settings=plain) as memory:
        key = memory.keys.create(space="alice", permissions=["read", "write", "erase"]).key
    own = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
    with subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--rate", "1000000", "--json", *options],
        env={**os.environ, **own},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            yield Served(home, process, url, key)
        finally:
            process.kill()


def mailbox() -> tuple[bytes, str]:
    """Return an upload of one mail, and its media type."""
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="in.mbox"\r\n\r\n'
    source = b'\r\n--b\r\nContent-Disposition: form-data; name="source"\r\n\r\ngmail\r\n--b--\r\n'
    return head + MAIL + source, "multipart/form-data; boundary=b"


def imported(server: Served) -> Any:
    """Upload the mailbox and return how its import ended."""
    body, media = mailbox()
    response = server.ask("POST", "/v1/imports", body, media=media)
    while response["state"] in ("waiting", "running"):
        response = server.ask("GET", f"/v1/imports/{response['id']}")
    return response


def test_what_sarah_sent_last_week_is_answered_over_http(tmp_path: Path) -> None:
    # The server's clock stands in the week after the mail was sent.
    with served(tmp_path / "home", "--now", "2026-03-10T12:00:00Z") as server:
        report = imported(server)["report"]
        question = "What did Sarah send me last week?"
        reply = server.ask("POST", "/v1/chat", {"message": question})
        brief = server.ask("POST", "/v1/brief", {"query": question, "budget_tokens": 400})
        again = server.ask("POST", "/v1/replay", {"receipt": brief["receipt"]})
        said = server.ask("GET", f"/v1/sessions/{reply['session_id']}/messages")

    assert (report["added"], report["skipped"]) == (1, [])
    assert "Friday" in reply["message"]
    assert reply["items"][0]["item"]["source"] == "gmail"
    assert "Friday" in brief["text"]
    assert again["exact"]
    assert [one["content"] for one in said["items"]] == [question, reply["message"]]


def test_a_server_that_is_killed_loses_no_write_that_it_acknowledged(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    is_enough = threading.Event()

    def write(server: Served, writer: int) -> None:
        for n in range(10_000):
            sent = {"content": f"note {n} of writer {writer}"}
            try:
                outcome = server.ask("POST", "/v1/items", sent)
            except (OSError, ValueError, HTTPException):  # the server is gone
                return
            acknowledged.append(outcome["outcomes"][0]["id"])
            if len(acknowledged) >= KEPT_BEFORE_THE_KILL:
                is_enough.set()

    with served(tmp_path / "home") as server:
        writers = [threading.Thread(target=write, args=(server, n)) for n in range(WRITERS)]
        for one in writers:
            one.start()
        assert is_enough.wait(60)
        server.process.send_signal(signal.SIGKILL)
        for one in writers:
            one.join()

    with Memory(tmp_path / "home", space="alice", settings=Settings(embedder="none")) as memory:
        kept = [memory.get(one).id for one in acknowledged]

        assert kept == acknowledged
        assert len(kept) >= KEPT_BEFORE_THE_KILL
        assert all(one.sound for one in memory.doctor())


@pytest.mark.slow
def test_an_upload_of_a_killed_server_goes_with_the_next_erasure(tmp_path: Path) -> None:
    head, media = mailbox()
    body = head.replace(MAIL, b"".join(_mail(n) for n in range(4_000)))
    with served(tmp_path) as server:
        server.ask("POST", "/v1/imports", body, media=media)
        server.process.kill()
        server.process.wait()
    assert [one.name for one in (tmp_path / "uploads").rglob("*.mbox")] == ["in.mbox"]

    own = {"SIMONIDES_HOME": str(tmp_path), "SIMONIDES_EMBEDDER": "none"}
    with Memory(tmp_path, space="alice", settings=Settings(embedder="none")) as memory:
        memory.add("of the zorkmid mail")
    run = subprocess.run(
        [BINARY, "erase", "--everything", "--space", "alice", "--yes", "--json"],
        env={**os.environ, **own}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert json.loads(run.stdout)["complete"]
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert [one.name for one in files if b"zorkmid" in one.read_bytes()] == []


def _mail(n: int) -> bytes:
    """Return one of many mails, for an import that takes longer than a kill."""
    return MAIL.replace(b"<m1@", b"<m%d@" % n).replace(b"Alpha deadline", b"zorkmid %d" % n)
