"""Export of all user data of a space as lines of text, in constant memory; and backups.

Knows the order of an export, what closes it, and how its lines are read again; how a record is
written as a line is `codec.export`'s. Must not know what becomes of records that are read.
"""

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from simonides.codec.export import from_text, to_text
from simonides.disk import new_whole_file
from simonides.errors import ImportFailed, InvalidInput, StoreFull
from simonides.model.bounds import check_text
from simonides.model.export import (
    ExportEnd,
    ExportHead,
    ExportReport,
    Kept,
    KeptVersion,
)
from simonides.model.maintenance import BackupReport
from simonides.ports.space import Space

SUFFIX = ".simonides.jsonl"
DIGEST_BYTES = 16


class Seal:
    """The line count and hash at the end of an export, by which a truncated one is detected."""

    def __init__(self) -> None:
        self._lines = 0
        self._hash = hashlib.blake2b(digest_size=DIGEST_BYTES)

    def add(self, line: bytes) -> None:
        """Add one line, with its line break."""
        self._lines += 1
        self._hash.update(line)

    @property
    def end(self) -> ExportEnd:
        """Return the last record of an export of these lines."""
        return ExportEnd(lines=self._lines, digest=self._hash.hexdigest())


def export_space(space: Space, stream: BinaryIO, *, file: str = "") -> ExportReport:
    """Write all user data of a space, as of one revision, to a stream; return the counts.

    The stream may be as slow as it likes: an erasure meanwhile ends the export.

    Raises:
        StoreBusy: An erasure could not wait for it.
    """
    started = time.perf_counter()
    seal, size, counts = Seal(), 0, Counter[str]()
    with space.making_way(), space.read() as reader:
        head = ExportHead(uuid=space.uuid, revision=reader.revision, floor=reader.floor)
        for record in records_with(head, reader.read_all()):
            line = f"{to_text(record)}\n".encode()
            seal.add(line)
            size += stream.write(line)
            _count(counts, record)
    size += stream.write(f"{to_text(seal.end)}\n".encode())
    return ExportReport(
        file=file, revision=head.revision, items=counts["present"], versions=counts["KeptVersion"],
        backgrounds=counts["KeptBackground"], engagements=counts["KeptEngagement"],
        receipts=counts["KeptReceipt"], proposals=counts["KeptProposal"],
        erased=counts["ErasedMark"], bytes=size, took_s=time.perf_counter() - started,
    )  # fmt: skip


def records_with(head: ExportHead, kept: Iterator[Kept]) -> Iterator[ExportHead | Kept]:
    """Yield the head of an export and its records."""
    yield head
    yield from kept


class Fingerprint:
    """The hash of an export whose lines are not kept; the same as at the end of its file."""

    def __init__(self) -> None:
        self._seal = Seal()

    def add(self, record: ExportHead | Kept) -> None:
        """Add one record, as its line."""
        self._seal.add(f"{to_text(record)}\n".encode())

    @property
    def digest(self) -> str:
        """The hash of the lines so far, and their number."""
        end = self._seal.end
        return f"{end.digest}-{end.lines}"


def records_of(
    head: ExportHead, kept: Iterator[Kept], *, fingerprint: Fingerprint
) -> Iterator[Kept]:
    """Yield the records of an export, without its head; `fingerprint` hashes all of it."""
    fingerprint.add(head)
    for record in kept:
        fingerprint.add(record)
        yield record


def _count(counts: Counter[str], record: ExportHead | Kept) -> None:
    counts[type(record).__name__] += 1
    counts["present"] += isinstance(record, KeptVersion) and record.died is None


def target_of(path: Path, *, name: str) -> Path:
    """Return the file to write: in an existing folder, one named after the space."""
    return path / f"{name}{SUFFIX}" if path.is_dir() else path


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new private file, which gets its name once it is complete and durable.

    Raises:
        InvalidInput: There is a file of that name, or no such folder.
        StoreFull: It cannot be written; nothing of it is left.
    """
    try:
        with new_whole_file(path) as file:
            yield file
    except FileExistsError as error:
        raise InvalidInput("file", f"{path} is there already; choose a new name") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InvalidInput("file", f"{path.parent} is no folder; make it first") from error
    except OSError as error:
        problem = f"cannot write {path} ({error.strerror}); make room or choose another place"
        raise StoreFull(problem) from error


LINE_BYTES_MAX = 1 << 28
"""Longest line that is read."""

_MAY_BE_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character as JSON escapes it: alone it is none."""


class Lines:
    """The lines of an export, read one by one; bad ones are reported and skipped.

    `skip` is called with these, where and why; `passed` with the bytes that were read.
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
        """Yield the records; report at the end if the export is truncated."""
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
            checked = json.dumps(json.loads(text), ensure_ascii=False)
        except (ValueError, RecursionError):
            return text  # no JSON: whoever reads it says so
        check_text(checked, field="text")
    return text


def back_up(
    space: Space,
    target: Path,
    *,
    at: datetime,
    on_progress: Callable[[int, int], None] | None = None,
) -> BackupReport:
    """Copy a space as it is now to a new file; return the report.

    Raises:
        InvalidInput: There is a file of that name, or no such folder.
        StoreFull: There is no room, or no right to write there.
    """
    started = time.perf_counter()
    revision, items = space.backup(str(target), at=at, on_progress=on_progress)
    return BackupReport(
        file=str(target),
        revision=revision,
        items=items,
        bytes=target.stat().st_size,
        took_s=time.perf_counter() - started,
    )
