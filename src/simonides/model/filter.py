"""Filters: exact, and the same for every lane and operation.

Knows the fields a filter may name and what each operator means on a metadata value. Must not
know how a filter is evaluated over many items; `view` does that with `holds`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from simonides.errors import InvalidInput
from simonides.model.bounds import DEPTH_MAX, check_json, show_value
from simonides.model.coercion import one_of, refuse_unknown, tuple_of
from simonides.model.item import Kind, MemoryType, Scope, Status
from simonides.model.times import TimeLike, as_time


class Operator(StrEnum):
    """The comparison of a metadata value."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    CONTAINS = "contains"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """One comparison of the metadata value under `key`; `in` wants a list, `exists` a boolean.

    With a `path` it is the value inside that one, under one key of it after the other.
    """

    key: str
    operator: Operator
    value: Any
    path: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", tuple_of(str, self.path, field="where.path"))
        for key in (self.key, *self.path):
            if not isinstance(key, str):
                raise InvalidInput("where", f"key {show_value(key)} must be text")
        check_json(self.value, field=f"where.{self.key}"[:80], is_query=True)
        if self.operator is Operator.IN and not isinstance(self.value, list | tuple):
            raise InvalidInput(f"where.{self.key}", "`in` needs a list")
        if self.operator is Operator.EXISTS and not isinstance(self.value, bool):
            raise InvalidInput(f"where.{self.key}", "`exists` needs true or false")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """A condition that is true if every part is; true without parts."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """A condition that is true if at least one part is; false without parts."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """A condition that is true if its part is false."""

    part: "Condition"


Condition = Compare | AllOf | AnyOf | Not

MISSING = object()
"""Stands for a metadata key that an item does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The person who asks: sees memories of the same session, workspace or user, and global ones.

    Empty fields match nothing; a memory that carries no id of its scope is visible to all.
    """

    workspace_id: str = ""
    user_id: str = ""
    session_id: str = ""

    def __post_init__(self) -> None:
        for name in ("workspace_id", "user_id", "session_id"):
            if not isinstance(getattr(self, name), str):
                problem = f"must be text, got {show_value(getattr(self, name))}"
                raise InvalidInput(f"viewer.{name}", problem)


class ViewerFields(TypedDict, total=False):
    """The fields of `Viewer` as callers may give them."""

    workspace_id: str
    user_id: str
    session_id: str


class FilterFields(TypedDict, total=False):
    """The fields of `Filter` as callers may give them: to it, or as a dictionary in its place."""

    ids: Iterable[str]
    without_ids: Iterable[str]
    sources: Iterable[str]
    kinds: Iterable[Kind | str]
    collections: Iterable[str]
    sessions: Iterable[str]
    tags: Iterable[str]
    people: Iterable[str]
    authors: Iterable[str]
    entities: Iterable[str]
    scopes: Iterable[Scope | str]
    types: Iterable[MemoryType | str]
    statuses: Iterable[Status | str]
    expired: bool
    since: TimeLike | None
    until: TimeLike | None
    viewer: Viewer | ViewerFields | None
    where: Condition | Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The conditions that an item must meet; empty fields do not restrict.

    Those of `without_ids` never come back. `since` and `until` bound `happened_at`, half-open
    [since, until): undated items fall out.
    `people` are names or addresses, any of which must take part (author, recipient, attendee);
    `entities` are ids or names, any of which must be mentioned. `statuses` applies to memories
    only. Memories that have expired by the time of the question come back only if `expired`.
    `where` is a condition on metadata, or the object that `parse_condition` reads.
    """

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[FilterFields]) -> None: ...

    ids: tuple[str, ...] = ()
    without_ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    collections: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    types: tuple[MemoryType, ...] = ()
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    expired: bool = False
    since: datetime | None = None
    until: datetime | None = None
    viewer: Viewer | None = None
    where: Condition | None = None

    def __post_init__(self) -> None:
        for name in _TEXTS:
            object.__setattr__(self, name, tuple_of(str, getattr(self, name), field=name))
        for name, kind in _ENUMERATIONS.items():
            named = tuple_of(str, getattr(self, name), field=name)
            object.__setattr__(self, name, tuple(one_of(kind, one, field=name) for one in named))
        for name in ("since", "until"):
            when = getattr(self, name)
            if when is not None:
                object.__setattr__(self, name, as_time(when, field=name))
        if not isinstance(self.expired, bool):
            raise InvalidInput("expired", f"must be true or false, got {show_value(self.expired)}")
        if isinstance(self.viewer, Mapping):
            refuse_unknown(self.viewer, Viewer.__slots__, path="viewer.")
            object.__setattr__(self, "viewer", Viewer(**self.viewer))
        if isinstance(self.where, Mapping):
            object.__setattr__(self, "where", parse_condition(self.where))
        if not isinstance(self.viewer, Viewer | None):
            raise InvalidInput("viewer", f"must be a Viewer, got {show_value(self.viewer)}")
        if self.where is not None:
            _check_condition(self.where)


