"""Short-lived state of an assistant: of a session, its pending question, its recent items.

Knows under which key each stands and for how long (the designs' times). Must not know which adapter
of `WorkingMemory` keeps it, nor anything that has to last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simonides.assistant.follow_up import TurnBefore
from simonides.index.open_space import OpenSpace
from simonides.ports.models import WorkingMemory

SESSION_TTL_S = 1800.0
"""The state of a session, and what it waits for."""

PREFERENCES_TTL_S = 3600.0

RECENT_TTL_S = 900.0
"""Ids of the items that a session was shown last."""

QUESTION, PEOPLE, SHOWN = "question", "people", "shown"
"""The keys of a session's state under which its last turn stands."""

RECENT_MAX = 20
"""How many of these there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingState:
    """The working memory of one space, by purpose.

    Whatever is read may be gone: every value has a default that says so. Of two writers of one
    session at the same moment the later one stands.
    """

    working: WorkingMemory
    space: str

    @staticmethod
    def of(opened: OpenSpace) -> "WorkingState":
        """Return the working memory of an open space."""
        return WorkingState(working=opened.working, space=opened.name)

    def session(self, session_id: str) -> dict[str, Any]:
        """Return the state of a session, an object; empty if there is none."""
        found = self.working.get(self.space, _key(session_id, "state"))
        return found if isinstance(found, dict) else {}

    def keep_session(self, session_id: str, state: Mapping[str, Any]) -> None:
        """Store the state of a session for half an hour, in place of the one before."""
        self.working.put(self.space, _key(session_id, "state"), dict(state), ttl_s=SESSION_TTL_S)

    def turn_before(self, session_id: str) -> TurnBefore | None:
        """Return the record of a session's last turn; None without a question."""
        state = self.session(session_id)
        question = state.get(QUESTION)
        if not isinstance(question, str):
            return None
        return TurnBefore(
            question=question, people=_texts(state.get(PEOPLE)), shown=_texts(state.get(SHOWN)),
        )  # fmt: skip

    def keep_turn(self, session_id: str, turn: TurnBefore) -> None:
        """Store what the next turn may speak of, beside the rest of the session's state."""
        turn_state = {QUESTION: turn.question, PEOPLE: turn.people, SHOWN: turn.shown}
        self.keep_session(session_id, {**self.session(session_id), **turn_state})

    def pending(self, session_id: str) -> tuple[dict[str, Any], ...]:
        """Return the pending question and actions of a session, oldest first."""
        return _objects(self.working.get(self.space, _key(session_id, "pending")))

    def keep_pending(self, session_id: str, actions: Sequence[Mapping[str, Any]]) -> None:
        """Store what a session waits for; an empty list ends the wait."""
        key = _key(session_id, "pending")
        if not actions:
            self.working.delete(self.space, key)
            return
        self.working.put(self.space, key, [dict(one) for one in actions], ttl_s=SESSION_TTL_S)

    def take_pending(self, session_id: str) -> tuple[dict[str, Any], ...]:
        """Return and remove the pending actions of a session; only one of two callers gets them."""
        found = self.pending(session_id)
        was_there = self.working.delete(self.space, _key(session_id, "pending"))
        return found if was_there else ()

    def recent(self, session_id: str) -> tuple[str, ...]:
        """Return the ids of a session's recently shown items, latest first."""
        found = self.working.get(self.space, _key(session_id, "recent"))
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def note_recent(self, session_id: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Add shown items of a session, best first; return the stored ids: 20, each once."""
        every = dict.fromkeys((*ids, *self.recent(session_id)))
        kept = tuple(every)[:RECENT_MAX]
        self.working.put(self.space, _key(session_id, "recent"), kept, ttl_s=RECENT_TTL_S)
        return kept

    def preferences(self) -> dict[str, Any]:
        """Return the user's preferences from the cache; empty if they are not in it."""
        found = self.working.get(self.space, _PREFERENCES)
        return found if isinstance(found, dict) else {}

    def keep_preferences(self, cached: Mapping[str, Any]) -> None:
        """Cache the user's preferences for an hour."""
        self.working.put(self.space, _PREFERENCES, dict(cached), ttl_s=PREFERENCES_TTL_S)

    def drop_preferences(self) -> None:
        """Clear the cached preferences after a write."""
        self.working.delete(self.space, _PREFERENCES)

    def drop_session(self, session_id: str) -> None:
        """Remove everything stored for a session."""
        for name in ("state", "pending", "recent"):
            self.working.delete(self.space, _key(session_id, name))


_PREFERENCES = "preferences"


def _key(session_id: str, name: str) -> str:
    """Return the key of a session's value: its name first, so that no id forges another's."""
    return f"session:{name}:{session_id}"


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _objects(found: Any) -> tuple[dict[str, Any], ...]:
    return tuple(one for one in found if isinstance(one, dict)) if isinstance(found, list) else ()
