"""What a new user meets first: moves to mistyped addresses, AsyncMemory by itself, empty times."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import AsyncMemory, InvalidInput, Memory, Settings, move_space
from simonides_bench.testing.hashing import HashingEmbedder

OpenMemory = Callable[..., Memory]
NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def test_a_move_to_an_unknown_kind_of_store_is_refused_and_makes_nothing(
    open_memory: OpenMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = open_memory(embedder=None)
    memory.add("x")
    before = sorted(tmp_path.iterdir())

    with pytest.raises(InvalidInput, match=r"to: must be .* begin with .*postgresql://; got mysql"):
        move_space(memory, "mysql://host/x")
    assert sorted(tmp_path.iterdir()) == before


def test_an_async_memory_is_made_like_a_memory() -> None:
    async def asked() -> list[str]:
        settings = Settings(embedder="none")
        async with AsyncMemory(":memory:", space="s", settings=settings) as memory:
            await memory.add("Alpha is due on Friday.")
            return [hit.text for hit in await memory.search("Alpha")]

    assert asyncio.run(asked()) == ["Alpha is due on Friday."]


def test_where_nothing_is_of_the_time_that_is_named_it_is_said(open_memory: OpenMemory) -> None:
    memory = open_memory(embedder=HashingEmbedder(64), settings=Settings(timezone="UTC"))
    memory.add("Dentist, Dr Yilmaz", kind="event", source="calendar", title="Dentist",
               happened_at=datetime(2026, 3, 11, 7, tzinfo=UTC))  # fmt: skip
    brief = memory.brief("what is on my calendar next week?", now=NOW)
    there = memory.brief("what was on my calendar yesterday?", now=NOW)

    assert (
        "Nothing here clearly answers this: nothing from 16 to 22 March (next week)" in brief.text
    )
    assert "Dentist" in brief.text
    assert "Nothing" not in there.text
