"""Mail files: one mail in a file (eml), or many (mbox in all its dialects).

Knows where one message ends and the next begins. Must not know what is in a message.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import BinaryIO

from simonides.errors import ImportFailed
from simonides.importers.attachments import items_of
from simonides.importers.marks import Mark, marks_of_file, marks_of_mailbox
from simonides.importers.message import Message, read_message
from simonides.importers.mime import RAW_BYTES_MAX, ParseBudget
from simonides.importers.signature import signatures_of
from simonides.ports.importer import ImportEvent, SourceFile


def read_eml(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mail in this file and its attachments, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(RAW_BYTES_MAX)
    if not raw.strip():
        yield file.skip("empty", bytes_done=file.size_bytes)
        return
    yield from mail_steps(
        file,
        raw,
        size_bytes=file.size_bytes,
        bytes_done=file.size_bytes,
        marks=marks_of_file(file.where),
    )


def mail_steps(
    file: SourceFile,
    raw: bytes,
    *,
    size_bytes: int,
    bytes_done: int,
    part: str = "",
    envelope: str = "",
    marks: frozenset[Mark] = frozenset(),
) -> Iterator[ImportEvent]:
    """Yield the items of one mail, then the reports of its parts that were left out.

    `part` says which mail of the file it is; the rest is as `read_message` asks for it.
    """
    budget = ParseBudget()
    read = partial(
        read_message,
        raw,
        source=file.source,
        envelope=envelope,
        size_bytes=size_bytes,
        budget=budget,
        marks=marks,
    )
    yield from steps_of(file, read, budget, part=part, bytes_done=bytes_done)


def steps_of(
    file: SourceFile,
    read: Callable[[], Message],
    budget: ParseBudget,
    *,
    part: str,
    bytes_done: int,
) -> Iterator[ImportEvent]:
    """Yield the items of the mail that `read` gives, then the reports of what was left out."""
    try:
        message = read()
        items = [*items_of(message, file, budget), *signatures_of(message)]
    except ImportFailed as error:
        yield file.skip(str(error), part=part, bytes_done=bytes_done)
        return
    for item in items:
        yield file.keep(item, bytes_done=bytes_done)
    for loss in budget.losses:
        place = ", ".join(filter(None, [part, loss.part and f"part {loss.part}"]))
        yield file.skip(loss.reason, part=place, bytes_done=bytes_done)


BLOCK_BYTES = 1 << 20
"""How much of the file is read at a time."""

_LOOK_AHEAD_BYTES = 1024
"""Longest line that may begin a message, with the first header after it."""

_DATED = re.compile(rb"From .*\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d{1,2}:\d\d.*\b\d{4}\b")
_BARE = re.compile(rb"From \S+\s*$")
_NAMELESS = re.compile(rb"From \s*$")
_HEADERS = re.compile(
    rb"(?i:(?:[!-9;-~]{1,76}:[^\n]{0,998}\n){0,3}(?:from|to|subject|date|message-id|received"
    rb"|return-path|mime-version|x-mozilla-status)[ \t]*:[^\n]{0,998}\n[!-9;-~]{1,76}[ \t]*:)"
)
"""Two headers or more, one of them such as mails have: what follows a line of nothing but `From `,
as Thunderbird writes it."""

_HEADER = re.compile(rb"(?:>?From |[!-9;-~]{1,76}[ \t]*:)")
_ESCAPED = re.compile(rb"^>(>*+From )", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMessage:
    """One message as it lies in the file.

    `number` counts from 1, `offset` and `end` are bytes, `envelope` is the line before it, and
    `raw` its headers and body, at most `RAW_BYTES_MAX` of them, of `size_bytes`.
    """

    number: int
    offset: int
    end: int
    envelope: str
    raw: bytes
    size_bytes: int


def read_mbox(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mails of an mbox and their attachments; bad messages are passed over."""
    is_empty, marks = True, marks_of_mailbox(file.where)
    with file.path.open("rb") as stream:
        for one in messages(stream):
            is_empty = False
            yield from mail_steps(
                file,
                one.raw,
                size_bytes=one.size_bytes,
                bytes_done=one.end,
                part=f"message {one.number} at byte {one.offset}",
                envelope=one.envelope,
                marks=marks,
            )
            del one  # a long message is let go before the next one is read
    if is_empty:
        yield file.skip("empty", bytes_done=file.size_bytes)


