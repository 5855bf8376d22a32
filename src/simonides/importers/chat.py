"""Chats as JSON Lines: one message a line.

Knows the fields of a line. Must not know where sessions come from. Besides the line itself it
holds one number a line and one a session, to tell equal lines apart and to count positions.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO

from simonides.errors import InvalidInput
from simonides.importers.charset import decode
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.header import one_line
from simonides.importers.json_parts import load_untrusted
from simonides.importers.json_values import each, find_named, when
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable

LINE_BYTES_MAX = 16 << 20
"""Longest line that is read; a longer one is passed over."""

METADATA_DEPTH_MAX = 32
"""How deep objects and lists in the metadata are nested; no program's are."""

BAD_LINES_MAX = 20
"""Bad lines before the first good one after which a file is taken for no chat at all."""

_ALSO_CALLED = {
    "text": ("content", "message", "body"),
    "speaker": ("role", "author", "sender", "from", "name"),
    "session": ("session_id", "conversation_id", "conversation", "thread", "thread_id", "chat"),
    "at": ("timestamp", "time", "date", "created_at", "sent_at", "happened_at", "ts"),
}
"""What other programs call the fields of a message, the surest first."""

NOT_A_CHAT = 'not a chat: the first line that is a JSON object has no "text"'
"""Why a file of other JSON Lines is passed over."""

NO_GOOD_LINE = "not a chat: there is no good line at its beginning"
"""Why a file of something else is given up."""


@dataclass(slots=True, kw_only=True)
class _Progress:
    """Progress of a file: positions by session, and the ids of lines that have none."""

    positions: Counter[str] = field(default_factory=Counter)
    ids: DerivedIds = field(default_factory=DerivedIds)


def read_chat(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield one message for each good line; a bad line is passed over with its number."""
    progress, bad, done = _Progress(), 0, 0
    with file.path.open("rb") as stream:
        for number, (line, size_bytes) in enumerate(_lines(stream), start=1):
            done += size_bytes
            try:
                fields = _fields(line)
                if fields is None:
                    continue
                if not progress.positions and "text" not in fields:
                    yield file.skip(NOT_A_CHAT, bytes_done=file.size_bytes)
                    return
                item = _message(fields, progress, source=file.source or "chat")
                yield file.keep(item, bytes_done=done)
            except InvalidInput as error:
                yield file.skip(str(error), part=f"line {number}", bytes_done=done)
                bad += 1
                if bad >= BAD_LINES_MAX and not progress.positions:
                    yield file.skip(NO_GOOD_LINE, bytes_done=file.size_bytes)
                    return
    if not (progress.positions or bad):
        yield file.skip("empty", bytes_done=file.size_bytes)


def _lines(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield (line, its size in bytes); of a line that is too long only the first bytes."""
    while line := stream.readline(LINE_BYTES_MAX + 1):
        size_bytes, end = len(line), line
        while len(end) > LINE_BYTES_MAX and not end.endswith(b"\n"):
            end = stream.readline(LINE_BYTES_MAX + 1)
            size_bytes += len(end)
        yield line, size_bytes


def _fields(line: bytes) -> dict[str, Any] | None:
    """Return the object on this line; None for a blank line."""
    if len(line) > LINE_BYTES_MAX:
        raise InvalidInput("JSON", f"is longer than {LINE_BYTES_MAX} bytes")
    if not line.strip():
        return None
    try:
        found = load_untrusted(decode(line))
    except ValueError as error:
        raise InvalidInput("JSON", f"is malformed: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput("JSON", f"must be an object, got {type(found).__name__}")
    return {**_by_usual_names(found), **found}


def _by_usual_names(line: dict[str, Any]) -> dict[str, str]:
    """Return the fields of a line that it has under another name: {"role": …, "content": …}."""
    found: dict[str, str] = {}
    for name, others in _ALSO_CALLED.items():
        held = next((line[one] for one in others if line.get(one)), None)
        if name in line or held is None:
            continue
        time = when(held) if name == "at" else None
        parts = [find_named(one, "text") for one in each(held)]
        value = time.isoformat() if time else "\n".join(filter(None, parts)) or held
        if isinstance(value, str):
            found[name] = value
    return found


def _message(fields: dict[str, Any], progress: _Progress, *, source: str) -> Item:
    """Return the message of one line and count it.

    Raises:
        InvalidInput: A field is missing or has the wrong type; says which.
    """
    content = printable(_text(fields, "text")).strip()
    if not content:
        raise InvalidInput("text", "is missing or empty")
    session, speaker = (one_line(_text(fields, name)) for name in ("session", "speaker"))
    metadata = _metadata(fields)
    happened_at, assumed = _moment(_text(fields, "at"))
    item = Item(
        kind=Kind.MESSAGE,
        source=source,
        source_id=_read_id(fields) or _own_id(fields, progress),
        title=one_line(_text(fields, "title")),
        content=content,
        people=(Person(name=speaker, role=Role.AUTHOR),) if speaker else (),
        session=session,
        position=progress.positions[session],
        happened_at=happened_at,
        collection=one_line(_text(fields, "collection")) or "main",
        metadata=metadata | ({"_time_zone": "assumed UTC"} if assumed else {}),
    )
    progress.positions[session] += 1
    return item


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(name, f"must be text, got {type(value).__name__}")
    return value


def _read_id(fields: dict[str, Any]) -> str:
    value = fields.get("id")
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInput("id", f"must be text or a whole number, got {type(value).__name__}")
    return one_line(str(value))


def _own_id(fields: dict[str, Any], progress: _Progress) -> str:
    """Return an id made of text, speaker, time and session, and a count of equal lines.

    So a message keeps its id when another export calls its session the same.
    """
    return progress.ids.of(*(_text(fields, name) for name in ("session", "speaker", "at", "text")))


def _metadata(fields: dict[str, Any]) -> dict[str, Any]:
    value = fields.get("metadata")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput("metadata", f"must be an object, got {type(value).__name__}")
    return {one_line(name): _clean(one, depth=1) for name, one in value.items()}


def _clean(value: Any, *, depth: int) -> Any:
    """Return a JSON value without the control characters that no store can keep.

    Raises:
        InvalidInput: It is nested too deeply.
    """
    if isinstance(value, str):
        return printable(value)
    if not isinstance(value, list | dict):
        return value
    if depth >= METADATA_DEPTH_MAX:
        raise InvalidInput("metadata", f"is nested deeper than {METADATA_DEPTH_MAX}")
    if isinstance(value, list):
        return [_clean(one, depth=depth + 1) for one in value]
    return {one_line(name): _clean(one, depth=depth + 1) for name, one in value.items()}


def _moment(text: str) -> tuple[datetime | None, bool]:
    """Return (aware UTC time or None where there is none, whether UTC was assumed)."""
    if not text:
        return None, False
    try:
        when = datetime.fromisoformat(text.strip())
        if when.utcoffset() is None:
            return when.replace(tzinfo=UTC), True
        return when.astimezone(UTC), False
    except (ValueError, OverflowError) as error:
        problem = f"must be an ISO 8601 time such as 2026-03-04T10:00:00Z, got {text[:40]!r}"
        raise InvalidInput("at", problem) from error
