"""The contents of a mail as they are taken out of it: texts, forwarded mails and attached files.

Knows what is kept of each. Must not know MIME or any other form that a mail has in a file.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from simonides.importers.charset import decode, is_binary
from simonides.importers.header import first, words
from simonides.importers.mime import Fields, ParseBudget
from simonides.text.clean import printable, squeeze

TEXT_BYTES_MAX = 2 << 20
"""Most bytes of one text part, and most characters of one mail's text, that are kept."""

ATTACHMENT_BYTES_MAX = 5 << 20
"""Largest text attachment that becomes a document of its own."""

FORWARDED_DEPTH_MAX = 4
"""How deep mails inside mails are read; deeper ones are only named."""

FORWARDED = "Forwarded message"
"""What stands above the text of a mail inside of a mail."""

_TEXT_TYPES = frozenset(["text/plain", "text/markdown", "text/x-markdown", "text/csv"])
CALENDAR = "text/calendar"
CALENDARS = frozenset([CALENDAR, "text/x-vcalendar", "application/ics"])
_TYPE_OF_SUFFIX = {
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".csv": "text/csv",
    ".ics": CALENDAR,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """One attached file: its text if it is a plain text file, and what gives its bytes.

    `part` is the number of the part in which it came. Without `blocks` it is only named.
    """

    name: str
    media_type: str
    size_bytes: int
    text: str | None = None
    part: str = ""
    blocks: Callable[[], Iterable[bytes]] | None = field(default=None, compare=False, repr=False)

    @property
    def payload(self) -> bytes:
        """Return its bytes; none where it is only named."""
        return b"".join(self.blocks()) if self.blocks else b""

    @property
    def is_calendar(self) -> bool:
        """Return whether events are to be read from it."""
        return self.media_type in CALENDARS


@dataclass(slots=True, kw_only=True)
class Body:
    """The contents of a mail read so far.

    `cut_from_bytes` is 0 unless text was left out; `encrypted` and `signed` name the systems by
    which some of it was.
    """

    texts: list[str] = field(default_factory=list)
    forwarded: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    cut_from_bytes: int = 0
    encrypted: str = ""
    signed: str = ""

    def add_rest(self, found: "Body") -> None:
        """Add all but the texts."""
        self.forwarded += found.forwarded
        self.attachments += found.attachments
        self.encrypted = self.encrypted or found.encrypted
        self.signed = self.signed or found.signed
        self.cut_from_bytes = max(self.cut_from_bytes, found.cut_from_bytes)


def with_text(found: Attachment, budget: ParseBudget, *, charset: str = "") -> Attachment:
    """Return an attachment with its text if it is a plain text file that is not too long."""
    if found.blocks is None or not (found.media_type in _TEXT_TYPES or found.is_calendar):
        return found
    if found.size_bytes > ATTACHMENT_BYTES_MAX:
        reason = f"{found.name} is longer than {ATTACHMENT_BYTES_MAX} bytes; its name is kept"
        budget.lose(found.part, reason)
        return replace(found, blocks=None)
    raw = found.payload
    if not charset and is_binary(raw):
        return found  # another file under the name of a text
    text = squeeze(printable(decode(raw, charset))).strip()
    return replace(found, text=budget.take_text(text, part=found.part) or None)


def forwarded_text(head: str, fields: Fields, body: Body) -> str:
    """Return the text of a mail inside of a mail, below a short head of its own."""
    lines = [head]
    for name in ("From", "Date", "To", "Subject"):
        value = words(first(fields, name.lower()))
        lines += [f"{name}: {value}"] if value else []
    return "\n\n".join(["\n".join(lines), *body.texts])


def find_media_type(name: str, media_type: str) -> str:
    """Return the media type; by the name's suffix where the stated one says nothing."""
    if media_type == "application/octet-stream":
        return _TYPE_OF_SUFFIX.get(PurePosixPath(name).suffix.lower(), media_type)
    return media_type
