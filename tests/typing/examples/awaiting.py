"""The same awaited: each verb has the arguments and the answer of the plain one."""

import asyncio
from typing import assert_type

from simonides import (
    ChatEvent,
    ChatReply,
    Item,
    Memory,
    Outcome,
    Preference,
    ProposalPage,
    SearchResult,
)


async def main() -> None:
    """Add, search and chat."""
    async with Memory(":memory:").aio as memory:
        assert_type(await memory.add("Alpha is due on Friday.", source="note"), Outcome)
        assert_type(await memory.add(["one", Item(content="two")]), tuple[Outcome, ...])
        found = await memory.search("Alpha", filter={"kinds": ["memory"]}, now="2026-03-03")
        assert_type(found, SearchResult)
        assert_type((await memory.brief("Alpha", layout="sourced")).text, str)
        assert_type(await memory.preferences.set("tone", "short"), Preference)
        assert_type(await memory.proposals.list(status="pending"), ProposalPage)
        async for event in memory.chat_stream("when is Alpha due?", sources=["note"]):
            assert_type(event, ChatEvent | ChatReply)


asyncio.run(main())
