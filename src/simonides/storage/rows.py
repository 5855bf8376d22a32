"""Items as rows, read back exactly as written.

Knows the columns of `item`, `chunk` and `mention` and how JSON fields are written. Must not know
of connections, transactions or files.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from typing import Any

from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.item import (
    Item,
    Kind,
    MemoryTraits,
    MemoryType,
    Person,
    Role,
    Scope,
    Status,
    as_kept,
)
from simonides.model.stored import Mention, Prepared, PreparedChunk
from simonides.model.times import microseconds, moment
from simonides.ports.space import ItemRow

TERM_BYTES = 9
"""One entry of a packed term list: a 64-bit hash and a count."""

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

_EMPTY: dict[type, str] = {tuple: "[]", list: "[]", dict: "{}"}
"""What most tags, people and metadata are: the encoder takes 4 µs for each."""


WAITING = 0
"""What `embedded` says of a chunk that waits for its vector; its row has zeros for it, of the same
length, so that the vector is written in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedItem:
    """One item ready to write: the columns from `id` on, its chunks and its mentions."""

    id: str
    digest: bytes
    columns: tuple[Any, ...]
    chunks: tuple[tuple[Any, ...], ...]
    mentions: tuple[tuple[Any, ...], ...]


def pack(prepared: Prepared, *, dimension: int) -> PackedItem:
    """Return the rows of one prepared item, its vectors checked against the space's `dimension`.

    Raises:
        InvalidInput: A value cannot be kept byte for byte, or a chunk does not fit.
    """
    item = prepared.item
    return PackedItem(
        id=item.id,
        digest=prepared.digest,
        columns=(item.id, prepared.digest, *_item_columns(item)),
        chunks=pack_chunks(prepared, dimension=dimension),
        mentions=tuple(_mention(n, one) for n, one in enumerate(prepared.mentions)),
    )


def _item_columns(item: Item) -> tuple[Any, ...]:
    return (
        item.kind.value,
        item.source,
        item.source_id,
        item.collection,
        item.session,
        item.position,
        None if item.happened_at is None else microseconds(item.happened_at, field="happened_at"),
        item.language,
        _encode(item.tags, field="tags") if item.tags else "[]",
        None if item.traits is None else _encode(_traits(item.traits), field="traits"),
        _encode([(p.name, p.address, p.role) for p in item.people], field="people"),
        as_json(dict(item.metadata), field="metadata"),
        item.title,
        item.summary,
        item.content,
        item.quoted,
    )


def _traits(traits: MemoryTraits) -> dict[str, Any]:
    written = {name: getattr(traits, name) for name in MemoryTraits.__slots__}
    if traits.expires_at is not None:
        written["expires_at"] = microseconds(traits.expires_at, field="expires_at")
    return written


def _mention(ordinal: int, one: Mention) -> tuple[Any, ...]:
    return (ordinal, one.entity, one.kind.value, one.name, one.role.value)


def pack_chunks(prepared: Prepared, *, dimension: int) -> tuple[tuple[Any, ...], ...]:
    """Return the rows of the item's chunks, from `ordinal` on; some may wait for their vectors.

    Raises:
        InvalidInput: A chunk lies outside the content, or a blob has the wrong size.
    """
    for chunk in prepared.chunks:
        _check_chunk(chunk, item=prepared.item, dimension=dimension)
    late = (bytes(dimension), WAITING)
    return tuple(
        (n, c.start, c.stop, c.words, int(c.dated), c.length, c.terms)
        + ((c.vector, c.embedded) if c.vector or not dimension else late)
        for n, c in enumerate(prepared.chunks)
    )


