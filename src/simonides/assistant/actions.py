"""The assistant's own tools, for any model: search, remember, note a preference, ask the user.

Their schemas are made once; a turn binds them to its session and its bounds. Must not know how
anything is found or kept.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from simonides.assistant.answer import sources_among
from simonides.assistant.preferences import state_preference
from simonides.assistant.results import ClarifyingQuestion
from simonides.assistant.retrieve import retrieve
from simonides.assistant.tools import Tool, bind_tool, tool
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.memories.preferences import key_of, value_of
from simonides.memories.remember import candidate_of, remember
from simonides.model.chat import Origin, Preference, Retrieved
from simonides.model.item import TRUST_KEY, MemoryType, Trust
from simonides.model.memories import Remembered
from simonides.model.query import NamedTime

SAID_BY_KEY = "_said_by"
"""The metadata key by which a memory names the model that remembered it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """The message of a turn. `sources` and `time_filter` restrict all its searches.

    `spaces` are read besides the own one, by all its searches; what it writes goes to its own.
    """

    message: str
    now: datetime
    timezone: str
    session_id: str = ""
    sources: tuple[str, ...] = ()
    time_filter: str = ""
    spaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions:
    """The assistant's own tools in one turn; `without_ids` are already in the prompt."""

    opened: OpenSpace
    asked: TurnRequest
    model: str
    without_ids: tuple[str, ...]

    def retrieve_context(
        self,
        query: Annotated[str, "words that what is looked for will hold"],
        sources: Annotated[
            list[str] | None, "only from these: gmail, outlook, gdrive, onedrive, jira, calendar, …"
        ] = None,
        time_filter: Annotated[NamedTime | None, "only from this time"] = None,
        entity_filter: Annotated[list[str] | None, "only with these people or projects"] = None,
    ) -> Retrieved:
        """Look up mail, documents, tasks, events, notes and earlier conversations of the user."""
        if not query.strip():
            raise InvalidInput("query", "is empty; say what to look for")
        found = retrieve(
            query,
            self.opened,
            now=self.asked.now,
            timezone=self.asked.timezone,
            session_id=self.asked.session_id,
            sources=self.asked.sources or tuple(sources or ()),
            time_filter=self.asked.time_filter or (time_filter.value if time_filter else ""),
            entity_filter=tuple(entity_filter or ()),
            without_ids=self.without_ids,
            spaces=self.asked.spaces,
        )
        return self._keep_allowed(
            replace(found, hits=sources_among(found.hits, request=self.asked.message))
        )

    def _keep_allowed(self, found: Retrieved) -> Retrieved:
        """Return the hits from the allowed sources only, even if none is left."""
        wanted = self.asked.sources
        if all(not wanted or hit.item.source in wanted for hit in found.hits):
            return found
        return Retrieved(hits=tuple(hit for hit in found.hits if hit.item.source in wanted))

    def remember(
        self,
        text: Annotated[str, "one statement that can stand by itself"],
        entity: Annotated[str, 'whom or what it is about, such as "Sarah.phone"'] = "",
        type: Annotated[  # noqa: A002  the field's name everywhere
            Literal["profile", "episodic", "policy"],
            "profile: what is so; episodic: what happened; policy: how the user wants things",
        ] = "episodic",
    ) -> Remembered:
        """Remember a statement of the user for later conversations.

        What it contradicts about the same entity is replaced, and stays in the history.
        """
        stated = {
            "entity": entity, "type": MemoryType(type), "source": "chat",
            "source_run_id": self.asked.session_id,
            "metadata": {SAID_BY_KEY: self.model, TRUST_KEY: Trust.KNOWN.value},
        }  # fmt: skip
        return remember(candidate_of(text, stated), self.opened)

    def note_preference(
        self,
        key: Annotated[str, 'what it is about, in a word or two, such as "tone" or "units"'],
        value: Annotated[str, "how the person wants it, in a few words"],
    ) -> Preference:
        """Note how the person wants things, where their words or corrections show it.

        Later conversations keep to it, the more the more often it was seen.
        """
        return state_preference(key_of(key), value_of(value), Origin.INFERRED, self.opened)

    def ask_user(self, question: Annotated[str, "one question"]) -> ClarifyingQuestion:
        """Ask the user back; their answer comes with their next message."""
        if not question.strip():
            raise InvalidInput("question", "is empty; say what to ask")
        return ClarifyingQuestion(text=question)


_OWN = tuple(
    tool(one)
    for one in (
        Actions.retrieve_context, Actions.remember, Actions.note_preference, Actions.ask_user,
    )
)  # fmt: skip

SCHEMAS = tuple(one.schema for one in _OWN)
"""What a model reads of them."""


def own_tools(actions: Actions) -> tuple[Tool, ...]:
    """Return the tools of one turn."""
    return tuple(bind_tool(one, getattr(actions, one.name)) for one in _OWN)
