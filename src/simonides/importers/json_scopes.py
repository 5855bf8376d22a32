"""Lists of messages in JSON, each with the plain fields of the object that it lies in.

A chat's name stands before its messages, of which there may be millions: both are read in one
pass, with the memory of one message. Must not know what the fields mean.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ijson

from simonides.importers.charset import stream_encoding
from simonides.importers.json_parts import (
    CHUNK_BYTES,
    MALFORMED,
    SAMPLE_BYTES,
    Part,
    Utf8,
    malformed,
)
from simonides.ports.importer import SourceFile

FIELDS_MAX = 200
"""Most plain fields of an object that are kept for its list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoped:
    """One record of a list, and the fields beside the list by dotted name: `channel.name`."""

    value: Any
    scope: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)


def scoped_records(file: SourceFile, *lists: str) -> Iterator[Part]:
    """Yield the records of the lists at these paths (`chats.list.item.messages`), each `Scoped`.

    `scope` counts the lists. Only fields before the list are known, as programs write them.
    """
    number = 0
    with file.path.open("rb") as stream:
        encoding = stream_encoding(stream.read(SAMPLE_BYTES))
        stream.seek(0)
        text = Utf8(stream, encoding)
        try:
            for found in _records(text, lists):
                number += 1
                text.since = 0
                done = min(text.done, file.size_bytes)
                yield Part(value=found, place=f"record {number}", bytes_done=done)
        except MALFORMED as error:
            place = f"after record {number}"
            yield Part(problem=malformed(error), place=place, bytes_done=file.size_bytes)


def _records(text: Utf8, lists: tuple[str, ...]) -> Iterator[Scoped]:
    """Yield the members of each list as they end."""
    members = {f"{one}.item" for one in lists}
    parents = {one.rpartition(".")[0] for one in lists}
    fields: dict[str, Any] = {}
    scope, inside, builder = 0, "", ijson.ObjectBuilder()
    for prefix, event, value in ijson.parse(
        text, use_float=True, multiple_values=True, buf_size=CHUNK_BYTES
    ):
        if inside:
            builder.event(event, value)
            if prefix == inside and event in ("end_map", "end_array"):
                yield Scoped(value=builder.value, scope=scope, fields=dict(fields))
                inside = ""
        elif prefix in members and event.startswith("start_"):
            inside, builder = prefix, ijson.ObjectBuilder()
            builder.event(event, value)
        elif prefix in parents and event == "start_map":
            fields.clear()
            scope += 1
        else:
            text.since = 0  # nothing is built here
            if event in ("string", "number", "boolean") and len(fields) < FIELDS_MAX:
                fields[_below(prefix, parents)] = value


def _below(prefix: str, parents: set[str]) -> str:
    """Return a path below the object that holds a list: `channel.name`."""
    own = max((one for one in parents if one and prefix.startswith(f"{one}.")), key=len, default="")
    return prefix.removeprefix(f"{own}.") if own else prefix
