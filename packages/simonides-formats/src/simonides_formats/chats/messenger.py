"""Chats of Messenger and Instagram: the JSON of Meta's "Download your information".

A chat of the account is a folder of files ("message_1.json"), whose texts are UTF-8 written as if
it were Latin-1; an end-to-end encrypted chat is one file with other names of fields. Must not know
how a message becomes an item.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from simonides.importers.derived_ids import DerivedIds
from simonides.importers.json_parts import parts
from simonides.importers.json_values import fields_of, find_named, lines, objects, when, words
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import (
    ChatMessage,
    Said,
    chat_events,
    file_named,
    with_files,
)

_FILES = ("photos", "videos", "audio_files", "files", "media")
_NUMBER = re.compile(r"_\d+$")
"""Ends the name of an encrypted chat: which of those with the same people it is."""
_REACTED = re.compile(r"(?:Reacted .{1,8} to your message|Liked a message)\s*")
"""What Instagram writes as a message where somebody only pressed a button."""

Fields = Mapping[str, Any]


def read_messenger(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of a chat, the oldest first."""
    usual = "instagram" if "instagram" in file.where.lower() else "messenger"
    source, folder = file.source or usual, PurePosixPath(file.where).parent.name
    find = partial(_messages, source=source, folder=folder, ids=DerivedIds())
    return chat_events(file, parts(file), find)


def _messages(record: Any, *, source: str, folder: str, ids: DerivedIds) -> Iterator[Said]:
    chat = fields_of(_repair(record))
    named = words(chat.get("threadName"))
    title = words(chat.get("title")) or _NUMBER.sub("", named)
    thread = PurePosixPath(words(chat.get("thread_path"))).name or named or folder
    for message in reversed(list(objects(chat.get("messages")))):
        files = list(_files(message))
        text = with_files(_text(message), files)
        if not text:
            continue
        author = find_named(message, "sender_name", "senderName")
        sent = message.get("timestamp_ms") or message.get("timestamp")
        yield ChatMessage(
            source=source,
            source_id=ids.of(thread, author, words(sent), text),
            session=f"{source}/{thread}",
            title=title,
            author=author,
            text=text,
            created=when(sent),
            more={"attachments": files},
        )


def _text(message: Fields) -> str:
    """Return the words of a message and the address it shares; empty for what nobody wrote."""
    is_unsent = message.get("is_unsent") is True or message.get("isUnsent") is True
    said = lines(message.get("content")) or lines(message.get("text"))
    if is_unsent or "call_duration" in message or _REACTED.fullmatch(said):
        return ""
    link = words(fields_of(message.get("share")).get("link"))
    return "\n".join(filter(None, (said, "" if link in said else link)))


def _files(message: Fields) -> Iterator[dict[str, Any]]:
    """Yield the files of a message by their names."""
    for one in (one for name in _FILES for one in objects(message.get(name))):
        if name := PurePosixPath(words(one.get("uri"))).name:
            yield file_named(name)


def _repair(value: Any) -> Any:
    """Return JSON with its texts repaired: UTF-8 that was read as Latin-1."""
    if isinstance(value, str):
        try:
            return value if value.isascii() else value.encode("latin-1").decode()
        except UnicodeError:
            return value
    if isinstance(value, list):
        return [_repair(one) for one in value]
    if isinstance(value, dict):
        return {name: _repair(one) for name, one in value.items()}
    return value
