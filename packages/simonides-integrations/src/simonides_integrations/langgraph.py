"""A LangGraph store: `SimonidesStore(memory)` wherever a `BaseStore` is wanted.

A namespace is a collection, a key with its namespace an item of source `langgraph`; the value is
kept whole in its metadata, and what is to be found of it is the item's text.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Literal, cast
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
)

from simonides import (
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Conflict,
    Filter,
    Kind,
    Memory,
    MemoryTraits,
    NotFound,
    Operator,
)
from simonides import Item as Kept
from simonides.api.paging import each_item
from simonides.model.bounds import check_json
from simonides_integrations.items import NO_TEXT, PAGE, question_of

SOURCE = "langgraph"
VALUE, KEY, NAMESPACE, CREATED_AT, TTL = "_value", "_key", "_namespace", "_created_at", "_ttl"
IS_INDEXED = "_indexed"
"""Keys of the metadata: kept and filtered on, never indexed."""

WHOLE = "$"
"""The path of a value itself."""

OPERATORS = {"$eq": "eq", "$ne": "ne", "$gt": "gt", "$gte": "gte", "$lt": "lt", "$lte": "lte"}

Place = tuple[tuple[str, ...], str]
Scored = tuple[Kept, float | None]

_FILTER_KEY = re.compile(r"[\w-]+(?:\.[\w-]+)*")


class SimonidesStore(BaseStore):
    """A store whose searches are those of a `Memory`, and whose values have a history there.

    Reads of a batch see one state, that before its writes; its writes are one transaction. `index`
    names the fields whose text is found, as paths ("memory", "notes[*].text"), or is LangGraph's
    own configuration, whose `embed` and `dims` are not needed; all texts without it. Scores are
    the probabilities in [0, 1] that an item belongs to the answer.
    """

    supports_ttl = True
    __slots__ = ("index", "memory", "ttl_config")

    def __init__(
        self,
        memory: Memory,
        *,
        index: Sequence[str] | IndexConfig = (WHOLE,),
        ttl: TTLConfig | None = None,
    ) -> None:
        fields = index.get("fields") or (WHOLE,) if isinstance(index, dict) else index
        self.memory = memory
        self.index = tuple(fields)
        self.ttl_config = ttl

    def sweep_ttl(self) -> int:
        """Forget what has ended, and return how many; it is not shown anyway."""
        now = datetime.now(UTC)
        wanted = Filter(sources=[SOURCE], expired=True)
        ids = [one.id for one in each_item(self.memory, wanted) if _has_ended(one, now)]
        return len(self.memory.forget(*ids)) if ids else 0

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of operations, in their order."""
        listed = list(ops)
        reading = _Reading(self.memory, is_alone=len(listed) == 1)
        results = [None if isinstance(op, PutOp) else reading.result(op) for op in listed]
        puts = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        self._write(puts)
        self._prolong(item for place, item in reading.refreshed.items() if place not in puts)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of operations, in their order, from a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _write(self, puts: Mapping[Place, PutOp]) -> None:
        """Write the puts and deletions of a batch at once."""
        now = datetime.now(UTC)
        kept = [self._item(op, op.value, now) for op in puts.values() if op.value is not None]
        gone = [_id(*place) for place, op in puts.items() if op.value is None]
        if kept or gone:
            self.memory.write(add=kept, forget=gone)

    def _prolong(self, read: Iterable[Kept]) -> None:
        """Let live longer what was read; what somebody changed meanwhile has an end of its own."""
        for item in read:
            with suppress(Conflict, NotFound):
                traits = _lifetime(item.metadata[TTL], datetime.now(UTC))
                self.memory.update(item.id, traits=traits, if_version=item.version)

    def _item(self, op: PutOp, value: Mapping[str, Any], now: datetime) -> Kept:
        before = _present(self.memory, op.namespace, op.key)
        created_at = before.metadata[CREATED_AT] if before else now.isoformat()
        text = _text(value, self.index if op.index is None else op.index)
        traits = _lifetime(op.ttl, now)
        return Kept(
            kind=Kind.MEMORY,
            content=text,
            title="" if text else NO_TEXT,
            source=SOURCE,
            source_id=_source_id(op.namespace, op.key),
            collection=_collection(op.namespace),
            metadata={
                VALUE: _as_json(value),
                KEY: op.key,
                NAMESPACE: list(op.namespace),
                CREATED_AT: created_at,
                TTL: op.ttl if traits.expires_at else None,
                IS_INDEXED: bool(text),
            },
            traits=traits,
        )


