"""Apple Mail's files of one mail (.emlx): its length, the mail, and what Apple knows of it.

Knows the three pieces. Must not know what is in a mail.
"""

import plistlib
import re
from collections.abc import Iterator
from xml.parsers.expat import ExpatError

from simonides.importers.mailbox import mail_steps
from simonides.importers.marks import Mark, marks_of_bits, marks_of_file
from simonides.importers.mime import RAW_BYTES_MAX
from simonides.ports.importer import ImportEvent, SourceFile

TRAILER_BYTES_MAX = 1 << 20
"""Most bytes that are read behind the mail; Apple writes some hundred."""

_APPLE = {1: Mark.SEEN, 2: Mark.DELETED, 4: Mark.ANSWERED, 16: Mark.FLAGGED, 64: Mark.DRAFT,
          256: Mark.FORWARDED, 1 << 23: Mark.SPAM}  # fmt: skip
"""Bits of `flags` behind the mail, as observed by its readers."""

_LENGTH = re.compile(rb"\s*(\d{1,12})[ \t]*\r?\n")


def read_emlx(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mail in this file and its attachments, or why it is passed over."""
    with file.path.open("rb") as stream:
        match = _LENGTH.match(stream.read(64))
        begin, size_bytes = (match.end(), int(match[1])) if match else (0, file.size_bytes)
        stream.seek(begin)
        raw = stream.read(min(size_bytes, RAW_BYTES_MAX))
        stream.seek(begin + size_bytes)
        marks = _marks(stream.read(TRAILER_BYTES_MAX)) | marks_of_file(file.where)
    size_bytes = min(size_bytes, max(file.size_bytes - begin, 0))
    yield from mail_steps(file, raw, size_bytes=size_bytes, bytes_done=file.size_bytes, marks=marks)


def _marks(trailer: bytes) -> frozenset[Mark]:
    """Return the marks in the property list behind the mail; none where it is damaged."""
    begin = trailer.find(b"<?xml")
    if begin < 0:
        return frozenset()
    try:
        found = plistlib.loads(trailer[begin:].rstrip(b"\0 \r\n"), fmt=plistlib.FMT_XML)
    except (ExpatError, ValueError, TypeError, LookupError, AttributeError, OverflowError):
        return frozenset()
    flags = found.get("flags") if isinstance(found, dict) else None
    return frozenset(marks_of_bits(_APPLE, flags)) if isinstance(flags, int) else frozenset()
