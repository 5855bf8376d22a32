"""The keyword arguments that several verbs share, as type checkers read them.

Each list stands once: a verb that takes all of them takes `**arguments: Unpack[…]`.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypedDict

from simonides.model.answer import Mode, Scorer
from simonides.model.brief import ContextFields
from simonides.model.filter import FilterLike
from simonides.model.item import ItemFields
from simonides.model.times import TimeLike

if TYPE_CHECKING:
    from simonides.assistant.tools import Tool
    from simonides.model.chat import ChatMode
    from simonides.ports.chat import ChatModel

StateLike = TimeLike | int
"""A state of a space: as it was at a time, or at a revision."""


class ChangedFields(ItemFields, total=False):
    """The fields of an item that may be changed; its id and source id stay."""

    content: str


class SearchFields(TypedDict, total=False):
    """What a search takes beside its question and its limit; None stands for the default."""

    mode: Mode | str | None
    scorer: Scorer | str | None
    filter: FilterLike | None
    now: TimeLike | None
    timezone: str | None
    session_id: str | None
    min_score: float | None
    as_of: StateLike | None


class BriefFields(SearchFields, ContextFields, total=False):
    """What a brief takes beside its question and its budget."""

    limit: int | None
    max_items: int | None


class EmbedFields(TypedDict, total=False):
    """How many chunks `embed` embeds at most, for about how long, and what is told (done, all)."""

    chunks_max: int | None
    time_max_s: float | None
    on_progress: Callable[[int, int], None] | None


class ChatFields(TypedDict, total=False):
    """What a chat takes beside its message, the same awaited or as a stream."""

    session_id: str
    sources: Sequence[str]
    time_filter: str
    tools: "Sequence[Tool | Callable[..., object]]"
    mode: "ChatMode | str | None"
    model: "ChatModel | None"
    now: TimeLike | None
    timezone: str | None
