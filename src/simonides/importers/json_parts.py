"""The records of a JSON file, one by one: a list, an object around a list, lines, or one object.

Reads JSON in any Unicode encoding; where a plugin reads it as a stream, of any size with the memory
of one record. Must not know what the records mean.
"""

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simonides.importers.charset import decode, stream_encoding
from simonides.importers.extras import needs
from simonides.importers.json_values import each, fields_of
from simonides.model.coercion import NESTED_MAX, is_nested_deeper
from simonides.plugins import plugin_records
from simonides.ports.importer import SourceFile

PART_BYTES_MAX = 64 << 20
"""Most bytes of one record; a longer one ends the reading, so that memory stays bounded."""

TOO_DEEP = f"nested deeper than {NESTED_MAX} levels"
"""Why a record is passed over whose lists and objects lie too deep in each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """One record, or why there is none at `place`."""

    value: Any = None
    place: str = ""
    problem: str = ""
    bytes_done: int = 0


def load_untrusted(text: str | bytes) -> Any:
    """Return the value of a JSON text that a stranger may have written.

    Raises:
        ValueError: It is malformed, or nested too deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:  # at a depth that differs from one Python to another
        raise ValueError(TOO_DEEP) from None
    if is_nested_deeper(value, NESTED_MAX):
        raise ValueError(TOO_DEEP)
    return value


SAMPLE_BYTES = 8192
"""How much of a file is looked at for its encoding and shape."""


def parts(file: SourceFile, *containers: str) -> Iterator[JsonPart]:
    """Yield the records of a JSON file; damage is yielded as a part with a problem.

    A record is a member of a list at the top, of the list that an object at the top (or in a list
    at the top) holds under one of the names `containers` (a dotted path: `data.issues.nodes`), or
    else such an object itself. JSON Lines are the same, line by line.
    """
    with file.path.open("rb") as stream:
        sample = stream.read(SAMPLE_BYTES)
    values = _lines(file) if _is_lines(sample) else _values(file, sample, containers)
    number = 0
    for part in values:
        if part.problem:
            yield part
            continue
        for value in _unpack(part.value, containers):
            number += 1
            place = part.place or f"record {number}"
            yield JsonPart(value=value, place=place, bytes_done=part.bytes_done)


def _values(file: SourceFile, sample: bytes, containers: tuple[str, ...]) -> Iterator[JsonPart]:
    readers = plugin_records(lambda plugin: plugin.json_readers, built_in=())
    if not readers:
        return _decode(file)
    return next(iter(readers.values())).values(file, stream_encoding(sample), containers)


def _unpack(value: Any, containers: tuple[str, ...]) -> Iterator[Any]:
    """Yield what an object or a list at the top holds; itself where it holds no records."""
    if isinstance(value, list):
        for one in value:
            yield from _unpack(one, containers) if isinstance(one, dict) else iter([one])
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
    """Return whether the first line is a whole JSON object, and another one begins after it."""
    first, newline, rest = sample.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    second = rest.lstrip().partition(b"\n")[0].strip()
    if not (newline and first.startswith(b"{") and second.startswith(b"{") and second != b"{"):
        return False
    try:
        return isinstance(load_untrusted(first), dict)
    except ValueError:
        return False


def _lines(file: SourceFile) -> Iterator[JsonPart]:
    done = 0
    with file.path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(PART_BYTES_MAX), b""), start=1):
            done += len(line)
            if not line.strip():
                continue
            try:
                value, problem = load_untrusted(decode(line)), ""
            except ValueError as error:
                value, problem = None, f"JSON: is malformed: {error}"
            yield JsonPart(value=value, place=f"line {number}", problem=problem, bytes_done=done)


def _decode(file: SourceFile) -> Iterator[JsonPart]:
    """Yield the values of a file that is read as a whole, where no plugin reads it as a stream."""
    if file.size_bytes > PART_BYTES_MAX:
        raise needs("exports", f"JSON files of more than {PART_BYTES_MAX >> 20} MB")
    text = decode(file.path.read_bytes())
    at, decoder = _next(text, 0), json.JSONDecoder()
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield JsonPart(problem=f"JSON: is malformed: {error}", bytes_done=file.size_bytes)
            return
        at = _next(text, end)
        if is_nested_deeper(value, NESTED_MAX):
            yield JsonPart(problem=f"JSON: is {TOO_DEEP}", bytes_done=file.size_bytes)
        else:
            yield JsonPart(value=value, bytes_done=file.size_bytes)


def _next(text: str, at: int) -> int:
    """Return where the next value begins."""
    return len(text) - len(text[at:].lstrip())