FilterLike = Filter | FilterFields
"""A filter, or a dictionary of its fields."""


def as_filter(value: Any, *, timezone: Callable[[], str], field: str = "filter") -> Filter:
    """Return a filter unchanged, or the one that a dictionary describes; None restricts nothing.

    Times without a zone are in `timezone()`.

    Raises:
        InvalidInput: It is neither, or a field is unknown or does not fit.
    """
    if value is None or isinstance(value, Filter):
        return value or Filter()
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a Filter or a dictionary, got {show_value(value)}")
    refuse_unknown(value, Filter.__slots__, path=f"{field}.")
    values = {name: one for name, one in value.items() if one is not None}
    for name in values.keys() & {"since", "until"}:
        values[name] = as_time(values[name], field=name, timezone=timezone())
    return Filter(**cast("FilterFields", values))


_TEXTS = (
    "ids", "without_ids", "sources", "collections", "sessions", "tags", "people", "authors",
    "entities",
)  # fmt: skip
_ENUMERATIONS: dict[str, type[StrEnum]] = {
    "kinds": Kind, "scopes": Scope, "types": MemoryType, "statuses": Status,
}  # fmt: skip


def _check_condition(condition: Any) -> None:
    """Raise `InvalidInput` for a value that is not a condition, or is nested too deeply."""
    waiting: list[tuple[Any, int]] = [(condition, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > 2 * DEPTH_MAX + 2:  # each level of an object may be two conditions: all of a not
            raise InvalidInput("where", f"is nested more than {DEPTH_MAX} deep")
        if isinstance(one, AllOf | AnyOf):
            waiting += [(part, depth + 1) for part in one.parts]
        elif isinstance(one, Not):
            waiting.append((one.part, depth + 1))
        elif not isinstance(one, Compare):
            raise InvalidInput("where", "must be a condition; `parse_condition` reads an object")


def holds(compare: Compare, stored: Any) -> bool:
    """Return whether one stored metadata value satisfies one comparison.

    A missing key satisfies only `ne` and `exists: false`. Values of different sorts are never
    equal and never ordered (a text is not greater than a number; true is not 1). `contains`
    means a member of a list, a key of an object, or a part of a text, letter case ignored.
    `stored` is the value under the key of the comparison; its path leads on from there.
    """
    operator, wanted = compare.operator, compare.value
    for key in compare.path:
        stored = stored.get(key, MISSING) if isinstance(stored, Mapping) else MISSING
    if operator is Operator.EXISTS:
        return (stored is not MISSING) == bool(wanted)
    if operator is Operator.NE:
        return stored is MISSING or not _same(stored, wanted)
    return stored is not MISSING and _present_holds(operator, stored, wanted)


def _present_holds(operator: Operator, stored: Any, wanted: Any) -> bool:
    if operator is Operator.EQ:
        return _same(stored, wanted)
    if operator is Operator.IN:
        return any(_same(stored, one) for one in wanted)
    if operator is Operator.CONTAINS:
        return _contains(stored, wanted)
    return _compare_order(operator, stored, wanted)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _contains(stored: Any, wanted: Any) -> bool:
    if isinstance(stored, str):
        return isinstance(wanted, str) and wanted.casefold() in stored.casefold()
    if isinstance(stored, list):
        return any(_same(one, wanted) for one in stored)
    return isinstance(stored, Mapping) and isinstance(wanted, str) and wanted in stored


def _compare_order(operator: Operator, stored: Any, wanted: Any) -> bool:
    if isinstance(stored, bool) or isinstance(wanted, bool):
        return False
    numbers = isinstance(stored, int | float) and isinstance(wanted, int | float)
    texts = isinstance(stored, str) and isinstance(wanted, str)
    if not (numbers or texts):
        return False
    if operator is Operator.GT:
        return bool(stored > wanted)
    if operator is Operator.GTE:
        return bool(stored >= wanted)
    if operator is Operator.LT:
        return bool(stored < wanted)
    return bool(stored <= wanted)


_OPERATORS = frozenset(map(str, Operator))

_NO_OPERATORS = frozenset(
    "like ilike near between nin not_in regex matches startswith endswith == != < <= > >= =".split()
)
"""What other query languages call their operators: more likely one of these than a key."""


def parse_condition(
    tree: Any, *, path: str = "where", depth: int = 0, inside: tuple[str, ...] = ()
) -> Condition:
    """Return the condition that a JSON tree describes.

    `{"priority": {"gte": 3}, "team": "red"}` means both; `{"and": […]}`, `{"or": […]}` and
    `{"not": …}` combine; a bare value means `eq`. An object without operators is about the object
    stored there: `{"project": {"name": "alpha", "size": {"gt": 3}}}`; keys that it does not name
    do not matter. `inside` are the keys that lead to the object that the tree is about.

    Raises:
        InvalidInput: The tree is not of that form; the message names the place.
    """
    if depth > DEPTH_MAX:
        raise InvalidInput(path, f"is nested more than {DEPTH_MAX} deep")
    if not isinstance(tree, Mapping):
        raise InvalidInput(path, f"must be an object, got {type(tree).__name__}")
    parts = tuple(
        _parse_entry(key, value, f"{path}.{key}", depth=depth, inside=inside)
        for key, value in tree.items()
    )
    return parts[0] if len(parts) == 1 else AllOf(parts=parts)


def _parse_entry(
    key: Any, value: Any, path: str, *, depth: int, inside: tuple[str, ...]
) -> Condition:
    if not isinstance(key, str):
        raise InvalidInput(path, "must be text")
    if key in ("and", "or"):
        if not isinstance(value, list):
            raise InvalidInput(path, "must be a list of conditions")
        parts = tuple(
            parse_condition(one, path=f"{path}[{i}]", depth=depth + 1, inside=inside)
            for i, one in enumerate(value)
        )
        return AllOf(parts=parts) if key == "and" else AnyOf(parts=parts)
    if key == "not":
        return Not(part=parse_condition(value, path=path, depth=depth + 1, inside=inside))
    keys = (*inside, key)
    if not isinstance(value, Mapping):
        return _compare(keys, Operator.EQ, value, path)
    if value and not any(name in _OPERATORS or _is_foreign(name) for name in value):
        return parse_condition(value, path=path, depth=depth + 1, inside=keys)
    compares = tuple(_parse_compare(keys, name, one, path) for name, one in value.items())
    return compares[0] if len(compares) == 1 else AllOf(parts=compares)


def _is_foreign(name: Any) -> bool:
    """Return whether a name is an operator of another query language, or nearly one of these."""
    if not isinstance(name, str):
        return False
    return name.startswith("$") or name.strip("_ ").lower() in _OPERATORS | _NO_OPERATORS


def _parse_compare(keys: tuple[str, ...], name: Any, operand: Any, path: str) -> Compare:
    try:
        operator = Operator(name)
    except ValueError:
        known = ", ".join(Operator)
        raise InvalidInput(path, f"knows no operator {name!r}; there are {known}") from None
    return _compare(keys, operator, operand, path)


def _compare(keys: tuple[str, ...], operator: Operator, value: Any, path: str) -> Compare:
    try:
        return Compare(key=keys[0], path=keys[1:], operator=operator, value=value)
    except InvalidInput as error:
        raise InvalidInput(path, error.problem) from None
