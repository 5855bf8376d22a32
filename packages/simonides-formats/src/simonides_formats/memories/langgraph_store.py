"""Items of a LangGraph store: as `Item.dict()`, its HTTP interface and its tables give them.

Must not know how a memory becomes an item.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from simonides.importers.json_parts import load_untrusted, parts
from simonides.importers.json_values import (
    CLEAN_DEPTH_MAX,
    each,
    fields_of,
    flat,
    when,
    words,
)
from simonides.importers.records import Missing, record_events
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.memories.memory_record import Found, MemoryRecord

CONTAINERS = ("items", "store", "results")

_TEXTS = ("content", "memory", "text", "data", "value")
"""Where values hold their words: LangMem's memories, and the examples of LangGraph."""

Fields = Mapping[str, Any]


def read_langgraph_store(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the items of a store as memories, or why one is passed over."""
    return record_events(file, parts(file, *CONTAINERS), _find, kind="memories")


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    item = fields_of(record)
    key, namespace = words(item.get("key")), _namespace(item)
    if not key or "value" not in item:
        yield Missing(place=key, reason="not an item of a store: it has no key, or no value")
        return
    text, more = _words_and_rest(_value(item["value"]))
    place = "/".join((*namespace, key))
    if not text:
        yield Missing(place=place, reason="has no words")
        return
    created = when(item.get("created_at"))
    yield MemoryRecord(
        source=file.source or "langgraph",
        source_id=place,
        text=text,
        created=created,
        revised_at=when(item.get("updated_at")) or created,
        expires_at=when(item.get("expires_at")),
        more={**more, "namespace": namespace, "key": key},
    )


def _namespace(item: Fields) -> list[str]:
    stated = item.get("namespace", item.get("prefix"))
    return words(stated).split(".") if isinstance(stated, str) else list(map(words, each(stated)))


def _value(value: Any) -> Any:
    """Return a value; a text that is an object in JSON, as some tables hold it, as that object."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return load_untrusted(value)
        except ValueError:
            return value
    return value


def _words_and_rest(value: Any) -> tuple[str, dict[str, Any]]:
    """Return the words of a value, and its other fields; where none are named, all in words."""
    rest: dict[str, Any] = {}
    for _ in range(CLEAN_DEPTH_MAX):  # LangMem: {"kind": "Memory", "content": {"content": "…"}}
        fields = fields_of(value)
        name = next((one for one in _TEXTS if fields.get(one)), "")
        if not isinstance(fields.get(name), str | Mapping):
            break
        rest |= {other: one for other, one in fields.items() if other != name}
        value = fields[name]
    return flat(value), rest