class _Reading:
    """The reads of one batch, all of one state."""

    def __init__(self, memory: Memory, *, is_alone: bool) -> None:
        self._memory = memory
        self._as_of = None if is_alone else _revision(memory)
        self.refreshed: dict[Place, Kept] = {}

    def result(self, op: Op) -> Result:
        """Return the result of a read."""
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._namespaces(cast("ListNamespacesOp", op))

    def _get(self, op: GetOp) -> Item | None:
        found = _present(self._memory, op.namespace, op.key, as_of=self._as_of)
        if found is None:
            return None
        self._refresh([found], wanted=op.refresh_ttl)
        return Item(**_fields(found))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = _filter(self._memory, op, self._as_of)
        if wanted is None:
            return []
        end, question = op.offset + op.limit, question_of(op.query or "")
        ways = self._ask(question, wanted, end) if question else self._list(wanted, score=None)
        found = [*islice(ways, op.offset, end)]
        self._refresh([item for item, _ in found], wanted=op.refresh_ttl)
        return [SearchItem(**_fields(item), score=score) for item, score in found]

    def _ask(self, query: str, wanted: Filter, most: int) -> Iterator[Scored]:
        """Yield what a search finds, best first, then the others that are indexed, then the rest.

        A limit is filled up with them, newest first; what is indexed always has a score.
        """
        indexed, rest = (_where_indexed(wanted, operator) for operator in ("eq", "ne"))
        hits = self._memory.search(query, filter=indexed, limit=min(most, PAGE), as_of=self._as_of)
        yield from ((hit.item, hit.relevance) for hit in hits)
        others = replace(indexed, without_ids=tuple(hit.id for hit in hits))
        yield from self._list(others, score=0.0)
        yield from self._list(rest, score=None)

    def _list(self, wanted: Filter, *, score: float | None) -> Iterator[Scored]:
        return ((item, score) for item in each_item(self._memory, wanted, as_of=self._as_of))

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        found = {
            namespace[: op.max_depth]
            for namespace in _namespaces(self._memory, self._as_of)
            if all(_matches(namespace, one) for one in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _refresh(self, items: Iterable[Kept], *, wanted: bool) -> None:
        """Note what lives longer for having been read."""
        for item in items:
            if wanted and item.metadata[TTL] is not None:
                self.refreshed[tuple(item.metadata[NAMESPACE]), item.metadata[KEY]] = item


def _revision(memory: Memory) -> int | None:
    """Return the present revision; None where nothing was ever written."""
    try:
        return memory.stats().revision
    except NotFound:
        return None


def _where_indexed(wanted: Filter, operator: str) -> Filter:
    """Return a filter that also asks whether a value is indexed (`eq`) or not (`ne`)."""
    indexed = Compare(key=IS_INDEXED, operator=Operator(operator), value=True)
    parts = (indexed, wanted.where) if wanted.where else (indexed,)
    return replace(wanted, where=AllOf(parts=parts))


def _collection(namespace: Sequence[str]) -> str:
    return "/".join((SOURCE, *(quote(label, safe=" ") for label in namespace)))


def _namespace(collection: str) -> tuple[str, ...]:
    return tuple(unquote(label) for label in collection.split("/")[1:])


def _source_id(namespace: Sequence[str], key: str) -> str:
    return f"{_collection(namespace)}/{quote(key, safe=' ')}"


def _id(namespace: Sequence[str], key: str) -> str:
    """Return the id that an item derives from its source and its source id."""
    return Kept(title=NO_TEXT, source=SOURCE, source_id=_source_id(namespace, key)).id


def _present(
    memory: Memory, namespace: Sequence[str], key: str, *, as_of: int | None = None
) -> Kept | None:
    try:
        item = memory.get(_id(namespace, key), as_of=as_of)
    except NotFound:
        return None
    return None if _has_ended(item, datetime.now(UTC)) else item


def _has_ended(item: Kept, now: datetime) -> bool:
    ends_at = item.traits.expires_at if item.traits else None
    return ends_at is not None and ends_at <= now


def _lifetime(ttl: float | None, now: datetime) -> MemoryTraits:
    """Return the traits of a memory that ends so many minutes from now; never for None.

    Nor does what would end after the last year there is.
    """
    try:
        ends_at = None if ttl is None else now + timedelta(minutes=ttl)
    except OverflowError:
        ends_at = None
    return MemoryTraits(expires_at=ends_at)


def _as_json(value: Mapping[str, Any]) -> Any:
    """Return a value as JSON gives it back.

    Raises:
        InvalidInput: A part of it is no JSON, as a date is none; it is named.
    """
    kept: Any = value
    with suppress(TypeError, ValueError, RecursionError):  # the check says which part it is
        kept = json.loads(json.dumps(value))
    check_json(kept, field="value")
    return kept


def _text(value: Mapping[str, Any], index: Sequence[str] | Literal[False]) -> str:
    """Return the text that is found of a value: those at these paths, `$` standing for all."""
    texts: list[str] = []
    for path in index or ():
        texts += _whole(value) if path == WHOLE else get_text_at_path(value, tokenize_path(path))
    return "\n".join(texts)


def _whole(value: Mapping[str, Any]) -> list[str]:
    """Return a line for each text or number of a value with its key; a single one alone."""
    leaves = list(_leaves("", value))
    if len(leaves) == 1:
        return [leaves[0][1]]
    return [f"{key}: {text}" for key, text in leaves]


def _leaves(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(name, inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(key, inner)
    elif value is not None and str(value).strip():
        yield key, str(value)


def _fields(item: Kept) -> dict[str, Any]:
    return {
        "value": item.metadata[VALUE],
        "key": item.metadata[KEY],
        "namespace": tuple(item.metadata[NAMESPACE]),
        "created_at": datetime.fromisoformat(item.metadata[CREATED_AT]),
        "updated_at": item.stored_at,
    }


# ── filters ───────────────────────────────────────────────────────────────────────────────────


def _namespaces(memory: Memory, as_of: int | None) -> Iterator[tuple[str, ...]]:
    counts = memory.counts(filter=Filter(sources=[SOURCE]), as_of=as_of)
    return map(_namespace, counts.by_collection)


def _filter(memory: Memory, op: SearchOp, as_of: int | None) -> Filter | None:
    """Return the filter of a search; None where no namespace begins so."""
    prefix, conditions = op.namespace_prefix, _conditions(op.filter or {}, ())
    where = AllOf(parts=tuple(conditions))
    if not prefix:
        return Filter(sources=[SOURCE], where=where)
    below = [one for one in _namespaces(memory, as_of) if one[: len(prefix)] == prefix]
    if not below:
        return None
    return Filter(sources=[SOURCE], collections=map(_collection, below), where=where)


def _conditions(wanted: Mapping[str, Any], path: Sequence[str]) -> Iterator[Condition]:
    """Yield a condition for each key of a filter, at its place in the value.

    Raises:
        ValueError: A key or an operator is none.
    """
    for key, expected in wanted.items():
        if not _FILTER_KEY.fullmatch(key):
            raise ValueError(f"Invalid filter key: {key!r}; letters, digits, _ - and . are allowed")
        places = {(key,), tuple(key.split("."))}  # a key may have a point, or name a path
        yield AnyOf(
            parts=tuple(AllOf(parts=tuple(_at([*path, *one], expected))) for one in sorted(places))
        )


def _at(path: Sequence[str], expected: Any) -> Iterator[Condition]:
    if not isinstance(expected, Mapping):
        yield _compare(path, "eq", expected)
    elif any(name.startswith("$") for name in expected):
        for name, value in expected.items():
            if name not in OPERATORS:
                known = ", ".join(OPERATORS)
                raise ValueError(f"Unsupported operator: {name}; there are {known}")
            yield _compare(path, OPERATORS[name], value)
    else:
        yield from _conditions(expected, path)


def _compare(path: Sequence[str], operator: str, value: Any) -> Condition:
    compared = Compare(key=VALUE, operator=Operator(operator), value=value, path=tuple(path))
    if operator == "eq" and value is None:  # what is not there is None, too
        there = Compare(key=VALUE, operator=Operator.EXISTS, value=False, path=tuple(path))
        return AnyOf(parts=(compared, there))
    return compared


def _matches(namespace: Sequence[str], condition: MatchCondition) -> bool:
    """Return whether a namespace begins or ends so; `*` stands for any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
