"""The records of a JSON file, one by one: a list, an object around a list, lines, or one object.

Reads JSON of any size with the memory of one record, in any Unicode encoding. Must not know what
the records mean.
"""

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import ijson

from simonides.importers.charset import decode, stream_encoding
from simonides.importers.json_values import each, fields_of
from simonides.ports.importer import SourceFile

PART_BYTES_MAX = 64 << 20
"""Most bytes of one record; a longer one ends the reading, so that memory stays bounded."""

_CHUNK_BYTES = 64 << 10
_SAMPLE_BYTES = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One record, or why there is none at `place`."""

    value: Any = None
    place: str = ""
    problem: str = ""
    bytes_done: int = 0


def parts(file: SourceFile, *containers: str) -> Iterator[Part]:
    """Yield the records of a JSON file; damage is yielded as a part with a problem.

    A record is a member of a list at the top, of the list that an object at the top (or in a list
    at the top) holds under one of the names `containers` (a dotted path: `data.issues.nodes`), or
    else such an object itself. JSON Lines are the same, line by line.
    """
    with file.path.open("rb") as stream:
        sample = stream.read(_SAMPLE_BYTES)
    values = _lines(file) if _is_lines(sample) else _streamed(file, sample, containers)
    number = 0
    for part in values:
        if part.problem:
            yield part
            continue
        for value in _unpacked(part.value, containers):
            number += 1
            place = part.place or f"record {number}"
            yield Part(value=value, place=place, bytes_done=part.bytes_done)


def _unpacked(value: Any, containers: tuple[str, ...]) -> Iterator[Any]:
    """Yield what an object or a list at the top holds; itself where it holds no records."""
    if isinstance(value, list):
        for one in value:
            yield from _unpacked(one, containers) if isinstance(one, dict) else iter([one])
        return
    for path in containers:
        inner: Any = value
        for name in path.split("."):
            inner = fields_of(inner).get(name)
        if isinstance(inner, list):
            yield from each(inner)
            return
    yield value


def _is_lines(sample: bytes) -> bool:
    """Return whether the first line is a whole JSON object, and something follows it."""
    first, newline, rest = sample.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not (newline and first.startswith(b"{") and rest.lstrip().startswith(b"{")):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _lines(file: SourceFile) -> Iterator[Part]:
    done = 0
    with file.path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(PART_BYTES_MAX), b""), start=1):
            done += len(line)
            if not line.strip():
                continue
            try:
                value, problem = json.loads(decode(line)), ""
            except (ValueError, RecursionError) as error:
                value, problem = None, f"JSON: is malformed: {error}"
            yield Part(value=value, place=f"line {number}", problem=problem, bytes_done=done)


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


def _streamed(file: SourceFile, sample: bytes, containers: tuple[str, ...]) -> Iterator[Part]:
    encoding = stream_encoding(sample)
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
        except (ijson.JSONError, ValueError, OverflowError, RecursionError) as error:
            reason = f"JSON: is malformed: {_first_line(error)}"
            place = f"after record {number}"
            yield Part(problem=reason, place=place, bytes_done=file.size_bytes)


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


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:200]
