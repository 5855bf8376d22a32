"""JSON of any size as a stream: the values at one place, in the memory of one of them.

Needs the extra `exports`. Must not know what the values mean.
"""

import codecs
from collections.abc import Iterator
from typing import Any, BinaryIO

try:
    import ijson
except ImportError:  # the extra `exports`: without it files are read whole
    ijson = None

from simonides.importers.json_part import FIELDS_MAX, PART_BYTES_MAX, Part, Scoped
from simonides.ports.importer import SourceFile

_CHUNK_BYTES = 64 << 10

IS_AVAILABLE = ijson is not None
"""Whether the library for streams is installed."""

_OF_LIBRARY = (ijson.JSONError,) if IS_AVAILABLE else ()
MALFORMED = (*_OF_LIBRARY, ValueError, OverflowError, RecursionError)
"""What damaged JSON makes the library raise."""


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


def streamed(file: SourceFile, encoding: str, containers: tuple[str, ...]) -> Iterator[Part]:
    """Yield the values of a JSON file: those of the list that holds its records, or all."""
    number = 0
    with file.path.open("rb") as stream:
        text = _Utf8(stream, encoding)
        try:
            prefix = _prefix(file, encoding, containers)
            for value in ijson.items(
                text, prefix, multiple_values=True, use_float=True, buf_size=_CHUNK_BYTES
            ):
                number += 1
                text.since = 0
                yield Part(value=value, bytes_done=min(text.done, file.size_bytes))
        except MALFORMED as error:
            yield _malformed(error, number, file)


def _prefix(file: SourceFile, encoding: str, containers: tuple[str, ...]) -> str:
    """Return ijson's name of the place where the records of this file lie."""
    with file.path.open("rb") as stream:
        text = _Utf8(stream, encoding)
        for prefix, event, _ in ijson.parse(text, use_float=True, buf_size=_CHUNK_BYTES):
            text.since = 0  # nothing is built here
            if event == "start_array" and prefix == "":
                return "item"
            if event == "start_array" and prefix in containers:
                return f"{prefix}.item"
            if event == "end_map" and prefix == "":
                break
    return ""


def _malformed(error: Exception, number: int, file: SourceFile) -> Part:
    reason = "JSON: is malformed: " + str(error).strip().split("\n")[0][:200]
    return Part(problem=reason, place=f"after record {number}", bytes_done=file.size_bytes)


def streamed_scopes(file: SourceFile, encoding: str, lists: tuple[str, ...]) -> Iterator[Part]:
    """Yield the records of the lists at these paths, as `json_scopes` describes them."""
    number = 0
    with file.path.open("rb") as stream:
        text = _Utf8(stream, encoding)
        try:
            for found in _scoped(text, lists):
                number += 1
                text.since = 0
                done = min(text.done, file.size_bytes)
                yield Part(value=found, place=f"record {number}", bytes_done=done)
        except MALFORMED as error:
            yield _malformed(error, number, file)


def _scoped(text: _Utf8, lists: tuple[str, ...]) -> Iterator[Scoped]:
    """Yield the members of each list as they end."""
    members = {f"{one}.item" for one in lists}
    parents = {one.rpartition(".")[0] for one in lists}
    fields: dict[str, Any] = {}
    scope, inside, builder = 0, "", ijson.ObjectBuilder()
    for prefix, event, value in ijson.parse(
        text, use_float=True, multiple_values=True, buf_size=_CHUNK_BYTES
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
