"""OpenAI's own client at the real binary, whose endpoint is played over real HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.model.chat import ModelReply, ToolCall, Usage
from simonides_bench.testing.chat_script import AskedOver, Broken, Raw, Refusal
from simonides_bench.testing.chat_server import ChatServer

openai = pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("prometheus_client", reason="needs the extra server")

BINARY: Final = Path(sys.executable).with_name("simonides")
ALPHA: Final = "The Alpha deadline moved to Friday."
WHEN: Final = "When is the Alpha deadline?"
CHUNK: Final = (
    b'data: {"id":"x","object":"chat.completion.chunk","created":0,"model":"m","choices":'
    b'[{"index":0,"delta":{"content":"more "},"finish_reason":null}]}\n\n'
)


class Door:
    """A running server, the endpoint behind it, and the keys of two people."""

    def __init__(self, url: str, memory: Memory, endpoint: ChatServer, script: list[Any]) -> None:
        self.memory = memory
        self.endpoint = endpoint
        self.script = script
        self._url = f"{url}/openai/v1"
        self._keys = {name: memory.keys.create(space=name).key for name in ("alice", "bob")}

    def client(self, name: str = "alice") -> Any:
        """Return OpenAI's client with somebody's key."""
        return openai.OpenAI(base_url=self._url, api_key=self._keys[name], max_retries=0)

    def ask(self, *contents: str, name: str = "alice", session: str = "", **more: Any) -> Any:
        """Return what the client gets for a conversation whose last word is the user's."""
        roles = ("user", "assistant")
        messages = [{"role": roles[n % 2], "content": said} for n, said in enumerate(contents)]
        headers = {"X-Session-Id": session} if session else {}
        with self.client(name) as client:
            got = client.chat.completions.create(
                model="simonides", messages=messages, extra_headers=headers, **more
            )
            return list(got) if more.get("stream") else got

    @property
    def sent(self) -> str:
        """The last message that went on to the endpoint."""
        return str(self.endpoint.requests[-1].last)

    def kept(self, session: str, name: str = "alice") -> list[str]:
        items = self.memory.in_space(name).sessions.messages(session).items
        return [one.content for one in items]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    home, script = tmp_path_factory.mktemp("openai") / "home", list[Any]()

    def step(asked: AskedOver) -> Any:
        made = script.pop(0) if script else ModelReply(content="Noted.")
        return made(asked) if callable(made) else made

    with ChatServer(step) as endpoint:
        own = {
            "SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none",
            "SIMONIDES_CHAT_PROVIDER": "openai", "SIMONIDES_CHAT_BASE_URL": endpoint.base_url,
            "SIMONIDES_CHAT_MODEL": "tiny", "SIMONIDES_CHAT_API_KEY": "upstream-key",
            "SIMONIDES_TIMEZONE": "UTC",
        }  # fmt: skip
        with subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--json"], env={**os.environ, **own},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                assert process.stdout is not None
                url = json.loads(process.stdout.readline())["url"]
                with Memory(home, settings=Settings(embedder="none", timezone="UTC")) as memory:
                    yield Door(url, memory, endpoint, script)
                process.terminate()
                _, said = process.communicate(timeout=30)

                assert (process.returncode, said) == (0, "")
            finally:
                process.kill()


def test_two_turns_are_remembered_in_a_third_conversation(door: Door) -> None:
    door.ask(ALPHA, session="first")
    door.ask(ALPHA, "Noted.", "Sarah said so.", session="first")
    door.script.append(ModelReply(content="On Friday.", usage=Usage(prompt_tokens=9)))
    got = door.ask(WHEN, session="second")

    assert got.choices[0].message.content == "On Friday."
    assert ALPHA in door.sent
    assert door.sent.endswith(WHEN)
    door.ask("Thanks", session="third")  # by now everything before is kept
    assert door.kept("first") == [ALPHA, "Noted.", "Sarah said so.", "Noted."]
    assert door.kept("second") == [WHEN, "On Friday."]


def test_a_stream_is_one_and_is_kept(door: Door) -> None:
    door.script.append(ModelReply(content="one two three"))
    pieces = [
        piece.choices[0].delta.content or ""
        for piece in door.ask("Count", session="streamed", stream=True)
    ]

    assert len(pieces) > 2
    assert "".join(pieces) == "one two three"
    door.ask("Thanks", session="after")
    assert door.kept("streamed") == ["Count", "one two three"]


def test_tools_of_the_client_are_called_by_the_client(door: Door) -> None:
    call = ToolCall(id="c1", name="look", arguments='{"a": 1}')
    door.script.append(ModelReply(tool_calls=(call,)))
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    got = door.ask("Look", tools=tools)

    assert got.choices[0].finish_reason == "tool_calls"
    assert got.choices[0].message.tool_calls[0].function.arguments == '{"a": 1}'
    assert door.endpoint.requests[-1].body["tools"] == tools


@pytest.mark.parametrize(
    ("status", "error"), [(429, "RateLimitError"), (500, "InternalServerError")]
)
def test_refusals_of_the_endpoint_are_the_clients_own_errors(
    door: Door, status: int, error: str
) -> None:
    door.script.append(Refusal(status=status, message="not now"))
    with pytest.raises(getattr(openai, error), match="not now"):
        door.ask("Hello")


def test_a_broken_stream_is_an_error_and_not_an_end(door: Door) -> None:
    door.script.append(Broken(reply=ModelReply(content="one two three four"), pieces=2))
    with pytest.raises(openai.APIError, match="broke off"):
        door.ask("Hello", stream=True, session="broken")

    door.ask("Thanks", session="after")
    assert door.kept("broken") == ["Hello"]


def test_who_leaves_ends_the_stream_at_the_endpoint_too(door: Door) -> None:
    ended = Event()

    def endless(_: AskedOver) -> Raw:
        return Raw(chunks=chunks(), content_type="text/event-stream")

    def chunks() -> Iterator[bytes]:
        try:
            while True:
                yield CHUNK
        finally:
            ended.set()

    door.script.append(endless)
    with door.client() as client:
        stream = client.chat.completions.create(
            model="tiny", messages=[{"role": "user", "content": "Hello"}], stream=True
        )
        next(iter(stream))
        stream.close()

    assert ended.wait(timeout=30)


def test_two_keys_share_nothing(door: Door) -> None:
    door.ask("My secret is Rosebud.", name="bob", session="s")
    door.ask("What is my secret?", name="alice", session="s")

    assert "Rosebud" not in door.sent
    door.ask("What is my secret?", name="bob", session="other")
    assert "Rosebud" in door.sent


def test_keys_stay_where_they_belong(door: Door) -> None:
    door.ask("Hello")
    headers = door.endpoint.requests[-1].headers

    assert headers["authorization"] == "Bearer upstream-key"
    with pytest.raises(openai.AuthenticationError), door.client() as client:
        client.with_options(api_key="sim_wrong").models.list()


def test_models_are_listed(door: Door) -> None:
    with door.client() as client:
        assert [one.id for one in client.models.list()] == ["tiny"]
