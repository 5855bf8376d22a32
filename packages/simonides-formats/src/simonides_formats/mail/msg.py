"""Outlook's files of one mail (.msg, [MS-OXMSG]).

Knows how properties, recipients and attachments lie in the compound file. Must not know what they
mean for a mail.
"""

import struct
from collections.abc import Iterator
from functools import partial

from simonides.importers.mime import RAW_BYTES_MAX
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.mail.compound import CompoundFile, Storage
from simonides_formats.mail.mapi import (
    ATTACH_DATA,
    ATTACH_SIZE,
    CODEPAGE,
    FIXED_BYTES,
    INTERNET_CODEPAGE,
    MapiAttachment,
    MapiMessage,
    Value,
    charset_of,
    value_of,
)
from simonides_formats.mail.outlook_mail import mapi_steps

DEPTH_MAX = 8
"""How deep mails are read that are attached to each other."""

PARTS_MAX = 2_000
"""Most recipients, and most attachments, of one mail."""

_PROPERTIES = "__properties_version1.0"
_STREAM = "__substg1.0_"
_MESSAGE = f"{_STREAM}{ATTACH_DATA:04X}000D"
_ENTRY = struct.Struct("<HHI8s")
_AHEAD_OF_A_MAIL, _AHEAD_OF_AN_INNER_MAIL, _AHEAD_OF_A_PART = 32, 24, 8
_NAME_CHARS = len(_STREAM) + 8


def read_msg(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the mail in this file and its attachments, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(RAW_BYTES_MAX)
    message = _message(CompoundFile(raw).root, ahead=_AHEAD_OF_A_MAIL, depth=0)
    yield from mapi_steps(file, message, bytes_done=file.size_bytes)


def _message(storage: Storage, *, ahead: int, depth: int) -> MapiMessage:
    values = _values(storage, ahead=ahead, charset="")
    charset = charset_of(values.get(INTERNET_CODEPAGE) or values.get(CODEPAGE))
    if charset:
        values = _values(storage, ahead=ahead, charset=charset)
    return MapiMessage(
        values=values,
        recipients=[
            _values(one, ahead=_AHEAD_OF_A_PART, charset=charset)
            for one in _parts(storage, "__recip_version1.0_")
        ],
        attachments=[
            _attachment(one, charset, depth=depth)
            for one in _parts(storage, "__attach_version1.0_")
        ],
    )


def _parts(storage: Storage, name: str) -> list[Storage]:
    """Return the storages whose names begin so, in the order of their numbers."""
    found = sorted(one for one in storage.storages if one.startswith(name))
    return [storage.storages[one] for one in found[:PARTS_MAX]]


def _attachment(storage: Storage, charset: str, *, depth: int) -> MapiAttachment:
    inner = storage.storages.get(_MESSAGE)
    values = _values(storage, ahead=_AHEAD_OF_A_PART, charset=charset)
    data = f"{_STREAM}{ATTACH_DATA:04X}0102"
    if data in storage.streams:
        values[ATTACH_SIZE] = storage.streams[data][1]
    is_mail = inner is not None and depth < DEPTH_MAX and _PROPERTIES in inner.streams
    return MapiAttachment(
        values=values,
        data=partial(_blocks, storage, data) if data in storage.streams else None,
        message=_message(inner, ahead=_AHEAD_OF_AN_INNER_MAIL, depth=depth + 1)
        if inner is not None and is_mail
        else None,
    )


def _read(storage: Storage, name: str) -> bytes:
    return storage.read(name) or b""


def _blocks(storage: Storage, name: str) -> list[bytes]:
    return [_read(storage, name)]


def _values(storage: Storage, *, ahead: int, charset: str) -> dict[int, Value]:
    """Return the properties of a storage: small ones stand in one list, others in streams."""
    found: dict[int, Value] = {}
    listed = (storage.read(_PROPERTIES) or b"")[ahead:]
    for at in range(0, len(listed) - _ENTRY.size + 1, _ENTRY.size):
        kind, name, _, raw = _ENTRY.unpack_from(listed, at)
        value = value_of(kind, raw, charset=charset) if kind in FIXED_BYTES else None
        if value is not None:
            found.setdefault(name, value)
    for stream in storage.streams:
        if not stream.startswith(_STREAM) or len(stream) != _NAME_CHARS:
            continue
        try:
            tag = int(stream.removeprefix(_STREAM), 16)
        except ValueError:
            continue
        if tag >> 16 != ATTACH_DATA:
            value = value_of(tag & 0xFFFF, _read(storage, stream), charset=charset)
            if value is not None:
                found.setdefault(tag >> 16, value)
    return found
