"""Who leaves: a caller that hangs up ends its turn, a server that stops ends what runs first."""

import json
import threading
import urllib.request
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply

WAIT_S = 30.0
PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")


@pytest.mark.parametrize("stream", [True, False])
def test_a_caller_that_hangs_up_ends_its_turn(
    live: Any, monkeypatch: pytest.MonkeyPatch, stream: bool
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
    live: Any, monkeypatch: pytest.MonkeyPatch
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


def test_a_server_that_stopped_has_closed_everything(live: Any) -> None:
    url = f"http://127.0.0.1:{live.port}/health/ready"
    with urllib.request.urlopen(url, timeout=WAIT_S) as got:
        assert json.load(got) == {"status": "ready", "working_memory": "own"}

    live.stop()
    live.thread.join(WAIT_S)

    assert live.server.is_stopping
    names = {one.name for one in threading.enumerate()}
    assert not any(name.startswith("simonides-") and "aio" not in name for name in names)


def test_readiness_ends_as_soon_as_the_stop_begins(open_site: Any) -> None:
    with open_site() as site:
        before = site.ask("GET", "/health/ready")
        site.server.begin_stop()

        assert before.status_code == 200
        assert site.ask("GET", "/health/ready").status_code == 503
        assert site.ask("GET", "/health/live").status_code == 200
        assert not site.server.is_stopping  # what runs may end
