"""Text messages of a phone: the XML of the Android app SMS Backup & Restore, SMS and MMS.

Each element stands on a line of its own, and a picture makes a line of many megabytes: so the file
is read line by line, of each line only the beginning. Must not know how a message becomes an item.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from simonides.importers.charset import decode
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.file_item import TITLE_CHARS_MAX
from simonides.importers.json_parts import JsonPart
from simonides.importers.json_values import lines, when, words
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.elements import unescape
from simonides_formats.chats.chat_message import (
    ChatMessage,
    Said,
    chat_events,
    file_named,
    with_files,
)

LINE_BYTES_MAX = 1 << 20
"""How much of a line is looked at: words stand before the data of a picture."""

PARTS_MAX = 1_000
"""Most parts of one message; a phone sends some ten."""

ME = "me"
_SENT, _INBOX = "2", "1"
_FROM = "137"
"""The type of the address that an MMS came from, by the standard of multimedia messages."""

_ELEMENT = re.compile(r"\s*<(/?)(smses|sms|mms|part|addr)\b")
_ATTRIBUTE = re.compile(r"""(?<=\s)(\w{1,40})=(?:"([^"]*)"|'([^']*)')""")
_PAIR = re.compile(r"&#(5[56]\d{3});&#(5[67]\d{3});")
"""Halves of a character beyond the first 65,536 (an emoji), as the app writes it."""

_UNKNOWN = frozenset(["", "null", "(Unknown)"])
_NO_DIGIT = re.compile(r"[^\d+]")

Fields = Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class _Message:
    """The attributes of a message, and the parts and addresses of an MMS."""

    said: Fields
    is_mms: bool = False
    parts: list[Fields] = field(default_factory=list)
    sender: str = ""


def read_sms(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages that were sent and received; drafts and failed ones are left out."""
    find = partial(_find, source=file.source or "sms", ids=DerivedIds(), names={})
    return chat_events(file, _parts(file.path), find)


def _parts(path: Path) -> Iterator[JsonPart]:
    """Yield each message, with how far the file is read."""
    done, waiting = 0, None
    for number, (line, length) in enumerate(_lines(path), start=1):
        done += length
        match = _ELEMENT.match(line)
        if match is None:
            continue
        said, name = _attributes(line), match[2]
        if waiting is not None and name == "part":
            waiting.parts += [said] if len(waiting.parts) < PARTS_MAX else []
        elif waiting is not None and name == "addr" and said.get("type") == _FROM:
            waiting.sender = said.get("address", "")
        elif waiting is not None and name in ("mms", "sms", "smses"):
            yield JsonPart(value=waiting, place=f"line {number}", bytes_done=done)
            waiting = None
        if name in ("sms", "mms") and not match[1]:
            waiting = _Message(said=said, is_mms=name == "mms")
    if waiting is not None:
        yield JsonPart(value=waiting, place="the end", bytes_done=done)


def _lines(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the beginning of each line, and how many bytes it has."""
    with path.open("rb") as stream:
        while head := stream.readline(LINE_BYTES_MAX):
            length, rest = len(head), head
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(LINE_BYTES_MAX)
                length += len(rest)
            yield decode(head), length


def _attributes(line: str) -> dict[str, str]:
    joined = _PAIR.sub(_join_halves, line)
    return {one[1]: unescape(one[2] or one[3] or "") for one in _ATTRIBUTE.finditer(joined)}


def _join_halves(pair: re.Match[str]) -> str:
    halves = bytes(b for one in pair.groups() for b in int(one).to_bytes(2, "big"))
    return halves.decode("utf-16-be", errors="replace")


def _find(
    record: _Message, *, source: str, ids: DerivedIds, names: dict[str, str]
) -> Iterator[Said]:
    said = record.said
    addresses = [_NO_DIGIT.sub("", one) or one for one in said.get("address", "").split("~")]
    named = [one.strip() for one in said.get("contact_name", "").split(",")]
    if len(named) == len(addresses):
        names.update((a, n) for a, n in zip(addresses, named, strict=True) if n not in _UNKNOWN)
    box = said.get("msg_box" if record.is_mms else "type", "")
    files = [
        file_named(name, media_type=one.get("ct", ""))
        for one in record.parts
        if (name := _file(one))
    ]
    text = with_files("\n".join(filter(None, _texts(record))), files)
    if box not in (_SENT, _INBOX) or not text:
        return
    sender = _NO_DIGIT.sub("", record.sender) or addresses[0]
    author = ME if box == _SENT else names.get(sender, sender)
    session = f"{source}/{'~'.join(sorted(addresses))}"
    others = tuple(names.get(one, one) for one in addresses)
    yield ChatMessage(
        source=source,
        source_id=ids.of(session, author, said.get("date", ""), text),
        session=session,
        title=", ".join(others)[:TITLE_CHARS_MAX],
        author=author,
        text=text,
        recipients=others if box == _SENT else (),
        created=_moment(said.get("date", "")),
        more={"attachments": files},
    )


def _texts(record: _Message) -> Iterator[str]:
    subject = record.said.get("sub" if record.is_mms else "subject", "")
    yield "" if subject in _UNKNOWN else words(subject)
    if not record.is_mms:
        yield lines(record.said.get("body", ""))
    for part in record.parts:
        if part.get("ct") == "text/plain" and part.get("text") not in _UNKNOWN:
            yield lines(part.get("text"))


def _file(part: Fields) -> str:
    """Return the name of a part that is a file; empty for words and the order of the parts."""
    if part.get("ct") in ("text/plain", "application/smil"):
        return ""
    named = (part.get(name, "") for name in ("cl", "fn", "name"))
    return next((one for one in named if one not in _UNKNOWN), "")


def _moment(text: str) -> datetime | None:
    return when(int(text)) if re.fullmatch(r"[0-9]{1,15}", text) else None
