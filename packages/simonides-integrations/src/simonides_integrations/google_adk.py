"""Google's Agent Development Kit: a memory service, `Runner(…, memory_service=…)`."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types

from simonides import Compare, Filter, Item, Kind, Memory, Operator, Person, Role
from simonides_integrations.items import describe, question_of

SOURCE = "google-adk"
OWNER = "_adk"
"""The metadata key of the application and the user: nobody is shown another's memories."""


class SimonidesMemoryService(BaseMemoryService):  # type: ignore[misc]  # it has no types
    """What was said in sessions, and memories that were added, found by application and user.

    An event that was added is kept once, however often its session is added.
    """

    def __init__(self, memory: Memory, *, top_k: int = 10) -> None:
        self.memory, self.top_k = memory, top_k

    async def add_session_to_memory(self, session: Session) -> None:
        """Keep the events of a session that say something."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep events that say something, all in one transaction."""
        owner = [app_name, user_id]
        items = [
            Item(
                kind=Kind.MESSAGE,
                content=text,
                source=SOURCE,
                source_id=_place(*owner, session_id or "", event.id),
                session=session_id or "",
                people=(Person(name=event.author or "user", role=Role.AUTHOR),),
                happened_at=datetime.fromtimestamp(event.timestamp, tz=UTC),
                metadata={**(custom_metadata or {}), OWNER: owner},
            )
            for event in events
            if (text := _text(event.content))
        ]
        await asyncio.to_thread(self.memory.add, items)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep memories, all in one transaction; one with a known id replaces it."""
        owner = [app_name, user_id]
        items = [
            Item(
                kind=Kind.MEMORY,
                content=text,
                source=SOURCE,
                source_id=_place(*owner, entry.id or _digest(text)),
                people=(Person(name=entry.author, role=Role.AUTHOR),) if entry.author else (),
                happened_at=datetime.fromisoformat(entry.timestamp) if entry.timestamp else None,
                metadata={**(custom_metadata or {}), **entry.custom_metadata, OWNER: owner},
            )
            for entry in memories
            if (text := _text(entry.content))
        ]
        await asyncio.to_thread(self.memory.add, items)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the memories found of this user in this application, best first."""
        question = question_of(query)
        if not question:
            return SearchMemoryResponse()
        result = await self.memory.aio.search(
            question, limit=self.top_k, filter=_of(app_name, user_id)
        )
        return SearchMemoryResponse(memories=[_entry(hit.item) for hit in result.hits])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Forget a memory of this user; that of another stays, and without an id all do."""
        if not memory_id:
            return
        page = await self.memory.aio.list(filter=_of(app_name, user_id, memory_id))
        if page.items:
            await self.memory.aio.forget(*(one.id for one in page.items))


def _of(app_name: str, user_id: str, *ids: str) -> Filter:
    """Return the filter of a user's memories in an application; of `ids` alone where some are."""
    owned = Compare(key=OWNER, operator=Operator.EQ, value=[app_name, user_id])
    return Filter(ids=ids, sources=[SOURCE], where=owned)


def _place(*parts: str) -> str:
    """Return one text of several that no others give: parts may hold a slash themselves."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _text(content: types.Content | None) -> str:
    parts = content.parts if content and content.parts else []
    return "\n".join(one.text for one in parts if one.text and not one.thought).strip()


def _entry(item: Item) -> MemoryEntry:
    author = item.author.name if item.author else ""
    role = "user" if author in ("", "user") else "model"
    about: dict[str, Any] = describe(item)
    return MemoryEntry(
        id=item.id,
        content=types.Content(role=role, parts=[types.Part(text=item.content)]),
        author=author or None,
        timestamp=item.happened_at.isoformat() if item.happened_at else None,
        custom_metadata={name: about[name] for name in item.metadata if name in about},
    )
