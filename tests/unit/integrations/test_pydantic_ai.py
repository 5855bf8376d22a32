"""The capability of Pydantic AI."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from simonides import Memory
from simonides.errors import InvalidInput
from simonides_integrations.pydantic_ai import SimonidesMemory

TestModel.__test__ = False  # it is no test of ours


def test_an_agent_recalls_by_a_tool_and_its_turn_is_kept(memory: Memory) -> None:
    memory.add("The northern quay is closed until May.")
    agent = Agent(TestModel(), capabilities=[SimonidesMemory(memory)])

    answer = agent.run_sync("When does the quay open?").output

    assert "recall" in answer
    [session] = memory.sessions.list().sessions
    kept = [one.content for one in memory.sessions.messages(session.id).items]
    assert kept == ["When does the quay open?", answer]


def test_a_brief_is_the_result_of_the_tool_within_its_budget(memory: Memory) -> None:
    memory.add(["The northern quay is closed until May.", *(f"note {n} on it" for n in range(40))])
    capability = SimonidesMemory(memory, budget_tokens=60, keeps=False)
    agent = Agent(TestModel(custom_output_text="Done."), capabilities=[capability])

    result = agent.run_sync("When does the quay open?")

    [tool] = [
        part
        for one in result.all_messages()
        for part in one.parts
        if part.part_kind == "tool-return"
    ]
    assert 0 < len(str(tool.content).split()) < 60
    assert memory.sessions.list().sessions == ()


def test_a_model_may_recall_with_any_text(memory: Memory) -> None:
    memory.add("The northern quay is closed until May.")
    recall = SimonidesMemory(memory).recall
    long = "= " * 60_000 + "when does the quay open?"

    assert asyncio.run(recall(" ")) == "Nothing that is kept says anything about this."
    assert "closed until May" in asyncio.run(recall(long))


def test_no_model_is_asked_where_the_conversation_cannot_be_kept(memory: Memory) -> None:
    model = TestModel()
    agent = Agent(model, capabilities=[SimonidesMemory(memory)])

    with pytest.raises(InvalidInput, match="session_id"):
        asyncio.run(agent.run("When does the quay open?", conversation_id="x" * 200))

    assert model.last_model_request_parameters is None


def test_an_answer_that_cannot_be_kept_is_not_lost(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    model = TestModel(call_tools=[], custom_output_text="a" * 20_000_001)
    agent = Agent(model, capabilities=[SimonidesMemory(memory)])

    assert asyncio.run(agent.run("When does the quay open?")).output == "a" * 20_000_001
    assert caplog.messages[-1] == "a turn was not kept: invalid_input"
