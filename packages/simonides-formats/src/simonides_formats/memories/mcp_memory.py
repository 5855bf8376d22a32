"""The knowledge graph of the reference MCP memory server: `memory.jsonl`, and `read_graph` answers.

One memory for each observation and each relation, in the shape of `memories.graph`. Must not know
how a memory becomes an item.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import each, fields_of, find_named, iso, lines, when, words
from simonides.importers.records import Missing, record_events
from simonides.memories.graph import SOURCE, GraphMemory, Relation, make_observation, make_relation
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.memories.memory_record import Found, MemoryRecord

Fields = Mapping[str, Any]


def read_mcp_memory(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the observations and relations of a graph, or why one is passed over."""
    return record_events(file, parts(file), _find, kind="memories")


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    value = fields_of(record)
    if "entities" in value or "relations" in value:
        for one in chain(each(value.get("entities")), each(value.get("relations"))):
            yield from _one(fields_of(one), file)
    else:
        yield from _one(value, file)


def _one(value: Fields, file: SourceFile) -> Iterator[Found]:
    kind = words(value.get("type"))
    if "relationType" in value or kind == "relation":
        yield _relation(value, file)
    elif "entityType" in value or kind == "entity":
        yield from _observations(value, file)
    elif not kind.startswith("_"):  # the first line of some servers says what wrote the file
        yield Missing(place="", reason="neither an entity nor a relation")


def _record(file: SourceFile, memory: GraphMemory, value: Fields) -> MemoryRecord:
    """Return a memory; the server keeps no times, a few of its kind do."""
    created = when(value.get("createdAt") or value.get("timestamp") or value.get("created_at"))
    modified = {} if created else {"modified_at": iso(file.modified_at)}
    return MemoryRecord(
        source=file.source or SOURCE,
        source_id=memory.source_id,
        text=memory.text,
        tags=memory.tags,
        created=created,
        more={**memory.metadata, **modified},
    )


def _relation(value: Fields, file: SourceFile) -> Found:
    start, end = words(value.get("from")), words(value.get("to"))
    name = words(value.get("relationType"))
    if not (start and end and name):
        return Missing(place=name, reason="a relation without both its ends")
    return _record(file, make_relation(Relation(start=start, name=name, end=end)), value)


def _observations(value: Fields, file: SourceFile) -> Iterator[Found]:
    """Yield what is known of an entity; of one without observations, that there is one."""
    name, kind = words(value.get("name")), words(value.get("entityType"))
    if not name:
        yield Missing(place="", reason="an entity without a name")
        return
    observations = each(value.get("observations"))
    if not observations:
        yield _record(file, make_observation(name, kind, ""), value)
    for one in observations:
        text = lines(one) or find_named(one, "content", "text", "observation")
        if not text:
            yield Missing(place=name, reason="an observation without words")
            continue
        yield _record(file, make_observation(name, kind, text), {**value, **fields_of(one)})
