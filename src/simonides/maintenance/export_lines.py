"""The lines of an export: which record each is, and whether all of them are there.

Knows what opens and closes an export. Must not know what becomes of its records.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from simonides.codec.export import from_text
from simonides.errors import ImportFailed, InvalidInput
from simonides.maintenance.export import Seal
from simonides.model.bounds import check_text
from simonides.model.export import ExportEnd, ExportHead, Kept

LINE_BYTES_MAX = 1 << 28
"""Longest line that is read."""

_MAY_BE_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character as JSON escapes it: alone it is none."""


class Lines:
    """The lines of an export, read one by one; bad ones are told and passed over.

    `skip` is told of these, where and why; `passed` of the bytes that were read.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        skip: Callable[[str, str], None],
        passed: Callable[[int], None],
    ) -> None:
        self._stream = stream
        self._skip = skip
        self._passed = passed
        self._seal = Seal()
        self._end: ExportEnd | None = None

    def head(self) -> ExportHead:
        """Return the first line.

        Raises:
            ImportFailed: It is none of an export, or of a later format.
        """
        line = self._next()
        try:
            head = from_text(_text(line))
        except (InvalidInput, UnicodeDecodeError) as error:
            raise ImportFailed(f"not an export that can be read: {error}") from error
        if not isinstance(head, ExportHead):
            raise ImportFailed("not an export: its first line is no head")
        self._seal.add(line)
        return head

    def records(self) -> Iterator[Kept]:
        """Yield what was kept; at the end, say if the export is not whole."""
        number = 1
        while line := self._next():
            number += 1
            if self._end is not None:
                self._skip(f"line {number}", "stands after the end")
                continue
            record = self._read(line, number)
            if isinstance(record, ExportEnd):
                self._end = record
                continue
            self._seal.add(line)
            if record is not None:
                yield record
        self._check_end()

    def _next(self) -> bytes:
        line = self._stream.readline(LINE_BYTES_MAX)
        self._passed(len(line))
        return line

    def _read(self, line: bytes, number: int) -> Kept | ExportEnd | None:
        try:
            record = from_text(_text(line))
        except (InvalidInput, UnicodeDecodeError) as error:
            self._skip(f"line {number}", str(error))
            return None
        if isinstance(record, ExportHead):
            self._skip(f"line {number}", "is the head of another export")
            return None
        return record

    def _check_end(self) -> None:
        if self._end is None:
            self._skip("end", "is missing: the export breaks off; what is there is kept")
        elif self._end != self._seal.end:
            problem = "does not fit the lines before it: they were changed, or some are missing"
            self._skip("end", problem)


def _text(line: bytes) -> str:
    """Return a line as text.

    Raises:
        InvalidInput: It escapes half a character, which no store can keep.
        UnicodeDecodeError: It is no UTF-8.
    """
    text = line.decode()
    if _MAY_BE_HALF.search(text):
        try:
            told = json.dumps(json.loads(text), ensure_ascii=False)
        except (ValueError, RecursionError):
            return text  # no JSON: that is told by who reads it
        check_text(told, field="text")
    return text
