"""Memories of no program in particular: a list of texts, with times and labels under usual names.

`{"memory": "User lives in Hamburg", "created_at": …}`, `{"fact": …, "confidence": …}`, a statement
of subject, predicate and object, a key with its value, or plain texts. Must not know how a memory
becomes an item.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from simonides.importers.derived_ids import DerivedIds
from simonides.importers.json_parts import parts
from simonides.importers.json_values import each, fields_of, lines, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import MemoryType
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.memories.memory_record import Found, MemoryRecord

CONTAINERS = ("memories", "facts", "results", "data.memories", "data", "items", "entries")

TEXTS = (
    "memory", "fact", "statement", "observation", "content", "text", "note", "summary",
    "description", "body",
)  # fmt: skip
"""Names under which the words of a memory stand, the surest first."""

_IDS = ("id", "memory_id", "uuid", "_id")
_CREATED = ("created_at", "createdAt", "created", "timestamp", "happened_at", "date", "time")
_UPDATED = ("updated_at", "updatedAt", "updated", "modified", "last_updated")
_EXPIRES = ("expires_at", "expiresAt", "expiration_date")
_TAGS = ("tags", "categories", "category", "labels", "keywords", "topics", "topic")
_TRIPLE = ("subject", "predicate", "object")
_TYPES = {
    "profile": MemoryType.PROFILE, "preference": MemoryType.PROFILE, "fact": MemoryType.PROFILE,
    "semantic": MemoryType.PROFILE, "policy": MemoryType.POLICY, "rule": MemoryType.POLICY,
    "instruction": MemoryType.POLICY, "procedural": MemoryType.POLICY,
}  # fmt: skip
"""The type of a memory by what other programs call it; any other is what happened."""
_OWN = frozenset(
    [*TEXTS, *_IDS, *_CREATED, *_UPDATED, *_EXPIRES, *_TAGS, *_TRIPLE, "key", "value", "title",
     "name", "user_id", "userId", "session_id", "importance", "confidence", "embedding", "vector",
     "metadata"]
)  # fmt: skip
_TEN = 10.0
"""Importance and confidence above 1 are of a scale of ten."""

Fields = Mapping[str, Any]


def read_memory_list(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the memories of a file, or why one is passed over."""
    found = partial(_find, ids=DerivedIds())
    return record_events(file, parts(file, *CONTAINERS), found, kind="memories")


def _find(record: Any, file: SourceFile, *, ids: DerivedIds) -> Iterator[Found]:
    value = {"text": record} if isinstance(record, str) else fields_of(record)
    text = _text(value)
    if not text:
        yield Missing(place=_first(value, _IDS), reason=f"a memory without {', '.join(TEXTS)}")
        return
    more = {name: one for name, one in value.items() if name not in _OWN}
    revised = _when(value, _UPDATED)
    created = _when(value, _CREATED) or revised
    yield MemoryRecord(
        source=file.source or "memories",
        source_id=_first(value, _IDS) or ids.of(text),
        title=words(value.get("title")),
        text=text,
        type=_TYPES.get(words(value.get("type")).casefold(), MemoryType.EPISODIC),
        user_id=_first(value, ("user_id", "userId")),
        session_id=words(value.get("session_id")),
        tags=tuple(tag for name in _TAGS for tag in _tags(value.get(name))),
        created=created,
        revised_at=revised or created,
        expires_at=_when(value, _EXPIRES),
        confidence=_share(value.get("confidence")),
        importance=_share(value.get("importance")),
        more={**more, **fields_of(value.get("metadata"))},
    )


def _text(value: Fields) -> str:
    """Return the words of a memory: under a usual name, of a statement, or a key and its value."""
    said = next(filter(None, (lines(value.get(name)) for name in TEXTS)), "")
    statement = [words(value.get(name)).replace("_", " ") for name in _TRIPLE]
    key, held = words(value.get("key")).replace("_", " "), value.get("value")
    if said or all(statement):
        return said or " ".join(statement)
    is_plain = isinstance(held, str | int | float)
    return f"{key}: {held}" if key and is_plain else lines(held)


def _first(value: Fields, names: tuple[str, ...]) -> str:
    return next(filter(None, (words(value.get(name)) for name in names)), "")


def _when(value: Fields, names: tuple[str, ...]) -> Any:
    return next(filter(None, (when(value.get(name)) for name in names)), None)


def _tags(value: Any) -> Iterator[str]:
    yield from filter(None, map(words, each(value) or [value]))


def _share(value: Any) -> float | None:
    """Return a number from 0 to 1, or of a scale of ten as one; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _TEN:
        return None
    return float(value) if value <= 1 else value / _TEN
