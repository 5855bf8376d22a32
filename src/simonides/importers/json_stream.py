"""JSON of any size as a stream: the values at one place, in the memory of one of them.

Needs the extra `exports`. Must not know what the values mean.
"""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

import ijson

from simonides.importers.part import PART_BYTES_MAX, Part
from simonides.ports.importer import SourceFile

_CHUNK_BYTES = 64 << 10


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
