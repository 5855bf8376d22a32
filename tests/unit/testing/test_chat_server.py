"""The scripted server over real HTTP: what a client of either protocol sees."""

import json
import threading
from collections.abc import Callable
from threading import Event
from typing import Any

import httpx2
import pytest

from simonides.model.chat import ModelReply, ToolCall, Usage
from simonides_bench.testing.chat_script import AskedOver, Broken, Held, Raw, Refusal
from simonides_bench.testing.chat_server import ChatServer
from simonides_bench.testing.chat_wires import halves, words

CALLS = (
    ToolCall(id="a", name="search", arguments='{"q": 1}'),
    ToolCall(id="b", name="search", arguments='{"q": 2}'),
)
REPLY = ModelReply(
    content="Let me look.",
    tool_calls=CALLS,
    usage=Usage(prompt_tokens=5, completion_tokens=2),
)
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}


def post(server: ChatServer, path: str = PATHS["openai"], **body: Any) -> httpx2.Response:
    asked = {"model": "m", "messages": [{"role": "user", "content": "Who?"}]} | body
    url = f"http://127.0.0.1:{server.port}{path}"
    return httpx2.post(url, json=asked, timeout=20.0, trust_env=False)


def events(response: httpx2.Response) -> list[Any]:
    data = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    return [json.loads(each) for each in data if each != "[DONE]"]


def test_a_whole_completion_has_openais_form() -> None:
    with ChatServer([REPLY]) as server:
        body = post(server).json()
    choice = body["choices"][0]

    assert body["object"] == "chat.completion"
    assert body["model"] == "m"
    assert choice["message"]["content"] == "Let me look."
    assert [call["function"]["arguments"] for call in choice["message"]["tool_calls"]] == [
        '{"q": 1}',
        '{"q": 2}',
    ]
    assert choice["finish_reason"] == "tool_calls"
    assert body["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (ModelReply(content="x"), "stop"),
        (ModelReply(is_cut=True), "length"),
        (REPLY, "tool_calls"),
    ],
)
def test_the_reason_to_finish_follows_from_the_reply(reply: ModelReply, reason: str) -> None:
    with ChatServer([reply, reply]) as server:
        whole = post(server).json()["choices"][0]
        last = events(post(server, stream=True))[-1]["choices"][0]

    assert whole["finish_reason"] == last["finish_reason"] == reason


def test_missing_usage_is_missing() -> None:
    with ChatServer([ModelReply(content="x")] * 3) as server:
        assert "usage" not in post(server).json()
        assert "usage" not in post(server, PATHS["anthropic"]).json()
        counted = post(server, stream=True, stream_options={"include_usage": True})

        assert [event for event in events(counted) if "usage" in event] == []


def test_a_stream_comes_in_words_and_halves_of_arguments_and_ends_with_done() -> None:
    with ChatServer([REPLY]) as server:
        response = post(server, stream=True)
    deltas = [event["choices"][0]["delta"] for event in events(response)]
    parts = [call for delta in deltas for call in delta.get("tool_calls", ())]

    assert response.headers["content-type"] == "text/event-stream"
    assert [delta["content"] for delta in deltas if delta.get("content")] == [
        "Let ", "me ", "look.",
    ]  # fmt: skip
    assert [part["index"] for part in parts] == [0, 0, 0, 1, 1, 1]
    assert "".join(part["function"].get("arguments", "") for part in parts) == '{"q": 1}{"q": 2}'
    assert response.text.endswith("data: [DONE]\n\n")


def test_a_stream_tells_its_usage_only_if_asked() -> None:
    with ChatServer([REPLY, REPLY]) as server:
        without = events(post(server, stream=True))
        counted = events(post(server, stream=True, stream_options={"include_usage": True}))

    assert [event for event in without if "usage" in event] == []
    assert counted[-1]["choices"] == []
    assert counted[-1]["usage"]["total_tokens"] == 7


def test_a_whole_message_has_anthropics_form() -> None:
    with ChatServer([REPLY]) as server:
        body = post(server, PATHS["anthropic"]).json()

    assert [block["type"] for block in body["content"]] == ["text", "tool_use", "tool_use"]
    assert body["content"][1]["input"] == {"q": 1}
    assert body["stop_reason"] == "tool_use"
    assert body["usage"] == {"input_tokens": 5, "output_tokens": 2}


