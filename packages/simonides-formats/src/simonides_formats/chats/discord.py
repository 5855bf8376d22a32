"""Channels of Discord as DiscordChatExporter writes them in JSON.

Must not know how a message becomes an item.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from simonides.importers.json_values import fields_of, find_named, iso, lines, objects, when, words
from simonides.importers.records import Missing
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import (
    ChatMessage,
    Said,
    chat_events,
    file_named,
    with_files,
)
from simonides_formats.chats.json_scopes import read_scoped
from simonides_formats.json_stream import Scoped

_SAID = frozenset(["Default", "Reply", "ThreadStarterMessage", "20", "23", "0", "19", ""])
"""Types of messages that people and programs write; others say who joined, called or pinned."""

_PRIVATE = frozenset(["DirectTextChat", "DirectGroupTextChat"])

Fields = Mapping[str, Any]


def read_discord(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of a channel, or why one is passed over."""
    found = read_scoped(file, "messages")
    return chat_events(file, found, partial(_message, source=file.source or "discord"))


def _message(record: Scoped, *, source: str) -> Iterator[Said]:
    message = fields_of(record.value)
    if words(message.get("type")) not in _SAID:
        return
    files = [_file(one) for one in objects(message.get("attachments"))]
    text = with_files(_text(message), files)
    if not text:
        return
    key = words(message.get("id"))
    if not key:
        yield Missing(place="", reason="a message without an id")
        return
    channel = words(record.fields.get("channel.name"))
    is_private = words(record.fields.get("channel.type")) in _PRIVATE
    yield ChatMessage(
        source=source,
        source_id=key,
        session=words(record.fields.get("channel.id")) or channel,
        title=channel if is_private or not channel else f"#{channel}",
        author=_name(message.get("author")),
        text=text,
        created=when(message.get("timestamp")),
        mentioned=tuple(map(_name, objects(message.get("mentions")))),
        more={
            "channel": f"#{channel}" if channel and not is_private else "",
            "server": "" if is_private else words(record.fields.get("guild.name")),
            "attachments": files,
            "edited_at": iso(when(message.get("timestampEdited"))),
            "_reply_to": find_named(message.get("reference"), "messageId"),
        },
    )


def _name(person: Any) -> str:
    return find_named(person, "nickname", "name", "id")


def _file(one: Fields) -> dict[str, Any]:
    return file_named(find_named(one, "fileName", "id"), size_bytes=one.get("fileSizeBytes"))


def _text(message: Fields) -> str:
    """Return the words of a message and of the cards below it."""
    texts = [lines(message.get("content"))]
    for card in objects(message.get("embeds")):
        said = [lines(card.get(name)) for name in ("title", "description")]
        cells = objects(card.get("fields"))
        rows = (f"{find_named(one, 'name')}: {lines(one.get('value'))}" for one in cells)
        texts.append("\n".join(filter(None, [*said, *rows])))
    return "\n\n".join(filter(None, texts))
