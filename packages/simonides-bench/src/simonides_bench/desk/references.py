"""The names under which labels of a desk mean its items: a file, or a file and a place in it.

Knows which item an importer makes of which part of a file. `mail.mbox#<message id>` (without
brackets; what is attached to a mail is named as it), `notes/x.md`, `chats.jsonl#<line>`,
`calendar.ics#<UID>` (also of one instance of a series), `tasks.json#<key>` (also of a comment),
`memories.jsonl#<line>`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from simonides.model.item import Item, Kind
from simonides.model.metadata_keys import ATTACHED_KEY
from simonides.text.clean import printable
from simonides_bench.neutral import json_objects

MAIL, NOTES, CHATS = "mail.mbox", "notes", "chats.jsonl"
CALENDAR, TASKS, MEMORIES = "calendar.ics", "tasks.json", "memories.jsonl"

_Said = tuple[str, str]
"""A session and what is said in it: several lines can say the same."""


def references(items: Iterable[Item], folder: Path) -> dict[str, frozenset[str]]:
    """Return the names of each item of a desk by its id."""
    listed = list(items)
    lines = _lines_of(listed, folder / CHATS)
    return {one.id: frozenset(_names(one, lines)) for one in listed}


def reference(file: str, place: str = "") -> str:
    """Return the name of a file, or of a place in it; a message id goes without its brackets."""
    return f"{file}#{place.strip('<>')}" if place else file


def _names(item: Item, lines: dict[str, int]) -> Iterator[str]:
    attached_to, uid = item.metadata.get(ATTACHED_KEY), item.metadata.get("_uid")
    if uid:
        yield reference(CALENDAR, str(uid))
    if attached_to:
        yield reference(MAIL, str(attached_to))
    elif not uid:
        yield _own_name(item, lines)


def _own_name(item: Item, lines: dict[str, int]) -> str:
    """Return the name of what is neither in a calendar nor attached to a mail."""
    if item.id in lines:
        return reference(CHATS, str(lines[item.id]))
    if item.kind is Kind.EMAIL:
        return reference(MAIL, item.source_id)
    if item.kind is Kind.MEMORY:
        return reference(MEMORIES, item.source_id)
    if item.kind is Kind.DOCUMENT:
        return reference(item.source_id.partition("#")[0])
    return reference(TASKS, item.source_id.partition("/")[0])


def _lines_of(items: Iterable[Item], chats: Path) -> dict[str, int]:
    """Return the line of each message by its id: equal lines are distinguished by their order."""
    waiting: defaultdict[_Said, list[int]] = defaultdict(list)
    for number, session, text in _chat_lines(chats):
        waiting[_as_kept(session), _as_kept(text)].append(number)
    messages = [one for one in items if one.kind is Kind.MESSAGE and one.position is not None]
    found = {}
    for one in sorted(messages, key=lambda message: (message.position or 0, message.id)):
        numbers = waiting.get((_as_kept(one.session), _as_kept(one.content)))
        if numbers:
            found[one.id] = numbers.pop(0)
    return found


def _chat_lines(chats: Path) -> Iterator[tuple[int, str, str]]:
    """Yield (line, session, text) of the messages in a file of chats; nothing without a file."""
    for where, fields in json_objects(chats) if chats.exists() else ():
        if isinstance(fields, dict):
            yield (
                int(where.rpartition(":")[2]),
                str(fields.get("session") or ""),
                str(fields.get("text") or ""),
            )


def _as_kept(text: str) -> str:
    return " ".join(printable(text).split())