def test_a_streamed_message_opens_and_closes_each_block() -> None:
    with ChatServer([REPLY]) as server:
        reported = events(post(server, PATHS["anthropic"], stream=True))
    kinds = [event["type"] for event in reported]
    opened = [event["index"] for event in reported if event["type"] == "content_block_start"]
    closed = [event["index"] for event in reported if event["type"] == "content_block_stop"]

    assert (kinds[0], kinds[-2:]) == ("message_start", ["message_delta", "message_stop"])
    assert opened == closed == [0, 1, 2]


@pytest.mark.parametrize("path", PATHS.values())
def test_a_refusal_has_its_status_its_words_and_its_wish(path: str) -> None:
    with ChatServer([Refusal(status=429, message="slow", retry_after_s=2.5), Refusal()]) as server:
        refused, plain = post(server, path), post(server, path)

    assert refused.status_code == 429
    assert refused.json()["error"]["message"] == "slow"
    assert refused.headers["retry-after"] == "2.5"
    assert "retry-after" not in plain.headers


def test_a_held_answer_comes_when_it_is_released() -> None:
    until = Event()
    held = Held(until=until, reply=ModelReply(content="at last"))
    with ChatServer([held]) as server:
        answers: list[httpx2.Response] = []
        asking = threading.Thread(target=lambda: answers.append(post(server)))
        asking.start()
        asking.join(0.05)
        assert answers == []
        until.set()
        asking.join(10)

    assert answers[0].json()["choices"][0]["message"]["content"] == "at last"


def test_leaving_releases_what_is_held() -> None:
    with ChatServer([Held(until=Event())]) as server:
        asking = threading.Thread(target=lambda: post(server))
        asking.start()
        while not server.requests:
            asking.join(0.01)
    asking.join(10)

    assert not asking.is_alive()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("path", PATHS.values())
def test_a_broken_answer_is_seen_as_cut(path: str, stream: bool) -> None:
    with (
        ChatServer([Broken(reply=REPLY)]) as server,
        pytest.raises(httpx2.RemoteProtocolError, match="incomplete"),
    ):
        post(server, path, stream=stream)


def test_garbage_comes_after_the_first_pieces() -> None:
    with ChatServer([Broken(reply=REPLY, pieces=1, garbage="{no")]) as server:
        text = post(server, stream=True).text

    assert text.count("data: ") == 2
    assert text.endswith("data: {no\n\n")


def test_raw_bytes_come_as_they_are() -> None:
    raw = Raw(chunks=[b"a", b"", b"\xff"], status=203, content_type="text/odd")
    with ChatServer([raw]) as server:
        response = post(server)

    assert (response.status_code, response.content) == (203, b"a\xff")
    assert response.headers["content-type"] == "text/odd"


def test_requests_are_noted_with_path_headers_and_body() -> None:
    with ChatServer([REPLY]) as server:
        post(server, stream=True)
        (asked,) = server.requests

    assert asked.path == PATHS["openai"]
    assert asked.headers["content-type"] == "application/json"
    assert asked.last == "Who?"
    assert asked.streams


def echoing(asked: AskedOver) -> ModelReply:
    return ModelReply(content=f"you said {asked.last}")


@pytest.mark.parametrize("script", [echoing, [echoing]])
def test_a_function_answers_the_request(script: Callable[[AskedOver], ModelReply]) -> None:
    with ChatServer(script) as server:
        said = post(server).json()["choices"][0]["message"]["content"]

    assert said == "you said Who?"


def test_past_the_scripts_end_and_elsewhere_it_says_so() -> None:
    with ChatServer([]) as server:
        over, elsewhere = post(server), post(server, "/v1/elsewhere")

    assert over.status_code == 410
    assert "no answer to request 1" in over.text
    assert elsewhere.status_code == 404


def test_it_says_that_it_runs() -> None:
    with ChatServer([]) as server:
        health = httpx2.get(f"http://127.0.0.1:{server.port}/health", trust_env=False)

    assert health.json() == {"status": "ok"}


def test_words_and_halves_lose_nothing() -> None:
    assert "".join(words(" a  b\n")) == " a  b\n"
    assert halves("abc") == ("a", "bc")