def messages(stream: BinaryIO) -> Iterator[RawMessage]:
    """Yield the messages of an mbox in their order, never holding more than a block of them.

    A message begins at a line `From … date`, after a blank line or before a header; or at a line
    `From name` with both; or at `From ` alone with a head of a mail below. What stands before the
    first one is its own, nameless message.
    """
    number, offset = 0, 0
    for raw, size_bytes in _pieces(stream):
        start, offset = offset, offset + size_bytes
        if raw and not raw.isspace():
            number += 1
            message = _message(raw, number=number, offset=start, end=offset)
            del raw
            yield message
            del message


def _message(raw: bytes, *, number: int, offset: int, end: int) -> RawMessage:
    envelope = b""
    if raw.startswith(b"From "):
        envelope, _, raw = raw.partition(b"\n")
    size_bytes = end - offset - (len(envelope) + 1 if envelope else 0)
    if b">From " in raw:
        kept, raw = len(raw), _ESCAPED.sub(rb"\1", raw)
        size_bytes -= kept - len(raw)
    return RawMessage(
        number=number,
        offset=offset,
        end=end,
        envelope=envelope[:_LOOK_AHEAD_BYTES].decode("latin-1"),
        raw=raw,
        size_bytes=size_bytes,
    )


def _pieces(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield (bytes kept, bytes in the file) from each beginning of a message to the next."""
    held = bytearray()
    dropped, seen, ended = 0, 1, False
    while not ended:
        block = stream.read(BLOCK_BYTES)
        held += block
        ended = not block
        safe = len(held) - (0 if ended else _LOOK_AHEAD_BYTES)
        begins = [0, *_beginnings(held, seen, safe)]
        whole = deque((_take(held, start, stop), stop - start) for start, stop in pairwise(begins))
        del held[: begins[-1]]
        if whole:
            whole[0], dropped = (whole[0][0], whole[0][1] + dropped), 0
        while whole:  # nothing else refers to a message while it is read
            yield whole.popleft()
        seen = max(seen, safe) - begins[-1]
        excess = max(seen - 2 - RAW_BYTES_MAX, 0)  # two bytes show whether a blank line precedes
        del held[RAW_BYTES_MAX : RAW_BYTES_MAX + excess]
        seen, dropped = seen - excess, dropped + excess
    yield bytes(held[:RAW_BYTES_MAX]), len(held) + dropped


def _take(held: bytearray, start: int, stop: int) -> bytes:
    """Return a copy of as much of a message as is kept."""
    with memoryview(held) as view, view[start : min(stop, start + RAW_BYTES_MAX)] as part:
        return bytes(part)


def _beginnings(held: bytearray, start: int, stop: int) -> Iterator[int]:
    """Yield where messages begin in `held`, from `start` to before `stop`."""
    at = held.find(b"\nFrom ", start - 1)
    while 0 <= at < stop - 1:
        if _is_beginning(held, at + 1):
            yield at + 1
        at = held.find(b"\nFrom ", at + 1)


def _is_beginning(held: bytearray, at: int) -> bool:
    """Return whether a message begins at the line `From …` that starts at `at`."""
    line, _, after = bytes(held[at : at + _LOOK_AHEAD_BYTES]).partition(b"\n")
    follows_blank = held[at - 2 : at - 1] == b"\n" or held[at - 3 : at - 1] == b"\n\r"
    has_header = _HEADER.match(after) is not None
    if _DATED.match(line):
        return follows_blank or has_header
    if _NAMELESS.match(line):
        return follows_blank and _HEADERS.match(after) is not None
    return follows_blank and has_header and _BARE.match(line) is not None
