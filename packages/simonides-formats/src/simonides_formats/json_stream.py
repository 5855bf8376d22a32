"""JSON of any size as a stream: the values at one place, in the memory of one of them.

Needs the extra `exports`. Must not know what the values mean.
"""

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

try:
    import ijson
except ImportError:  # the extra `exports`: without it files are read whole
    ijson = None

from simonides.importers.json_parts import PART_BYTES_MAX, TOO_DEEP, JsonPart
from simonides.ports.importer import SourceFile
from simonides_formats.json_walk import DEEP, ENDS, MEMBER, Walk, path_of

_CHUNK_BYTES = 64 << 10

FIELDS_MAX = 200
"""Most plain fields of an object that are kept for its list."""

IS_AVAILABLE = ijson is not None
"""Whether the library for streams is installed."""

_OF_LIBRARY = (ijson.JSONError,) if IS_AVAILABLE else ()
MALFORMED = (*_OF_LIBRARY, ValueError, OverflowError, RecursionError)
"""What damaged JSON makes the library raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoped:
    """One record of a list, and the fields beside the list by dotted name: `channel.name`."""

    value: Any
    scope: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)


class _Utf8:
    """A file as UTF-8, whatever its encoding; damaged bytes become U+FFFD.

    Counts the bytes read since the last record, so that a record without end is noticed.
    """

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.done = 0
        self.since = 0

    def read(self, size: int = -1) -> bytes:
        """Return about `size` bytes more; none at the end."""
        if size == 0:
            return b""
        while raw := self._stream.read(size):
            self.done += len(raw)
            self.since += len(raw)
            if self.since > PART_BYTES_MAX:
                raise ijson.JSONError(f"one record is longer than {PART_BYTES_MAX:,} bytes")
            text = self._decoder.decode(raw)
            if text:
                return text.encode(errors="replace")
        return self._decoder.decode(b"", final=True).encode(errors="replace")


def stream(file: SourceFile, encoding: str, containers: tuple[str, ...]) -> Iterator[JsonPart]:
    """Yield the values of a JSON file: those of the list that holds its records, or all."""
    number = 0
    with file.path.open("rb") as stream:
        text = _Utf8(stream, encoding)
        try:
            path = _records_path(file, encoding, [path_of(one) for one in containers])
            for value in _at(path, text):
                number += 1
                yield _part(value, number, text, file)
        except MALFORMED as error:
            yield _describe_malformed(error, number, file)


def _part(value: Any, number: int, text: _Utf8, file: SourceFile) -> JsonPart:
    """Return a value as a part; one that is nested too deep as a problem."""
    text.since = 0
    done = min(text.done, file.size_bytes)
    place = f"record {number}"
    if value is DEEP:
        return JsonPart(problem=f"JSON: is {TOO_DEEP}", place=place, bytes_done=done)
    return JsonPart(value=value, place=place, bytes_done=done)


def _walk(text: _Utf8, *, multiple_values: bool = True) -> Walk:
    """Return a walk through a file; events without paths, which grow with the square of depth."""
    events = ijson.basic_parse(
        text, use_float=True, multiple_values=multiple_values, buf_size=_CHUNK_BYTES
    )
    return Walk(events)


def _at(path: list[str], text: _Utf8) -> Iterator[Any]:
    """Yield each value that lies at this place."""
    walk = _walk(text)
    for names, event, value in walk:
        if names == path and event not in ENDS:
            yield walk.build(event, value)
        else:
            text.since = 0  # nothing is built here


def _records_path(file: SourceFile, encoding: str, containers: list[list[str]]) -> list[str]:
    """Return the place where the records of this file lie."""
    with file.path.open("rb") as stream:
        text = _Utf8(stream, encoding)
        for names, event, _ in _walk(text, multiple_values=False):
            text.since = 0  # nothing is built here
            if event == "start_array" and not names:
                return [MEMBER]
            if event == "start_array" and names in containers:
                return [*names, MEMBER]
            if event == "end_map" and not names:
                break
    return []


def _describe_malformed(error: Exception, number: int, file: SourceFile) -> JsonPart:
    reason = "JSON: is malformed: " + str(error).strip().split("\n")[0][:200]
    return JsonPart(problem=reason, place=f"after record {number}", bytes_done=file.size_bytes)


def stream_scopes(file: SourceFile, encoding: str, lists: tuple[str, ...]) -> Iterator[JsonPart]:
    """Yield the records of the lists at these paths, as `json_scopes` describes them."""
    number = 0
    with file.path.open("rb") as stream:
        text = _Utf8(stream, encoding)
        try:
            for found in _read_scoped(text, [path_of(one) for one in lists]):
                number += 1
                yield _part(DEEP if found.value is DEEP else found, number, text, file)
        except MALFORMED as error:
            yield _describe_malformed(error, number, file)


def _read_scoped(text: _Utf8, lists: list[list[str]]) -> Iterator[Scoped]:
    """Yield the members of each list as they end."""
    members, parents = [[*one, MEMBER] for one in lists], [one[:-1] for one in lists]
    fields: dict[str, Any] = {}
    scope, walk = 0, _walk(text)
    for names, event, value in walk:
        if names in members and event.startswith("start_"):
            yield Scoped(value=walk.build(event, value), scope=scope, fields=dict(fields))
        elif names in parents and event == "start_map":
            fields.clear()
            scope += 1
        else:
            text.since = 0  # nothing is built here
            if event in ("string", "number", "boolean") and len(fields) < FIELDS_MAX:
                fields |= dict.fromkeys(_below(names, parents), value)


_FIELD_NAMES_MAX, _FIELD_CHARS_MAX = 2, 200
"""Most names, and characters of them, that lead to a field that is kept: `channel.name`."""


def _below(names: list[str], parents: list[list[str]]) -> Iterator[str]:
    """Yield a path below the object that holds a list; none for what lies deeper."""
    own = max((len(one) for one in parents if names[: len(one)] == one), default=0)
    left = names[own:]
    if len(left) <= _FIELD_NAMES_MAX and sum(map(len, left)) <= _FIELD_CHARS_MAX:
        yield ".".join(left)
