"""A session of the OpenAI Agents SDK: `Runner.run(agent, text, session=SimonidesSession(…))`."""

import asyncio
from typing import Any, cast

from agents.items import TResponseInputItem
from agents.memory import SessionABC
from agents.memory.session_settings import SessionSettings, resolve_session_limit

from simonides import Memory
from simonides_integrations.transcript import Said, Transcript, text_of


class SimonidesSession(SessionABC):
    """The items of one conversation, kept whole and found by what they say.

    Instructions, calls of tools and their results are kept, too, but not found. The memory may be
    asked beside: `memory.brief(...)` finds what any session said.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = SessionSettings().resolve(session_settings)
        self._transcript = Transcript(memory, session_id, form="openai_agents")

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, or the last `limit`, oldest first."""
        last = resolve_session_limit(limit, self.session_settings)
        return cast(
            "list[TResponseInputItem]", await asyncio.to_thread(self._transcript.records, last)
        )

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end."""
        await asyncio.to_thread(self._transcript.append, [_read_words(dict(one)) for one in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Forget the last item and return it; None if there is none."""
        return cast("TResponseInputItem | None", await asyncio.to_thread(self._transcript.pop))

    async def clear_session(self) -> None:
        """Forget the items of this session."""
        await asyncio.to_thread(self._transcript.clear)


def _read_words(item: dict[str, Any]) -> Said:
    role = item.get("role")
    text = text_of(item.get("content")) if role in ("user", "assistant") else ""
    return Said(record=item, text=text, is_user=role == "user")
