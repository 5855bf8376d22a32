"""Memories of mem0: answers of its platform and library, exports, and histories.

Must not know how a memory becomes an item.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from simonides.importers.json_parts import JsonPart, parts
from simonides.importers.json_values import each, fields_of, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import Status
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.memories.memory_record import Found, MemoryRecord

CONTAINERS = ("results", "memories", "data.results", "data.memories", "items")

SORTED_ROWS = 50_000
"""So many rows of a history are put in the order of their times together."""

_TEXTS = ("memory", "text", "content", "data")
_OWN = frozenset(
    "id memory text content data hash metadata score created_at updated_at user_id agent_id run_id "
    "app_id app_name categories expiration_date history event input state archived_at deleted_at "
    "actor_id role name embedding owner organization".split()
)

Fields = Mapping[str, Any]


def read_mem0(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the memories of a file with their states, or why one is passed over."""
    return record_events(file, _in_order(parts(file, *CONTAINERS)), _find, kind="memories")


def _in_order(found: Iterator[JsonPart]) -> Iterator[JsonPart]:
    """Yield rows of a history by time, so that no later state comes before an earlier one."""
    first = next(found, None)
    if first is None:
        return
    if "memory_id" not in fields_of(first.value):
        yield first
        yield from found
        return
    block = [first, *islice(found, SORTED_ROWS)]
    while block:
        done = block[-1].bytes_done
        for part in sorted(block, key=_row_time):
            yield replace(part, bytes_done=done)
        block = list(islice(found, SORTED_ROWS))


def _row_time(part: JsonPart) -> float:
    at = _read_changed_at(fields_of(part.value))
    return at.timestamp() if at else 0.0


def _read_changed_at(row: Fields) -> datetime | None:
    return when(row.get("updated_at")) or when(row.get("created_at"))


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    value = fields_of(record)
    source = file.source or "mem0"
    if "relationship" in value:
        yield _relation(value, source=source)
    elif "memory_id" in value:
        yield _row(value, MemoryRecord(source=source, source_id=words(value["memory_id"]), text=""))
    elif not words(value.get("id")):
        yield Missing(place="", reason="not a memory of mem0: it has no id")
    else:
        yield from _states(value, source=source)


def _relation(value: Fields, *, source: str) -> Found:
    """Return a relation of mem0's graph as a sentence."""
    ends = words(value.get("source")), words(value.get("target") or value.get("destination"))
    name = words(value.get("relationship"))
    if not all((*ends, name)):
        return Missing(place=name, reason="a relation without both its ends")
    source_id = f"{ends[0]}/{name}/{ends[1]}"
    text = " ".join((ends[0], name.replace("_", " "), ends[1]))
    return MemoryRecord(source=source, source_id=source_id, text=text)


def _states(value: Fields, *, source: str) -> Iterator[Found]:
    """Yield the earlier states of a memory where its history is given, then the present one."""
    present = _memory(value, source=source)
    rows = sorted(objects(value.get("history")), key=lambda row: str(_read_changed_at(row) or ""))
    for row in rows:
        if lines(row.get("new_memory")) not in ("", present.text):
            yield _row(row, present)
    yield present


def _memory(value: Fields, *, source: str) -> MemoryRecord:
    texts = (lines(value.get(name)) for name in _TEXTS)
    stated = value.get("metadata")
    more = {name: one for name, one in value.items() if name not in _OWN}
    if isinstance(stated, Mapping):
        more |= stated
    created = when(value.get("created_at"))
    return MemoryRecord(
        source=source,
        source_id=words(value.get("id")),
        text=next(filter(None, texts), ""),
        status=Status.DELETED if value.get("state") == "deleted" else Status.ACTIVE,
        user_id=words(value.get("user_id")),
        session_id=words(value.get("run_id")),
        tags=tuple(map(words, each(value.get("categories")))),
        created=created,
        revised_at=when(value.get("updated_at")) or created,
        expires_at=when(value.get("expiration_date")),
        more=more | _agents(value),
    )


def _agents(value: Fields) -> dict[str, str]:
    names = {"agent": "agent_id", "app": "app_id", "speaker": "actor_id"}
    return {name: words(value.get(key)) for name, key in names.items()}


def _row(row: Fields, memory: MemoryRecord) -> Found:
    """Return the state of a memory that a row of its history began; a deletion ends it."""
    text = lines(row.get("new_memory") or row.get("new_value"))
    is_deleted = words(row.get("event")).upper() == "DELETE" or row.get("is_deleted") in (True, 1)
    if is_deleted:
        text = lines(row.get("old_memory") or row.get("prev_value")) or text
    if not (text and memory.source_id):
        return Missing(place=memory.source_id, reason="a change without its text or memory id")
    created = memory.created or when(row.get("created_at"))
    return replace(
        memory,
        text=text,
        status=Status.DELETED if is_deleted else Status.ACTIVE,
        user_id=memory.user_id or words(row.get("user_id")),
        created=created,
        revised_at=_read_changed_at(row) or created,
    )
