"""Replies in both formats, whole and in pieces: whatever is scripted, the client gets just that."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.model.chat import ModelReply, ToolCall, Usage
from simonides_bench.testing.chat_script import AskedOver, Following, Refusal
from simonides_bench.testing.chat_server import ChatServer
from simonides_bench.testing.chat_wires import DONE, Completions, Messages, halves, words

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
calls = st.builds(
    ToolCall,
    id=st.from_regex(r"[a-z]{1,5}", fullmatch=True),
    name=st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
    arguments=st.dictionaries(texts, texts, max_size=2).map(json.dumps),
)
replies = st.builds(
    ModelReply,
    content=texts,
    tool_calls=st.lists(calls, max_size=3).map(tuple),
    usage=st.none()
    | st.builds(Usage, prompt_tokens=st.integers(0, 99), completion_tokens=st.integers(0, 99)),
    is_cut=st.booleans(),
)


def asked(**body: Any) -> AskedOver:
    return AskedOver(path="/", headers={}, body={"model": "m", **body})


def data(event: str) -> Any:
    line = next(one for one in event.split("\n") if one.startswith("data: "))
    return json.loads(line[6:])


@given(texts)
def test_words_and_halves_joined_are_the_text(text: str) -> None:
    assert "".join(words(text)) == text
    assert "".join(halves(text)) == text
    assert abs(len(halves(text)[0]) - len(halves(text)[1])) <= 1


@given(replies)
def test_the_pieces_of_a_completion_are_the_whole_of_it(reply: ModelReply) -> None:
    wire = Completions()
    *events, done = wire.events(reply, asked(stream_options={"include_usage": True}))
    chunks = [data(one) for one in events]
    deltas = [one["choices"][0]["delta"] for one in chunks if one["choices"]]
    message = wire.whole(reply, asked())["choices"][0]["message"]

    assert done == DONE
    assert "".join(one.get("content", "") for one in deltas) == (message["content"] or "")
    arguments = ["" for _ in reply.tool_calls]
    for call in (call for one in deltas for call in one.get("tool_calls", ())):
        arguments[call["index"]] += call["function"].get("arguments", "")
    assert arguments == [one["function"]["arguments"] for one in message.get("tool_calls", ())]
    assert sum("usage" in one for one in chunks) == (reply.usage is not None)


@given(replies)
def test_the_pieces_of_a_message_are_the_whole_of_it(reply: ModelReply) -> None:
    wire = Messages()
    events = [data(one) for one in wire.events(reply, asked())]
    blocks: dict[int, Any] = {}
    for one in events:
        if one["type"] == "content_block_start":
            blocks[one["index"]] = one["content_block"] | {"said": ""}
        if one["type"] == "content_block_delta":
            delta = one["delta"]
            blocks[one["index"]]["said"] += delta.get("text", "") + delta.get("partial_json", "")
    whole = wire.whole(reply, asked())

    assert [one["type"] for one in (events[0], events[-1])] == ["message_start", "message_stop"]
    assert list(blocks) == list(range(len(whole["content"])))
    for got, wanted in zip(blocks.values(), whole["content"], strict=True):
        said = got["said"] if got["type"] == "text" else json.loads(got["said"])
        assert said == (wanted["text"] if got["type"] == "text" else wanted["input"])
    assert events[-2]["delta"]["stop_reason"] == whole["stop_reason"]


@given(replies)
def test_an_event_is_ended_by_a_blank_line_and_holds_no_other(reply: ModelReply) -> None:
    for wire in (Completions(), Messages()):
        for event in wire.events(reply, asked()):
            assert event.endswith("\n\n")
            assert "\n\n" not in event[:-2]
            assert "\r" not in event


def test_usage_is_streamed_only_to_who_asks_for_it() -> None:
    reply = ModelReply(content="x", usage=Usage(prompt_tokens=1, completion_tokens=2))
    for options in ({}, {"stream_options": None}, {"stream_options": {"include_usage": False}}):
        assert not any('"usage"' in one for one in Completions().events(reply, asked(**options)))


def test_a_reply_names_its_model_or_else_the_one_that_was_asked() -> None:
    for wire in (Completions(), Messages()):
        assert wire.whole(ModelReply(content="x"), asked())["model"] == "m"
        assert wire.whole(ModelReply(content="x", model="own"), asked())["model"] == "own"


# ── scripts ──────────────────────────────────────────────────────────────────────────────────────


def test_a_script_is_followed_in_its_order_and_then_says_that_it_is_over() -> None:
    one, other = ModelReply(content="one"), ModelReply(content="other")
    following = Following([one, lambda _: other])

    assert [following.step(asked()), following.step(asked())] == [one, other]
    over = following.step(asked())
    assert isinstance(over, Refusal)
    assert (over.status, over.message) == (410, "the script holds no answer to request 3")
    assert len(following.requests) == 3


def test_one_function_answers_for_ever_by_what_is_asked() -> None:
    following = Following(lambda one: ModelReply(content=one.body["model"]))

    assert [following.step(asked(model=name)) for name in "ab"] == [
        ModelReply(content="a"), ModelReply(content="b"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "streams", "last"),
    [({}, False, ""), ({"stream": True, "messages": []}, True, ""), ({"stream": 1}, False, ""),
     ({"messages": [{"content": "a"}, {"content": "b"}]}, False, "b"),
     ({"messages": [{"role": "user"}]}, False, "")],
)  # fmt: skip
def test_a_request_says_what_was_said_last_and_whether_it_streams(
    body: dict[str, Any], last: str, *, streams: bool
) -> None:
    one = AskedOver(path="/", headers={}, body=body)

    assert (one.streams, one.last) == (streams, last)


# ── over the wire ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/chat/completions", "/messages"])
@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused_in_words_and_takes_no_step(
    path: str, body: bytes
) -> None:
    with ChatServer([ModelReply(content="still here")]) as server:
        url = f"{server.base_url}{path}"
        got = httpx2.post(url, content=body, timeout=20.0, trust_env=False)
        after = httpx2.post(url, json={"messages": []}, timeout=20.0, trust_env=False)

    assert got.status_code == 400
    assert "JSON object" in got.json()["error"]["message"]
    assert after.status_code == 200
    assert len(server.requests) == 1
