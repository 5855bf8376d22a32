"""The laws of `ports.chat.ChatModel`, for every adapter and for the stand-in that tests use."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import repeat
from threading import Event
from typing import Any

import pytest

from simonides.errors import ModelError
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, ToolCall, ToolSchema, Usage
from simonides.model.chat_role import ChatRole
from simonides.models.chat.anthropic import AnthropicChatModel
from simonides.models.chat.gguf import LocalChatModel
from simonides.models.chat.openai import OpenAIChatModel
from simonides.ports.models import ChatModel
from simonides_bench.testing.chat_script import Refusal
from simonides_bench.testing.chat_server import ChatServer
from simonides_bench.testing.scripted import ScriptedChatModel

Make = Callable[..., ChatModel]

USER = ChatMessage(role=ChatRole.USER, content="What did Sarah send me?")
SEARCH = ToolSchema(name="search", description="Searches.", parameters={"type": "object"})
CALLS = (
    ToolCall(id="c1", name="search", arguments='{"query": "Sarah"}'),
    ToolCall(id="c2", name="search", arguments='{"query": "Ben"}'),
)
CONVERSATION = (
    ChatMessage(role=ChatRole.SYSTEM, content="Be brief."),
    USER,
    ChatMessage(role=ChatRole.ASSISTANT, tool_calls=CALLS),
    ChatMessage(role=ChatRole.TOOL, tool_call_id="c1", content='{"found": 1}'),
    ChatMessage(role=ChatRole.TOOL, tool_call_id="c2", content=""),
)
TEXT = "She sent the plan:\n\n  two pages, été 🙂."


class Runtime:
    """Stands in for `xllamacpp`: its server is the scripted one."""

    def __init__(self, server: ChatServer) -> None:
        self.listening_address = server.base_url.removesuffix("/v1")

    class CommonParams:
        """Takes whatever is set."""

        def __getattr__(self, name: str) -> Any:
            setattr(self, name, type("Group", (), {})())
            return getattr(self, name)

    def Server(self, _: Any) -> "Runtime":  # noqa: N802 - the name in xllamacpp
        return self


@pytest.fixture(params=["scripted", "openai", "anthropic", "local"])
def make(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Make]:
    """Return a maker of models that give these replies."""
    with ExitStack() as opened:

        def made(*replies: Any) -> ChatModel:
            if request.param == "scripted":
                return ScriptedChatModel(
                    ModelError("no") if one is None else one for one in replies
                )
            steps = (Refusal(status=400) if one is None else one for one in replies)
            model = served(request.param, opened.enter_context(ChatServer(steps)))
            opened.callback(model.close)
            return model

        def served(adapter: str, server: ChatServer) -> ChatModel:
            if adapter == "anthropic":
                return AnthropicChatModel("scripted", "", base_url=server.anthropic_url)
            if adapter == "openai":
                return OpenAIChatModel(server.base_url, "scripted", "")
            (tmp_path / "scripted.gguf").write_bytes(b"GGUF")
            return LocalChatModel(tmp_path / "scripted.gguf", runtime=Runtime(server))

        yield made


def asked(*messages: ChatMessage, **fields: Any) -> ModelRequest:
    return ModelRequest(messages=messages or (USER,), **{"timeout_s": 20.0} | fields)


def both_ways(make: Make, reply: ModelReply, request: ModelRequest) -> Iterator[ModelReply]:
    """Yield the answer as a whole and as a stream."""
    model = make(reply, reply)
    yield model.complete(request)
    yield model.complete(request, on_text=lambda _: None)


def test_it_has_a_name_and_is_a_chat_model(make: Make) -> None:
    model = make()

    assert isinstance(model, ChatModel)
    assert model.name == "scripted"


def test_what_the_model_says_is_the_content_both_ways(make: Make) -> None:
    for reply in both_ways(make, ModelReply(content=TEXT), asked()):
        assert reply.content == TEXT
        assert reply.tool_calls == ()
        assert reply.model == "scripted"
        assert not reply.is_cut


def test_the_pieces_that_are_told_add_up_to_the_content(make: Make) -> None:
    reported: list[str] = []
    reply = make(ModelReply(content=TEXT)).complete(asked(), on_text=reported.append)

    assert len(reported) > 1
    assert "".join(reported) == reply.content == TEXT


def test_an_answer_may_be_empty(make: Make) -> None:
    for reply in both_ways(make, ModelReply(), asked()):
        assert reply.content == ""
        assert reply.tool_calls == ()


def test_parallel_calls_come_in_their_order_both_ways(make: Make) -> None:
    said = ModelReply(content="Let me look.", tool_calls=CALLS)
    for reply in both_ways(make, said, asked(tools=(SEARCH,))):
        assert reply.tool_calls == CALLS
        assert reply.content == "Let me look."


def test_a_conversation_with_calls_and_results_is_taken(make: Make) -> None:
    for reply in both_ways(make, ModelReply(content="Done."), asked(*CONVERSATION)):
        assert reply.content == "Done."


def test_arguments_that_were_no_json_are_taken_back(make: Make) -> None:
    wrong = ToolCall(id="c1", name="search", arguments='{"query": ')
    said = ChatMessage(role=ChatRole.ASSISTANT, tool_calls=(wrong,))
    result = ChatMessage(role=ChatRole.TOOL, tool_call_id="c1", content="that is no JSON")
    for reply in both_ways(make, ModelReply(content="Sorry."), asked(USER, said, result)):
        assert reply.content == "Sorry."


def test_usage_is_what_the_endpoint_counted(make: Make) -> None:
    usage = Usage(prompt_tokens=12, completion_tokens=3)
    for reply in both_ways(make, ModelReply(content="Yes.", usage=usage), asked()):
        assert reply.usage == usage


def test_usage_that_was_not_counted_is_none(make: Make) -> None:
    for reply in both_ways(make, ModelReply(content="Yes."), asked()):
        assert reply.usage is None


def test_an_answer_cut_at_its_bound_says_so(make: Make) -> None:
    for reply in both_ways(make, ModelReply(content="On the", is_cut=True), asked(tokens_max=2)):
        assert reply.is_cut
        assert reply.content == "On the"


def test_a_cancelled_answer_is_what_came_so_far_without_calls(make: Make) -> None:
    reported: list[str] = []
    reply = make(ModelReply(content=TEXT, tool_calls=CALLS)).complete(
        asked(), on_text=reported.append, is_cancelled=lambda: len(reported) >= 2
    )

    assert reply.content == "".join(reported)
    assert TEXT.startswith(reply.content)
    assert 0 < len(reply.content) < len(TEXT)
    assert reply.tool_calls == ()


def test_a_failure_is_a_model_error(make: Make) -> None:
    model = make(None, ModelReply(content="Yes."))

    with pytest.raises(ModelError):
        model.complete(asked())
    assert model.complete(asked()).content == "Yes."


def test_what_the_listener_raises_is_raised(make: Make) -> None:
    def listener(_: str) -> None:
        raise LookupError("the listener's own")

    with pytest.raises(LookupError, match="the listener's own"):
        make(ModelReply(content=TEXT)).complete(asked(), on_text=listener)


def test_lone_surrogates_do_no_harm(make: Make) -> None:
    odd = ChatMessage(role=ChatRole.USER, content="half \ud83d of it")

    assert make(ModelReply(content="Yes.")).complete(asked(odd)).content == "Yes."


def test_threads_may_share_it(make: Make) -> None:
    model = make(*repeat(ModelReply(content="Yes, of course."), 8))
    begin = Event()

    def ask(_: int) -> str:
        begin.wait(5)
        return model.complete(asked(), on_text=lambda _: None).content

    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(ask, range(8))
        begin.set()

        assert list(answers) == ["Yes, of course."] * 8
