"""What a turn reaches of the engine, and what it may use up: records that the engine fills in.

Knows shapes only. Must not know how anything behind them is done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from simonides.model.answer import Hit
from simonides.model.brief import Brief
from simonides.model.chat import ChatRole, Retrieved
from simonides.model.item import Item
from simonides.model.memories import Remembered
from simonides.model.stored import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefed:
    """The brief of a message, and the hits that it chose from, best first."""

    brief: Brief
    hits: tuple[Hit, ...]


class AddMessage(Protocol):
    """Keeps a message of a session; durable when it returns."""

    def __call__(
        self, session_id: str, role: ChatRole, content: str, *, metadata: dict[str, Any]
    ) -> Outcome:
        """Return what became of it."""
        ...


class BriefMessage(Protocol):
    """Makes the brief of a message, of anything but the items named."""

    def __call__(self, message: str, *, without_ids: tuple[str, ...]) -> Briefed:
        """Return the brief and the hits it was made of."""
        ...


class Retrieve(Protocol):
    """Finds what a question of the model needs, in all memories."""

    def __call__(
        self,
        query: str,
        *,
        session_id: str,
        sources: tuple[str, ...],
        time_filter: str,
        entity_filter: tuple[str, ...],
        without_ids: tuple[str, ...],
    ) -> Retrieved:
        """Return what was found, best first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The engine, as a turn sees it.

    `open_session` returns the id of a session, given or made anew; `last` its last messages, oldest
    first; `preferences` the lines of how the user wants things, strongest first.
    """

    open_session: Callable[[str], str]
    last: Callable[[str, int], Sequence[Item]]
    add: AddMessage
    brief: BriefMessage
    retrieve: Retrieve
    remember: Callable[..., Remembered]
    preferences: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a turn may use up: model calls, tokens and seconds in all, tokens of one tool's result.

    Tokens that an endpoint does not count are counted in `encoding`.
    """

    calls_max: int = 10
    tokens_max: int = 100_000
    timeout_s: float = 120.0
    result_tokens_max: int = 4_000
    encoding: str = "cl100k_base"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One turn as it was asked for. `sources` and `time_filter` hold for everything it finds."""

    message: str
    now: datetime
    timezone: str
    session_id: str = ""
    sources: tuple[str, ...] = ()
    time_filter: str = ""
