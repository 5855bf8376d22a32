"""The verbs on what an assistant recalls: retrieve, and beside it sessions and preferences.

`Memory` has them. They decide nothing themselves: the room `assistant` does.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.api.space_handle import SpaceHandle
from simonides.config import check_timezone
from simonides.model.answer import Query, Scorer, SearchResult
from simonides.model.coercion import tuple_of
from simonides.model.times import TimeLike, as_time

if TYPE_CHECKING:
    from simonides.api.preferences import Preferences
    from simonides.api.sessions import Sessions
    from simonides.model.chat import Retrieved

EVERY = 10_000
"""Preferences that are kept out of what is retrieved: all that anyone has."""


class RetrievalMixin(SpaceHandle):
    """What an assistant asks of a space between a message and its answer."""

    if TYPE_CHECKING:  # `Memory` has it

        def _search(self, asked: Query) -> SearchResult: ...

    @property
    def sessions(self) -> "Sessions":
        """Conversations: create, list, get, messages, last, add, forget."""
        from simonides.api.sessions import Sessions

        return Sessions(self._parts, self._space_name, reading=self._reading)

    @property
    def preferences(self) -> "Preferences":
        """How the user wants things to be: list, get, set, infer, forget."""
        from simonides.api.preferences import Preferences

        return Preferences(self._parts, self._space_name, reading=self._reading)

    def retrieve(
        self,
        query: str,
        *,
        session_id: str = "",
        sources: Sequence[str] = (),
        time_filter: str = "",
        entity_filter: Sequence[str] = (),
        include_episodic: bool = True,
        limit: int = 10,
        without_ids: Sequence[str] = (),
        scorer: Scorer | str = Scorer.FUSED,
        now: TimeLike | None = None,
        timezone: str | None = None,
    ) -> "Retrieved":
        """Return what a question finds among items and conversations: each once, best first.

        `sources`, `time_filter` (`today`, `yesterday`, `last_week`, `last_month`,
        `last_3_months`, `last_6_months`, rolling) and `entity_filter` exclude. Messages take at
        most 5 places of 10 from items; without `include_episodic` none. Where the sources have
        nothing, all are looked through by words, and the notes say so. Preferences are found only
        where `preference` is among the sources: a prompt is told them apart.

        Raises:
            InvalidInput: An argument is out of range.
        """
        from simonides.assistant.retrieve import retrieve_with_memory
        from simonides.memories.preferences import SOURCE

        asked = tuple_of(str, sources, field="sources")
        without = tuple_of(str, without_ids, field="without_ids")
        zone = timezone or self._parts.timezone
        check_timezone(zone)
        at = self._parts.clock() if now is None else as_time(now, field="now", timezone=zone)
        hidden = () if SOURCE in asked else (one.id for one in self.preferences.list(limit=EVERY))
        return retrieve_with_memory(
            query, search=self._search, now=at, timezone=zone, session_id=session_id,
            sources=asked,
            time_filter=time_filter, entity_filter=entity_filter,
            include_episodic=include_episodic, limit=limit,
            without_ids=(*without, *hidden), scorer=scorer,
        )  # fmt: skip