def _check_chunk(chunk: PreparedChunk, *, item: Item, dimension: int) -> None:
    if not 0 <= chunk.start <= chunk.stop <= len(item.content):
        problem = f"{chunk.start}..{chunk.stop} lies outside the content of item {item.id!r}"
        raise InvalidInput("chunks", problem)
    if chunk.vector:
        check_vector(chunk.vector, dimension=dimension, of=f"item {item.id!r}")
    if len(chunk.terms) % TERM_BYTES:
        raise InvalidInput("terms", f"of item {item.id!r} are no whole number of entries")


def check_vector(vector: bytes, *, dimension: int, of: str) -> None:
    """Raise `InvalidInput` unless a vector has the space's length."""
    if len(vector) != dimension:
        problem = f"has {len(vector)} dimensions where the space has {dimension}"
        raise InvalidInput("vector", f"{problem} ({of})")


def as_json(value: Any, *, field: str) -> str:
    """Return `value` as compact JSON that reads back as it was, tuples as lists.

    Raises:
        InvalidInput: It holds what JSON cannot keep exactly, and where.
    """
    if not value and type(value) in _EMPTY:
        return _EMPTY[type(value)]
    try:
        _check_keys(value, field)
    except RecursionError as error:
        raise InvalidInput(field, f"cannot be kept as JSON: {error}") from error
    return _encode(value, field=field)


def _encode(value: Any, *, field: str) -> str:
    """Return `value`, whose keys are known to be texts, as `as_json` does."""
    try:
        text = _JSON.encode(value)
        if not text.isascii():
            text.encode()
    except UnicodeEncodeError as error:
        problem = "holds half a character (a lone surrogate); decode it first"
        raise InvalidInput(field, problem) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"cannot be kept as JSON: {error}") from error
    return text


def key_text(name: str) -> str:
    """Return the text that `as_json` writes before the value of the key `name`."""
    return _JSON.encode(name) + ":"


