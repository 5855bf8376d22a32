"""The scripted model in this process: it says what it was told to say, and notes who asked."""

from itertools import repeat

import pytest

from simonides.errors import ModelError, ModelTimeout
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, ToolCall
from simonides.model.chat_role import ChatRole
from simonides_bench.testing.scripted import ScriptedChatModel

ASKED = ModelRequest(messages=(ChatMessage(role=ChatRole.USER, content="Who?"),))


def test_replies_come_in_their_order_and_requests_are_noted() -> None:
    model = ScriptedChatModel([ModelReply(content="one"), ModelReply(content="two")])

    assert [model.complete(ASKED).content for _ in range(2)] == ["one", "two"]
    assert model.requests == [ASKED, ASKED]


def test_a_function_makes_the_reply_of_the_request() -> None:
    model = ScriptedChatModel(
        repeat(lambda request: ModelReply(content=request.messages[-1].content.upper()))
    )

    assert model.complete(ASKED).content == "WHO?"
    assert model.complete(ASKED).content == "WHO?"


def test_an_error_is_raised_and_the_script_goes_on() -> None:
    model = ScriptedChatModel([ModelTimeout("too slow"), ModelReply(content="now")])

    with pytest.raises(ModelTimeout, match="too slow"):
        model.complete(ASKED)
    assert model.complete(ASKED).content == "now"


def test_past_the_scripts_end_it_says_so() -> None:
    with pytest.raises(ModelError, match="no reply to request 1"):
        ScriptedChatModel([]).complete(ASKED)


@pytest.mark.parametrize(
    ("content", "words"),
    [("One  two\nthree ", ["One  ", "two\n", "three "]), ("", []), (" \n", [" \n"]), ("x", ["x"])],
)
def test_words_are_reported_with_their_white_space(content: str, words: list[str]) -> None:
    reported: list[str] = []
    ScriptedChatModel([ModelReply(content=content)]).complete(ASKED, on_text=reported.append)

    assert reported == words


def test_cancelling_keeps_the_words_told_and_drops_the_calls() -> None:
    reported: list[str] = []
    call = ToolCall(id="a", name="f", arguments="{}")
    model = ScriptedChatModel([ModelReply(content="one two three", tool_calls=(call,))])
    reply = model.complete(ASKED, on_text=reported.append, is_cancelled=lambda: len(reported) == 2)

    assert reply == ModelReply(content="one two ", model="scripted")


def test_a_replys_own_model_stands_and_others_get_its_name() -> None:
    model = ScriptedChatModel([ModelReply(model="other"), ModelReply(is_cut=True)], name="mine")

    assert model.complete(ASKED).model == "other"
    assert model.complete(ASKED) == ModelReply(model="mine", is_cut=True)
    assert model.name == "mine"


def test_closing_is_noted() -> None:
    model = ScriptedChatModel([])
    model.close()

    assert model.is_closed
