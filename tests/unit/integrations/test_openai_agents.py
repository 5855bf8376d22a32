"""A session of the OpenAI Agents SDK."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("agents.memory")

from agents.memory import Session
from agents.memory.session_settings import SessionSettings

from simonides import Memory
from simonides_integrations.openai_agents import SimonidesSession

ITEMS: list[Any] = [
    {"role": "user", "content": "When does the quay open?"},
    {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "1", "output": "May"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "The quay opens in May."}]},
]


def test_it_is_a_session_whose_items_come_back_as_they_were(memory: Memory) -> None:
    async def use() -> None:
        session = SimonidesSession("a", memory)
        await session.add_items(ITEMS[:1])
        await session.add_items(ITEMS[1:])
        assert isinstance(session, Session)
        assert await session.get_items() == ITEMS
        assert await session.get_items(2) == ITEMS[2:]
        assert await session.get_items(0) == []
        assert await SimonidesSession("b", memory).get_items() == []
        limited = SimonidesSession("a", memory, session_settings=SessionSettings(limit=1))
        assert await limited.get_items() == ITEMS[3:]
        limited = SimonidesSession("a", memory, session_settings={"limit": 1})
        assert await limited.get_items() == ITEMS[3:]
        with pytest.raises(TypeError, match="limitt"):
            SimonidesSession("a", memory, session_settings={"limitt": 1})

    asyncio.run(use())
    assert memory.search("when does the quay open?").hits[0].text == "The quay opens in May."


def test_the_last_item_is_taken_back_and_the_next_takes_its_place(memory: Memory) -> None:
    async def use() -> None:
        session = SimonidesSession("a", memory)
        assert await session.pop_item() is None
        await session.add_items(ITEMS)
        assert await session.pop_item() == ITEMS[3]
        await session.add_items(ITEMS[:1])
        assert await session.get_items() == [*ITEMS[:3], ITEMS[0]]
        await session.clear_session()
        assert await session.get_items() == []

    asyncio.run(use())


def test_long_sessions_are_read_whole(memory: Memory) -> None:
    async def use() -> None:
        session = SimonidesSession("a", memory)
        items: list[Any] = [{"role": "user", "content": f"message {n}"} for n in range(205)]
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(202) == items[3:]

    asyncio.run(use())


def test_loops_of_several_threads_share_one_session(memory: Memory) -> None:
    session = SimonidesSession("a", memory)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda one: asyncio.run(session.add_items([one])), ITEMS))

    kept = asyncio.run(session.get_items())
    assert sorted(map(str, kept)) == sorted(map(str, ITEMS))


def test_instructions_are_kept_but_said_by_nobody(memory: Memory) -> None:
    items: list[Any] = [
        {"role": "developer", "content": "Never name the quay."},
        {"role": "system", "content": "The quay is secret."},
        {"role": "user", "content": "Where is the quay?"},
    ]

    async def use() -> None:
        session = SimonidesSession("a", memory)
        await session.add_items(items)
        assert await session.get_items() == items

    asyncio.run(use())
    assert [hit.text for hit in memory.search("quay").hits if "quay" in hit.text] == [
        "Where is the quay?"
    ]
