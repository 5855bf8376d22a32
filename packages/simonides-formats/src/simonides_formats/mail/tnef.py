"""Outlook's wrapping of a mail's text and files in one file (winmail.dat, TNEF).

Knows the stream of attributes of [MS-OXTNEF] and the properties in it. Must not know what they mean
for a mail. Never raises: a damaged stream is read as far as it goes.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from simonides_formats.mail.mapi import (
    ATTACH_DATA,
    ATTACH_NAME,
    ATTACH_SIZE,
    BODY,
    FIXED_BYTES,
    MANY,
    MapiAttachment,
    MapiMessage,
    Value,
    charset_of,
    value_of,
)

SIGNATURE = b"\x78\x9f\x3e\x22"
"""The first bytes of a wrapped mail."""

ATTRIBUTES_MAX = 10_000
"""Most attributes and properties that are read."""

DEPTH_MAX = 8
"""How deep wrapped mails are read that are attached to each other."""

_BODY, _ATTACH_TITLE, _ATTACH_DATA = 0x800C, 0x8010, 0x800F
_PROPERTIES, _RENDER_DATA, _ATTACHMENT, _CODEPAGE = 0x9003, 0x9002, 0x9005, 0x9007
_NAMED = 0x8000
_GUID_BYTES = 16


class _Attribute(NamedTuple):
    """One attribute: its number without its type, and its bytes."""

    name: int
    raw: bytes


def read_tnef(raw: bytes, *, depth: int = 0) -> MapiMessage | None:
    """Return the mail in a wrapping; None where it is none."""
    if not raw.startswith(SIGNATURE) or depth > DEPTH_MAX:
        return None
    message = MapiMessage(values={})
    charset = ""
    for one in _attributes(raw):
        if one.name == _CODEPAGE:
            charset = charset_of(int.from_bytes(one.raw[:4], "little"))
        elif one.name == _PROPERTIES:
            message.values |= _properties(one.raw, charset)
        elif one.name == _BODY:
            message.values.setdefault(BODY, _text(one.raw, charset))
        elif one.name == _RENDER_DATA:
            message.attachments.append(MapiAttachment(values={}))
        elif message.attachments:
            _take_in(message.attachments[-1], one, charset, depth=depth)
    return message


def _take_in(file: MapiAttachment, one: _Attribute, charset: str, *, depth: int) -> None:
    if one.name == _ATTACH_TITLE:
        file.values[ATTACH_NAME] = _text(one.raw, charset)
    elif one.name == _ATTACH_DATA:
        file.values[ATTACH_SIZE] = len(one.raw)
        file.data = lambda: [one.raw]
    elif one.name == _ATTACHMENT:
        found = _properties(one.raw, charset)
        inside = found.pop(ATTACH_DATA, None)
        file.values |= found
        if isinstance(inside, bytes):  # after an interface's name of sixteen bytes
            file.message = read_tnef(inside[_GUID_BYTES:], depth=depth + 1)


def _text(raw: bytes, charset: str) -> str:
    return str(value_of(0x1E, raw, charset=charset))


def _attributes(raw: bytes) -> Iterator[_Attribute]:
    """Yield the attributes: a level, a number with its type, a length, bytes, a check sum."""
    at = 6
    for _ in range(ATTRIBUTES_MAX):
        if at + 9 > len(raw):
            return
        _, name, _, size = struct.unpack_from("<BHHI", raw, at)
        at += 9
        yield _Attribute(name, raw[at : at + size])
        at += size + 2


def _properties(raw: bytes, charset: str) -> dict[int, Value]:
    """Return the properties of one run, as far as it can be read."""
    found: dict[int, Value] = {}
    try:
        for name, kind, value in _walk(raw):
            read = value_of(kind, value, charset=charset)
            if read is not None:
                found.setdefault(name, read)
    except struct.error:  # cut off
        pass
    return found


def _walk(raw: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number, the type and the bytes of each property; of a list each of its values."""
    (count,) = struct.unpack_from("<I", raw)
    at = 4
    for _ in range(min(count, ATTRIBUTES_MAX)):
        kind, name = struct.unpack_from("<HH", raw, at)
        at += 4
        if name >= _NAMED:
            at = _after_name(raw, at)
        size = FIXED_BYTES.get(kind & ~MANY)
        values = 1
        if size is None or kind & MANY:
            (values,) = struct.unpack_from("<I", raw, at)
            at += 4
        for _ in range(min(values, ATTRIBUTES_MAX)):
            length = size
            if length is None:
                (length,) = struct.unpack_from("<I", raw, at)
                at += 4
            yield name, kind & ~MANY, raw[at : at + length]
            at += length + -length % 4


def _after_name(raw: bytes, at: int) -> int:
    """Return where the value of a named property begins: after a set, a kind, and a name."""
    (is_text,) = struct.unpack_from("<I", raw, at + _GUID_BYTES)
    at += _GUID_BYTES + 4
    (size,) = struct.unpack_from("<I", raw, at)
    return at + 4 + (size + -size % 4 if is_text else 0)
