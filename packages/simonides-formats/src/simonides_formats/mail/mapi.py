"""Outlook's properties of a mail (MAPI): their numbers, types and values.

Knows the numbers of properties and their types ([MS-OXPROPS], [MS-OXCDATA]). Must not know the
files that they are kept in: .msg, winmail.dat and Outlook data files hand over the same records.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from simonides.importers.charset import decode

Value = str | int | bool | bytes | datetime
"""A property's value."""

SHORT, INTEGER, BOOLEAN, LONG = 0x02, 0x03, 0x0B, 0x14
STRING_8, STRING, TIME, BINARY, OBJECT = 0x1E, 0x1F, 0x40, 0x102, 0x0D
MANY = 0x1000
"""Types of values; that of a list of values has this bit beside it."""

FIXED_BYTES = {SHORT: 2, INTEGER: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, BOOLEAN: 2,
               LONG: 8, TIME: 8, 0x48: 16}  # fmt: skip
"""Sizes of the types that have one; all others are of any length."""

MESSAGE_CLASS, SUBJECT, CLIENT_SUBMIT_TIME = 0x001A, 0x0037, 0x0039
SENT_NAME, SENT_ADDRESS, HEADERS = 0x0042, 0x0065, 0x007D
SENDER_NAME, SENDER_ADDRESS, RECIPIENT_TYPE = 0x0C1A, 0x0C1F, 0x0C15
DELIVERY_TIME, MESSAGE_FLAGS, ATTACH_SIZE = 0x0E06, 0x0E07, 0x0E20
BODY, RTF, HTML = 0x1000, 0x1009, 0x1013
MESSAGE_ID, REFERENCES, IN_REPLY_TO = 0x1035, 0x1039, 0x1042
DISPLAY_NAME, ADDRESS, CREATED_AT, MODIFIED_AT = 0x3001, 0x3003, 0x3007, 0x3008
ATTACH_DATA, ATTACH_NAME, ATTACH_METHOD, ATTACH_LONG_NAME = 0x3701, 0x3704, 0x3705, 0x3707
ATTACH_TYPE, SMTP_ADDRESS, CODEPAGE, INTERNET_CODEPAGE = 0x370E, 0x39FE, 0x3FFD, 0x3FDE
SENDER_SMTP, SENT_SMTP = 0x5D01, 0x5D02

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class MapiMessage:
    """A mail as its properties say it; an attachment may be a mail itself.

    `values` are by property number. An attachment's bytes are only read when they are asked for.
    """

    values: dict[int, Value]
    recipients: list[dict[int, Value]] = field(default_factory=list)
    attachments: list["MapiAttachment"] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class MapiAttachment:
    """An attached file, or an attached message."""

    values: dict[int, Value]
    data: Callable[[], Iterable[bytes]] | None = None
    message: MapiMessage | None = None


def value_of(kind: int, raw: bytes, *, charset: str = "") -> Value | None:
    """Return a value of this type from its bytes; None for types that are not needed."""
    read = _READERS.get(kind)
    return read(raw, charset) if read else None


def _moment(raw: bytes, _: str) -> datetime | None:
    """Return the time that is so many tenths of a microsecond after the beginning of 1601."""
    ticks = int.from_bytes(raw[:8], "little")
    try:
        return _EPOCH + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None


def _number(raw: bytes, _: str) -> int:
    return int.from_bytes(raw[:8], "little", signed=True)


_READERS: dict[int, Callable[[bytes, str], Value | None]] = {
    STRING: lambda raw, _: raw.decode("utf-16-le", "replace").rstrip("\0"),
    STRING_8: lambda raw, charset: decode(raw.rstrip(b"\0"), charset),
    BINARY: lambda raw, _: raw,
    OBJECT: lambda raw, _: raw,
    BOOLEAN: lambda raw, _: raw[:1] != b"\0",
    SHORT: lambda raw, _: _number(raw[:2], ""),
    INTEGER: lambda raw, _: _number(raw[:4], ""),
    LONG: _number,
    TIME: _moment,
}


def charset_of(codepage: object) -> str:
    """Return the name of a Windows code page; empty where it is none."""
    if not isinstance(codepage, int) or codepage <= 0:
        return ""
    return {65001: "utf-8", 1200: "utf-16-le", 20127: "ascii"}.get(codepage, f"cp{codepage}")
