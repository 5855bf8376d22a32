"""Where a turn ends before the model does: tokens, time, whoever takes it back."""

import threading
from collections.abc import Callable
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pytest

from simonides.assistant.loop import ANSWER_TOKENS, ESTIMATED, LoopLimits, TurnBudget
from simonides.assistant.results import Bounds
from simonides.assistant.tools import call_all, tool
from simonides.errors import ModelTimeout
from simonides.model.chat import ChatMessage, ModelReply, Stop, ToolCall, Usage
from simonides.model.chat_role import ChatRole
from simonides_bench.testing.scripted import ScriptedChatModel

if TYPE_CHECKING:
    from tests.unit.assistant.conftest import Desk

ALPHA = "When is Alpha due?"
BOUNDS = Bounds(tokens_max=1000, encoding="cl100k_base", timezone="UTC")


class Ticks:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    """Put a clock of the test's own into every turn."""
    made = Ticks()
    monkeypatch.setattr("simonides.api.chat.monotonic", made)
    return made


def meter(
    ticks: Ticks, *, cancelled: Callable[[], bool] = lambda: False, **limits: Any
) -> TurnBudget:
    return TurnBudget(LoopLimits(**limits), monotonic=ticks, is_cancelled=cancelled)


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────


def test_a_turn_ends_once_its_tokens_are_used_up(open_desk: "Callable[..., Desk]") -> None:
    desk = open_desk(chat_tokens_max=3000)
    asked = desk.said("", desk.call("retrieve_context", query="Alpha"), tokens=2000)
    reply = desk.chat(ALPHA, ever=repeat(asked))

    assert (reply.stop, reply.calls, reply.tokens_used) == (Stop.TOKENS, 2, 4000)
    assert reply.message.startswith("The tokens of this turn were used up before the model")
    assert "[1] GMAIL" in reply.message
    assert desk.heard == reply.message


def test_a_prompt_that_takes_all_tokens_is_not_sent(open_desk: "Callable[..., Desk]") -> None:
    desk = open_desk(chat_tokens_max=50)
    reply = desk.chat(ALPHA)

    assert (reply.stop, reply.calls, desk.requests) == (Stop.TOKENS, 0, [])


def test_an_answer_is_bounded_where_few_tokens_are_left(open_desk: "Callable[..., Desk]") -> None:
    desk = open_desk(chat_tokens_max=2000)
    desk.chat(ALPHA, "Friday.")
    assert 0 < desk.requests[0].tokens_max < 2000

    open_desk(chat_tokens_max=20_000).chat(ALPHA, "Friday.")
    desk = open_desk()
    desk.chat(ALPHA, "Friday.")
    assert desk.requests[0].tokens_max == 0


def test_the_meter_counts_by_the_endpoint_or_else_by_itself() -> None:
    counted = meter(Ticks(), tokens_max=100)
    counted.count(ModelReply(content="x", usage=Usage(prompt_tokens=5, completion_tokens=2)),
                  prompt_tokens=50)  # fmt: skip
    assert (counted.tokens, counted.calls, counted.is_estimated) == (7, 1, False)

    counted.count(ModelReply(content="one two three"), prompt_tokens=50)
    assert (counted.tokens, counted.calls, counted.is_estimated) == (7 + 50 + 3 + 4, 2, True)
    assert counted.stop(0) is None
    assert counted.stop(100 - counted.tokens) is Stop.TOKENS


def test_a_negative_count_of_an_endpoint_gives_nothing_back() -> None:
    counted = meter(Ticks())
    counted.count(ModelReply(usage=Usage(prompt_tokens=-500)), prompt_tokens=1)

    assert counted.tokens == 0


def test_calls_of_tools_cost_tokens_too() -> None:
    call = ToolCall(id="c", name="weather", arguments='{"city": "Graz"}')
    plain = ChatMessage(role=ChatRole.ASSISTANT, content="Yes.")
    calling = ChatMessage(role=ChatRole.ASSISTANT, content="Yes.", tool_calls=(call,))
    one, other = meter(Ticks()).costs([plain, calling])

    assert one < other


def test_the_bound_of_an_answer_is_what_is_left() -> None:
    counted = meter(Ticks(), tokens_max=ANSWER_TOKENS + 100)

    assert counted.answer_tokens_max(101) == ANSWER_TOKENS - 1
    assert counted.answer_tokens_max(100) == 0


# ── time ─────────────────────────────────────────────────────────────────────────────────────────


def test_each_call_gets_the_time_that_is_left(desk: "Desk", ticks: Ticks) -> None:
    def slow(_: Any) -> ModelReply:
        ticks.now += 50.0
        return desk.said("", desk.call("retrieve_context", query="Alpha"))

    desk.chat(ALPHA, slow, slow, "Friday.")

    assert [one.timeout_s for one in desk.requests] == [120.0, 70.0, 20.0]


