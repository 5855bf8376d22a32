"""LlamaIndex's retriever and memory block."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ChatMessage

from simonides import Memory
from simonides.errors import InvalidInput
from simonides_integrations.llama_index import (
    SimonidesMemoryBlock,
    SimonidesRetriever,
)


def test_a_retriever_gives_nodes_with_what_is_known_of_them(memory: Memory) -> None:
    memory.add(["The quay is closed until May.", "lunch at noon"], source="gmail")

    [best, *_] = SimonidesRetriever(memory, similarity_top_k=2).retrieve("when does the quay open?")

    assert best.node.get_content() == "The quay is closed until May."
    assert best.node.metadata["source"] == "gmail"
    assert best.score is not None
    assert best.score > 0


def test_a_block_is_the_brief_for_what_was_asked_last_within_its_budget(memory: Memory) -> None:
    block = SimonidesMemoryBlock(memory=memory, session_id="s", budget_tokens=120)

    async def use() -> tuple[str, str | None, str]:
        await block.aput([
            ChatMessage(role="user", content="The quay is closed until May."),
            ChatMessage(role="assistant", content="I see."),
            ChatMessage(role="tool", content="{}"),
        ])  # fmt: skip
        asked = [
            ChatMessage(role="user", content="When does the quay open?"),
            ChatMessage(role="assistant", content="Let me look."),
        ]
        whole = await block.aget(asked)
        return whole, await block.atruncate(whole, 1_000), await block.aget([])

    whole, cut, nothing = asyncio.run(use())
    assert "closed until May" in whole
    assert cut is None
    assert nothing == ""
    assert [one.content for one in memory.sessions.messages("s").items] == [
        "The quay is closed until May.", "I see.",
    ]  # fmt: skip


def test_a_blank_question_finds_nothing_and_of_a_very_long_one_the_end_counts(
    memory: Memory,
) -> None:
    memory.add(["The quay is closed until May.", "lunch at noon"])
    long = "= " * 60_000 + "when does the quay open?"
    retriever, block = SimonidesRetriever(memory), SimonidesMemoryBlock(memory=memory)

    assert retriever.retrieve(" ") == []
    assert retriever.retrieve(long)[0].node.get_content() == "The quay is closed until May."
    brief = asyncio.run(block.aget([ChatMessage(role="user", content=long)]))
    assert "closed until May" in brief


def test_a_block_that_serves_two_conversations_cuts_the_brief_of_each(memory: Memory) -> None:
    memory.add([f"The boat {n} is called Alma {n}." for n in range(9)])
    memory.add([f"The quay {n} is closed until May." for n in range(9)])
    block = SimonidesMemoryBlock(memory=memory, budget_tokens=100)

    async def use() -> tuple[str, str | None, str | None]:
        boat, quay = (
            [ChatMessage(role="user", content=one)]
            for one in ("What is the boat called?", "When does the quay open?")
        )
        first, _ = await block.aget(boat), await block.aget(quay)
        cut = await block.atruncate(first, 5)
        return first, cut, await block.atruncate(cut or "", 20)

    whole, cut, smaller = asyncio.run(use())
    assert cut is not None
    assert smaller is not None
    assert "boat" in cut
    assert "boat" in smaller
    assert "quay" not in cut + smaller
    assert len(smaller) < len(cut) < len(whole)


def test_a_message_that_cannot_be_kept_ends_no_flush(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    block = SimonidesMemoryBlock(memory=memory, session_id="s")
    said = ("One.", "quay " * 5_000_000, "Two.")

    asyncio.run(block.aput([ChatMessage(role="user", content=one) for one in said]))

    assert [one.content for one in memory.sessions.messages("s").items] == ["One.", "Two."]
    assert "a message was not kept: content" in caplog.text
    with pytest.raises(InvalidInput, match="session_id"):
        asyncio.run(SimonidesMemoryBlock(memory=memory, session_id="x" * 200).aput([]))
