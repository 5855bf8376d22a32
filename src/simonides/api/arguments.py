"""Arguments of methods, checked and converted before anything is opened.

With the keyword arguments that several verbs share, as type checkers read them. Each list stands
once: a verb that takes all of them takes `**arguments: Unpack[…]`.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from simonides.config import Settings, check_timezone
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Mode, PlanPart, Query, Scorer
from simonides.model.bounds import COUNT, show_value
from simonides.model.coercion import one_of, refuse_unknown, tuple_of
from simonides.model.compose import compose
from simonides.model.filter import FilterLike, as_filter
from simonides.model.item import Item, ItemFields
from simonides.model.times import TimeLike, as_time

if TYPE_CHECKING:
    from simonides.assistant.tools import Tool
    from simonides.model.chat import ChatMode
    from simonides.ports.models import ChatModel, Clock, Embedder, Reranker, WorkingMemory


StateLike = TimeLike | int
"""A state of a space: as it was at a time, or at a revision."""


class MemoryFields(TypedDict, total=False):
    """The keyword arguments of a memory beside its home."""

    space: str
    settings: Settings | None
    embedder: "Embedder | None"
    clock: "Clock | None"
    chat_model: "ChatModel | None"
    reranker: "Reranker | None"
    working: "WorkingMemory | None"


class ChangedFields(ItemFields, total=False):
    """The fields of an item that may be changed; its id and source id stay."""

    content: str


class SearchFields(TypedDict, total=False):
    """The keyword arguments of a search beside question and limit; None means the default."""

    mode: Mode | str | None
    scorer: Scorer | str | None
    filter: FilterLike | None
    now: TimeLike | None
    timezone: str | None
    session_id: str | None
    min_score: float | None
    min_relevance: float | None
    as_of: StateLike | None
    ignore: Iterable[PlanPart | str] | None


class EmbedFields(TypedDict, total=False):
    """How many chunks `embed` embeds at most, for about how long, and its progress (done, all)."""

    chunks_max: int | None
    time_max_s: float | None
    on_progress: Callable[[int, int], None] | None


class ChatFields(TypedDict, total=False):
    """The keyword arguments of a chat beside its message."""

    session_id: str
    sources: Sequence[str]
    time_filter: str
    tools: "Sequence[Tool | Callable[..., object]]"
    mode: "ChatMode | str | None"
    model: "ChatModel | None"
    now: TimeLike | None
    timezone: str | None
    spaces: Sequence[str]


def with_times(given: Mapping[str, Any], *, timezone: str) -> dict[str, Any]:
    """Return the fields of an item with their times read, by default in the zone `timezone`.

    Raises:
        InvalidInput: One is no time.
    """
    values = dict(given)
    for name in ("happened_at", "expires_at"):
        if values.get(name) is not None:
            values[name] = as_time(values[name], field=name, timezone=timezone)
    traits = values.get("traits")
    if isinstance(traits, Mapping):
        values["traits"] = with_times(traits, timezone=timezone)
    return values


def check_texts(*values: object, field: str) -> None:
    """Raise `InvalidInput` unless all values, such as ids, are texts."""
    for value in values:
        if not isinstance(value, str):
            raise InvalidInput(field, f"must be text, got {show_value(value)}")


def check_is(value: object, kind: type[Any], *, field: str) -> None:
    """Raise `InvalidInput` unless a value is a record, or implements a port."""
    if not isinstance(value, kind):
        raise InvalidInput(field, f"must be a {kind.__name__}, got {show_value(value)}")


_MODELS = {
    "embedder": ("embed", "embedder"),
    "chat_model": ("complete", "chat_provider"),
    "reranker": ("score", "reranker"),
}
"""The method that a model of each kind has, and the setting by which one is chosen by its name."""


def check_models(**given: object) -> None:
    """Raise `InvalidInput` unless each named value is None, or a model of the kind of its name."""
    for field, value in given.items():
        method, setting = _MODELS[field]
        if value is not None and not callable(getattr(value, method, None)):
            problem = f"must be an object with the method {method}, got {show_value(value)}"
            advice = f"to choose one by its name, use Settings({setting}=…)"
            raise InvalidInput(field, f"{problem}; {advice}")


def check_calls(**given: object) -> None:
    """Raise `InvalidInput` unless each named value is callable or None."""
    for field, value in given.items():
        if value is not None and not callable(value):
            raise InvalidInput(field, f"must be a function, got {show_value(value)}")


def as_clock(clock: "Clock | None") -> "Clock":
    """Return a clock that refuses what tells no aware time; the machine's own for None.

    Raises:
        InvalidInput: It cannot be called, or tells none.
    """
    if clock is None:
        return partial(datetime.now, UTC)
    check_calls(clock=clock)

    def tell() -> datetime:
        now: Any = clock()
        if not isinstance(now, datetime) or now.utcoffset() is None:
            raise InvalidInput("clock", f"must tell a time with its zone, got {show_value(now)}")
        return now

    return tell


def as_item(content: str | Item, given: Mapping[str, Any]) -> Item:
    """Return an item unchanged, or the item of a text and its fields.

    Raises:
        InvalidInput: A field is unknown or out of range, or given beside an item.
    """
    if isinstance(content, Item):
        if given:
            raise InvalidInput(next(iter(given)), "belongs into the item that is added")
        return content
    return compose(content, **given)


def question(text: str, given: Mapping[str, Any], opened: OpenSpace) -> Query:
    """Return the query of the arguments of `search`; None means the default.

    Raises:
        InvalidInput: An argument is unknown, or names what is not there.
    """
    refuse_unknown(given, QUESTION_FIELDS)
    values = {name: value for name, value in given.items() if value is not None}
    zone = values.get("timezone") or opened.timezone
    check_timezone(zone)
    return Query(
        **{
            "text": text,
            **values,
            "now": as_time(values["now"], field="now", timezone=zone)
            if "now" in values
            else opened.now(),
            "timezone": zone,
            "filter": as_filter(values.get("filter"), timezone=lambda: zone),
            "as_of": _state(values.get("as_of"), field="as_of", timezone=zone),
            "mode": one_of(Mode, values.get("mode", Mode.HYBRID), field="mode"),
            "scorer": one_of(Scorer, values.get("scorer", Scorer.FUSED), field="scorer"),
            "ignore": _parts(values.get("ignore", ())),
        }
    )


def _parts(given: Any) -> tuple[PlanPart, ...]:
    """Return the parts of a plan to ignore, in the order of their kind.

    Raises:
        InvalidInput: One is another.
    """
    named = {one_of(PlanPart, one, field="ignore") for one in tuple_of(str, given, field="ignore")}
    return tuple(part for part in PlanPart if part in named)


QUESTION_FIELDS = frozenset(one.name for one in fields(Query)) - {"text"}


def as_state(given: Any, opened: OpenSpace, *, field: str = "as_of") -> datetime | int | None:
    """Return the time (aware) or the revision that names a state of a space, or None.

    Raises:
        InvalidInput: It is none of them.
    """
    return _state(given, field=field, timezone=opened.timezone)


def _state(given: Any, *, field: str, timezone: str) -> datetime | int | None:
    if given is None or isinstance(given, int):
        return given
    return as_time(given, field=field, timezone=timezone)


def expand_home(path: str | os.PathLike[str], *, field: str = "path") -> Path:
    """Return a path whose `~` is the home of its user.

    Raises:
        InvalidInput: It is empty, or nobody is known whose home that is.
    """
    if path == "":
        raise InvalidInput(field, 'is empty; write "." for the current folder')
    try:
        return Path(path).expanduser()
    except TypeError:
        raise InvalidInput(field, f"must be a path, got {show_value(path)}") from None
    except RuntimeError as error:
        problem = f"nobody has the home of {os.fspath(path)!r}; write it in full"
        raise InvalidInput(field, problem) from error


def check_limit(limit: int, *, field: str = "limit") -> None:
    """Raise `InvalidInput` unless the number is at least 1."""
    COUNT.check(limit, field=field)
