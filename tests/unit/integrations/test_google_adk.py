"""The memory service of Google's Agent Development Kit."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("google.adk")

from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types

from simonides import Memory
from simonides_integrations.google_adk import SimonidesMemoryService

ANA: dict[str, Any] = {"app_name": "yard", "user_id": "ana"}
BO: dict[str, Any] = {"app_name": "yard", "user_id": "bo"}


def event(number: str, author: str, *texts: str) -> Event:
    parts = [types.Part(text=one) for one in texts]
    content = types.Content(role="user", parts=parts) if parts else None
    return Event(id=number, author=author, timestamp=1_767_225_600.0, content=content)


def texts(found: Any) -> list[str]:
    return [one.content.parts[0].text for one in found.memories]


def test_what_a_session_said_is_found_by_its_user_alone_and_kept_once(memory: Memory) -> None:
    service = SimonidesMemoryService(memory)
    said = [
        event("1", "user", "My boat is called Alma."),
        event("2", "bot"),
        event("3", "bot", "OK"),
    ]
    session = Session(id="s", **ANA, events=said)

    async def use() -> tuple[Any, Any]:
        for _ in range(2):
            await service.add_session_to_memory(session)
        found = await service.search_memory(**ANA, query="what is the boat called?")
        return found, await service.search_memory(**BO, query="what is the boat called?")

    own, of_bo = asyncio.run(use())
    assert texts(own)[0] == "My boat is called Alma."
    assert (own.memories[0].author, own.memories[0].timestamp) == (
        "user", "2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    assert of_bo.memories == []
    assert memory.counts().items == 2


def test_memories_are_added_and_forgotten_by_their_user_alone(memory: Memory) -> None:
    service = SimonidesMemoryService(memory)
    content = types.Content(parts=[types.Part(text="Ana drinks green tea.")])
    entry = MemoryEntry(content=content, author="ana", custom_metadata={"topic": "drinks"})

    async def use() -> None:
        await service.add_memory(**ANA, memories=[entry])
        [found] = (await service.search_memory(**ANA, query="green tea")).memories
        assert (found.author, found.custom_metadata) == ("ana", {"topic": "drinks"})
        await service.delete_memory(**BO, memory_id=found.id)
        assert texts(await service.search_memory(**ANA, query="green tea")) == [
            "Ana drinks green tea."
        ]
        await service.delete_memory(**ANA, memory_id=found.id)
        assert texts(await service.search_memory(**ANA, query="green tea")) == []

    asyncio.run(use())


def test_any_text_can_be_asked(memory: Memory) -> None:
    service = SimonidesMemoryService(memory)
    long = "= " * 60_000 + "what is the boat called?"

    async def use() -> tuple[Any, Any]:
        await service.add_events_to_memory(**ANA, events=[event("1", "user", "My boat is Alma.")])
        blank = await service.search_memory(**ANA, query=" ")
        return blank, await service.search_memory(**ANA, query=long)

    blank, found = asyncio.run(use())
    assert (texts(blank), texts(found)) == ([], ["My boat is Alma."])


def entry(text: str, **given: Any) -> MemoryEntry:
    return MemoryEntry(content=types.Content(parts=[types.Part(text=text)]), **given)


def test_a_slash_in_an_id_makes_nobody_replace_what_another_keeps(memory: Memory) -> None:
    service = SimonidesMemoryService(memory)
    other: dict[str, Any] = {"app_name": "yard", "user_id": "ana/b"}

    async def use() -> tuple[Any, Any]:
        await service.add_memory(**ANA, memories=[entry("Ana drinks green tea.", id="b/1")])
        await service.add_memory(**other, memories=[entry("Coffee is for others.", id="1")])
        own = await service.search_memory(**ANA, query="what is drunk?")
        return own, await service.search_memory(**other, query="what is drunk?")

    own, of_other = asyncio.run(use())
    assert texts(own) == ["Ana drinks green tea."]
    assert texts(of_other) == ["Coffee is for others."]


def test_a_long_memory_without_an_id_is_kept_once(memory: Memory) -> None:
    service = SimonidesMemoryService(memory)

    async def use() -> None:
        for _ in range(2):
            await service.add_memory(**ANA, memories=[entry("Ana drinks green tea. " * 500)])

    asyncio.run(use())
    assert memory.counts().items == 1


def test_without_an_id_nothing_is_forgotten(memory: Memory) -> None:
    service = SimonidesMemoryService(memory)

    async def use() -> None:
        await service.add_memory(**ANA, memories=[entry("Ana drinks green tea.")])
        await service.delete_memory(**ANA)

    asyncio.run(use())
    assert memory.counts().items == 1