def test_a_turn_ends_once_its_time_is_used_up(desk: "Desk", ticks: Ticks) -> None:
    def slow(_: Any) -> ModelReply:
        ticks.now += 50.0
        return desk.said("", desk.call("retrieve_context", query="Alpha"))

    reply = desk.chat(ALPHA, ever=repeat(slow))

    assert (reply.stop, reply.calls) == (Stop.TIME, 3)
    assert reply.message.startswith("The time of this turn was used up before the model answered")
    assert desk.kept(reply.session_id)[-1] == ("assistant", reply.message)


def test_a_model_that_took_all_the_time_ends_the_turn(desk: "Desk", ticks: Ticks) -> None:
    def hanging(_: Any) -> ModelReply:
        ticks.now += 120.0
        raise ModelTimeout("no answer within 120 s")

    reply = desk.chat(ALPHA, hanging)

    assert reply.stop is Stop.TIME
    assert reply.calls == 1
    assert reply.tokens_used > 100  # it read the prompt
    assert ESTIMATED in reply.notes


def test_a_model_that_gives_up_before_is_an_error(desk: "Desk", ticks: Ticks) -> None:
    def quitting(_: Any) -> ModelReply:
        ticks.now += 5.0
        raise ModelTimeout("no answer within 5 s")

    with pytest.raises(ModelTimeout):
        desk.chat(ALPHA, quitting)


def test_a_call_that_does_not_end_is_not_waited_for() -> None:
    release = threading.Event()

    def hang() -> str:
        """Hang."""
        assert release.wait(timeout=20)
        return "late"

    def quick() -> str:
        """Be quick."""
        return "ok"

    tools = {one.name: one for one in (tool(hang), tool(quick))}
    calls = [ToolCall(id=name, name=name, arguments="{}") for name in ("hang", "quick")]
    late = call_all(calls[:1], tools, timeout_s=0.0, bounds=BOUNDS)
    release.set()
    done = call_all(calls, tools, timeout_s=20.0, bounds=BOUNDS)

    assert "did not answer in time" in late[0].content
    assert late[0].notes == ("tool 'hang' did not answer within the time of the turn",)
    assert [one.content for one in done] == ['"late"', '"ok"']


def test_calls_that_never_got_a_thread_are_late_too() -> None:
    release = threading.Event()

    def hang() -> str:
        """Hang."""
        assert release.wait(timeout=20)
        return "late"

    calls = [ToolCall(id=f"{n}", name="hang", arguments="{}") for n in range(12)]
    late = call_all(calls, {"hang": tool(hang)}, timeout_s=0.0, bounds=BOUNDS)
    release.set()

    assert len(late) == 12
    assert all("timeout" in one.content for one in late)


# ── taken back ───────────────────────────────────────────────────────────────────────────────────


def test_a_turn_that_is_taken_back_before_it_begins_asks_no_model(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, is_cancelled=lambda: True)

    assert (reply.stop, reply.message, reply.reply_id) == (Stop.CANCELLED, "", "")
    assert desk.requests == []
    assert desk.kept(reply.session_id) == [("user", ALPHA)]


def test_an_answer_that_is_taken_back_while_it_comes_is_not_kept(desk: "Desk") -> None:
    def enough() -> bool:
        return len(desk.events) >= 2

    reply = desk.chat(ALPHA, "It is due on Friday.", is_cancelled=enough)

    assert (reply.stop, reply.message, reply.reply_id) == (Stop.CANCELLED, "It is ", "")
    assert desk.heard == "It is "
    assert desk.kept(reply.session_id) == [("user", ALPHA)]


def test_between_calls_a_turn_can_be_taken_back(desk: "Desk") -> None:
    def enough() -> bool:
        return bool(desk.event_names)

    asked = desk.said("", desk.call("retrieve_context", query="Alpha"))
    reply = desk.chat(ALPHA, asked, "Never said.", is_cancelled=enough)

    assert (reply.stop, reply.calls) == (Stop.CANCELLED, 1)
    assert len(desk.requests) == 1


def test_without_a_listener_an_answer_can_be_taken_back_too(desk: "Desk") -> None:
    model = ScriptedChatModel([desk.said("It is due on Friday.")])
    reply = desk.memory.chat(
        ALPHA, model=model, is_cancelled=lambda: bool(model.requests), session_id="s1"
    )

    assert (reply.stop, reply.message, reply.calls) == (Stop.CANCELLED, "", 1)
    assert desk.kept("s1") == [("user", ALPHA)]


def test_without_a_model_a_turn_can_be_taken_back_too(desk: "Desk") -> None:
    reply = desk.memory.chat(ALPHA, is_cancelled=lambda: True)

    assert (reply.stop, reply.message, reply.reply_id) == (Stop.CANCELLED, "", "")


def test_whoever_breaks_while_listening_ends_the_turn(desk: "Desk") -> None:
    def gone(_: object) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        desk.memory.chat(ALPHA, model=ScriptedChatModel([desk.said("Friday.")]), on_event=gone,
                         session_id="s1")  # fmt: skip
    assert desk.kept("s1") == [("user", ALPHA)]