def _check_keys(value: Any, path: str) -> None:
    """Raise an error for keys that are not text, which JSON would convert."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidInput(path, f"key {key!r} must be text")
            _check_keys(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_keys(inner, path)


_DAMAGE = (
    AttributeError, InvalidInput, KeyError, OverflowError, RecursionError, TypeError, ValueError,
)  # fmt: skip
"""What reading a row raises whose bytes were changed by something else than this engine."""


def unpack(row: tuple[Any, ...]) -> Item:
    """Return the item of a row as `item_by_id` selects it.

    Raises:
        StoreCorrupt: The row does not say what an item can be.
    """
    try:
        return _item(row)
    except _DAMAGE as error:
        problem = f"item {row[0]!r} cannot be read back ({error})"
        raise StoreCorrupt(f"{problem}; run `simonides doctor`") from error


_COLUMNS = (
    str, int, int, int, object, str, str, str, str, str, int | None,
    int | None, str, str, str | None, str, str, str, str, str, str,
)  # fmt: skip
"""The types of the columns of an item, in the order of `item_by_id`."""


def _item(row: tuple[Any, ...]) -> Item:
    if not all(map(isinstance, row, _COLUMNS)):
        raise TypeError("a column is of another type")
    (item_id, version, born, stored_us, _digest, kind, source, source_id, collection, session,
     position, happened_us, language, tags, traits, people, metadata, title, summary, content,
     quoted) = row  # fmt: skip
    if not (content.strip() or title.strip()):
        raise ValueError("it has neither words nor a title")
    remembered = "null" if traits is None else traits
    said, tagged, persons, kept = _read(f"[{metadata},{tags},{people},{remembered}]")
    if not isinstance(said, dict):
        raise TypeError("the metadata is no object")
    kept = None if traits is None else read_traits(kept)
    return as_kept(
        Item,
        kind=Kind(kind),
        content=content,
        source=source,
        source_id=source_id,
        id=item_id,
        title=title,
        summary=summary,
        quoted=quoted,
        tags=_texts(tagged),
        people=_people(persons),
        metadata=said,
        collection=collection,
        session=session,
        position=position,
        happened_at=None if happened_us is None else moment(happened_us),
        language=language,
        traits=MemoryTraits() if kept is None and kind == Kind.MEMORY else kept,
        stored_at=moment(stored_us),
        revision=born,
        version=version,
    )


_DECODER = json.JSONDecoder()


def _read(text: str) -> Any:
    """Return the value of JSON as `as_json` writes it: nothing stands around it."""
    value, stop = _DECODER.raw_decode(text)
    if stop != len(text):
        raise ValueError("something stands behind its JSON")
    return value


def _texts(values: list[Any]) -> tuple[str, ...]:
    if not all(map(isinstance, values, repeat(str))):
        raise TypeError("a list holds something else than texts")
    return tuple(values)


_TRAITS: Mapping[str, Any] = {
    "scope": Scope, "type": MemoryType, "status": Status, "confidence": float | int,
    "importance": float | int, "half_life_hours": float | int | None, "entity": str,
    "workspace_id": str, "user_id": str, "session_id": str, "source_run_id": str,
    "expires_at": datetime | None,
}  # fmt: skip
"""The types of the traits, by name."""


def read_traits(fields: dict[str, Any]) -> MemoryTraits:
    """Return the traits of a memory from their JSON; times are microseconds since 1970.

    Raises:
        TypeError: A value is of another type than its field.
        ValueError: A value is out of its range.
        KeyError: A field is not there.
    """
    when = fields.get("expires_at")
    values = {
        **fields,
        "scope": Scope(fields["scope"]),
        "type": MemoryType(fields["type"]),
        "status": Status(fields["status"]),
        "expires_at": None if when is None else moment(when),
    }
    if not all(map(isinstance, map(values.__getitem__, _TRAITS), _TRAITS.values())):
        raise TypeError("a trait is of another type")
    half_life = values["half_life_hours"]
    if not (0 <= values["confidence"] <= 1 and 0 <= values["importance"] <= 1):
        raise ValueError("a share lies outside of 0 to 1")
    if half_life is not None and not half_life >= 0:
        raise ValueError("a half-life is below 0")
    return as_kept(MemoryTraits, **values)


def _people(values: list[Any]) -> tuple[Person, ...]:
    found = []
    for one in values:
        name, address, role = _texts(one)
        if not (name or address):
            raise ValueError("a person has neither a name nor an address")
        found.append(as_kept(Person, name=name, address=address, role=Role(role)))
    return tuple(found)


_INDEXED_TRAITS = tuple(ItemRow._fields[ItemRow._fields.index("scope") : -1])
"""Those that each memory has; the last field, when it expires, came with format 3."""
_NO_TRAITS = (None,) * (len(_INDEXED_TRAITS) + 1)
_TRAITS_KNOWN_MAX = 4096


def item_rows(rows: Iterator[tuple[Any, ...]]) -> Iterator[ItemRow]:
    """Yield the index rows of items from rows as `item_rows` selects them.

    Most memories have the traits of many others: they are read once, as long as rows are yielded.
    """
    known: dict[str | None, tuple[Any, ...]] = {None: _NO_TRAITS}
    for row in rows:
        traits = known.get(row[-1])
        if traits is None:
            traits = _read_indexed_traits(row)
            if len(known) < _TRAITS_KNOWN_MAX:
                known[row[-1]] = traits
        yield ItemRow._make(row[:-1] + traits)


def _read_indexed_traits(row: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        traits = json.loads(row[-1])
        until = traits.get("expires_at")
        if until is not None:
            moment(until)  # what the item can not be read back with, the index must not take in
        return (*(traits[name] for name in _INDEXED_TRAITS), until)
    except _DAMAGE as error:
        problem = f"the traits of item {row[1]!r} cannot be read back ({error})"
        raise StoreCorrupt(f"{problem}; run `simonides doctor`") from error


def lookup_text(text: str) -> str:
    """Return `text`, or if it has a lone surrogate, a value that no stored text equals."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "\x00"
    return text
