"""Everything that a person kept in a space, written out line by line with constant memory.

Knows the order of an export and what closes it; how a line is written is `codec.export`'s.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from simonides.codec.export import to_text
from simonides.disk import new_whole_file
from simonides.errors import InvalidInput, StoreFull
from simonides.model.export import (
    ExportEnd,
    ExportHead,
    ExportReport,
    Kept,
    KeptVersion,
)
from simonides.ports.space import Space

SUFFIX = ".simonides.jsonl"
DIGEST_BYTES = 16


class Seal:
    """Counts lines and hashes them, so that the end of an export says whether it is whole."""

    def __init__(self) -> None:
        self._lines = 0
        self._hash = hashlib.blake2b(digest_size=DIGEST_BYTES)

    def add(self, line: bytes) -> None:
        """Take in one line, its line break with it."""
        self._lines += 1
        self._hash.update(line)

    @property
    def end(self) -> ExportEnd:
        """What an export of these lines is closed with."""
        return ExportEnd(lines=self._lines, digest=self._hash.hexdigest())


def export_space(space: Space, stream: BinaryIO, *, file: str = "") -> ExportReport:
    """Write everything kept in a space, as of one revision, to a stream; return how much it was.

    The stream may be as slow as it likes: an erasure meanwhile ends the export.

    Raises:
        StoreBusy: An erasure could not wait for it.
    """
    started = time.perf_counter()
    seal, size, counts = Seal(), 0, Counter[str]()
    with space.making_way(), space.read() as reader:
        head = ExportHead(uuid=space.uuid, revision=reader.revision, floor=reader.floor)
        for record in _records(head, reader.kept()):
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


def _records(head: ExportHead, kept: Iterator[Kept]) -> Iterator[ExportHead | Kept]:
    yield head
    yield from kept


def _count(counts: Counter[str], record: ExportHead | Kept) -> None:
    counts[type(record).__name__] += 1
    counts["present"] += isinstance(record, KeptVersion) and record.died is None


def target_of(path: Path, *, name: str) -> Path:
    """Return the file to write: in a folder that is there, one that is called after the space."""
    return path / f"{name}{SUFFIX}" if path.is_dir() else path


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Give a new file that only its owner can read; it has its name once it is whole and durable.

    Raises:
        InvalidInput: There is a file of that name.
        StoreFull: It cannot be written; nothing of it is left.
    """
    try:
        with new_whole_file(path) as file:
            yield file
    except FileExistsError as error:
        raise InvalidInput("file", f"{path} is there already; choose a new name") from error
    except OSError as error:
        problem = f"cannot write {path} ({error.strerror}); make room or choose another place"
        raise StoreFull(problem) from error
