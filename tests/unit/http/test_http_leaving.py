"""Who leaves: a caller that hangs up ends its turn, a server that stops ends what runs first."""

import json
import queue
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.http import server as server_module
from simonides.http.app import make_server
from simonides.http.server import serve
from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply

WAIT_S = 30.0
PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")


class Live:
    """A server on a real socket, in a thread of this process."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made: queue.Queue[Any] = queue.Queue()
        ports: queue.Queue[int] = queue.Queue()
        plain = server_module._Uvicorn

        class Seen(plain):  # type: ignore[valid-type,misc]  # the class is a variable here
            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(*given, **named)
                made.put(self)

        monkeypatch.setattr(server_module, "_Uvicorn", Seen)
        self.server = make_server(Memory(home, settings=PLAIN), uploads=home / "uploads")
        self.thread = threading.Thread(
            target=serve, args=(self.server,),
            kwargs={"host": "127.0.0.1", "port": 0, "on_ready": ports.put},
        )  # fmt: skip
        self.thread.start()
        self._running = made.get(timeout=WAIT_S)
        self.port = ports.get(timeout=WAIT_S)

    def stop(self) -> None:
        """Have it stop, as SIGTERM does; does not wait."""
        self._running.should_exit = True

    def send(self, path: str, body: Any) -> socket.socket:
        """Send a request and return the open connection."""
        sent = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n"
        )
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)
        connection.sendall(head.encode() + sent)
        return connection


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    made = Live(tmp_path / "home", monkeypatch)
    yield made
    made.stop()
    made.thread.join(WAIT_S)

    assert not made.thread.is_alive()


@pytest.mark.parametrize("stream", [True, False])
def test_a_caller_that_hangs_up_ends_its_turn(
    live: Live, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    began, ended, never = threading.Event(), threading.Event(), threading.Event()

    def endless(_: Any, message: str, *, on_event: Any, is_cancelled: Any, **__: Any) -> ChatReply:
        began.set()
        while not is_cancelled():
            if on_event:
                on_event(ChatEvent(kind=ChatEventKind.TEXT, text="more"))
            never.wait(0.01)
        ended.set()
        return ChatReply(message=message, session_id="s")

    monkeypatch.setattr(Memory, "chat", endless)
    with live.send("/v1/chat", {"message": "hello", "stream": stream}) as connection:
        assert began.wait(WAIT_S)
        if stream:
            assert connection.recv(100).startswith(b"HTTP/1.1 200")

    assert ended.wait(WAIT_S)


def test_what_runs_is_answered_before_the_server_stops(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()
    plain = Memory.add

    def slow(self: Memory, *given: Any, **named: Any) -> Any:
        began.set()
        assert go_on.wait(WAIT_S)
        return plain(self, *given, **named)

    monkeypatch.setattr(Memory, "add", slow)
    with live.send("/v1/items", {"content": "kept in the end"}) as connection:
        assert began.wait(WAIT_S)
        live.stop()
        go_on.set()
        answer = connection.recv(4000)
    live.thread.join(WAIT_S)

    assert answer.startswith(b"HTTP/1.1 201")
    with Memory(live.server.uploads.parent, settings=PLAIN) as memory:
        assert memory.search("kept").hits[0].item.content == "kept in the end"


def test_a_server_that_stopped_has_closed_everything(live: Live) -> None:
    url = f"http://127.0.0.1:{live.port}/health/ready"
    with urllib.request.urlopen(url, timeout=WAIT_S) as got:
        assert json.load(got) == {"status": "ready"}

    live.stop()
    live.thread.join(WAIT_S)

    assert live.server.is_stopping
    names = {one.name for one in threading.enumerate()}
    assert not any(name.startswith("simonides-") and "aio" not in name for name in names)
