"""Chats of Telegram: `result.json` of its desktop app, of one chat or of the whole account.

Must not know how a message becomes an item.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from simonides.importers.json_values import each, fields_of, find_named, iso, lines, when, words
from simonides.importers.records import Missing
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable
from simonides_formats.chats.chat_message import (
    ChatMessage,
    Said,
    chat_events,
    file_named,
    with_files,
)
from simonides_formats.chats.json_scopes import read_scoped
from simonides_formats.json_stream import Scoped

LISTS = ("messages", "chats.list.item.messages", "left_chats.list.item.messages")

_FILES = ("file", "photo", "sticker", "thumbnail")
_NOT_EXPORTED = "(File"
"""How a path begins that says why a file is not in the export."""

Fields = Mapping[str, Any]


def read_telegram(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of chats, or why one is passed over."""
    found = read_scoped(file, *LISTS)
    return chat_events(file, found, partial(_message, source=file.source or "telegram"))


def _message(record: Scoped, *, source: str) -> Iterator[Said]:
    message = fields_of(record.value)
    if message.get("type") != "message":  # what Telegram says itself: joined, pinned, called
        return
    files = _files(message)
    text = with_files(_text(message), files)
    if not text:
        return
    chat = words(record.fields.get("name")) or _SAVED.get(words(record.fields.get("type")), "")
    chat_id = words(record.fields.get("id")) or chat or f"chat {record.scope}"
    key, answers = words(message.get("id")), words(message.get("reply_to_message_id"))
    if not key:
        yield Missing(place="", reason="a message without an id")
        return
    created, assumed = _moment(message, "date")
    edited, _ = _moment(message, "edited")
    yield ChatMessage(
        source=source,
        source_id=f"{chat_id}/{key}",
        session=f"telegram/{chat_id}",
        title=chat,
        author=find_named(message, "from", "from_id"),
        text=text,
        created=created,
        more={
            "attachments": files,
            "forwarded_from": words(message.get("forwarded_from")),
            "edited_at": iso(edited),
            "_reply_to": f"{chat_id}/{answers}" if answers else "",
            "_time_zone": "assumed UTC" if assumed else "",
        },
    )


_SAVED = {"saved_messages": "Saved Messages"}


def _moment(message: Fields, name: str) -> tuple[Any, bool]:
    """Return (a time of a message, whether UTC was assumed); older exports give local time only."""
    stated = words(message.get(f"{name}_unixtime"))
    if stated.isascii() and stated.isdigit():
        return when(int(stated)), False
    found = when(message.get(name))
    return found, found is not None


def _text(message: Fields) -> str:
    """Return the words of a message; links show their address, a poll its question.

    Of a person or a place that was sent they say which.
    """
    said = message.get("text_entities") or message.get("text")
    text = lines(said) if isinstance(said, str) else "".join(map(_entity, each(said))).strip()
    poll = fields_of(message.get("poll"))
    answers = [find_named(one, "text") for one in each(poll.get("answers"))]
    question = lines(poll.get("question"))
    place = find_named(message, "place_name", "address") or _location(message)
    listed = (f"- {one}" for one in answers if one)
    return "\n".join(filter(None, (text, question, *listed, _contact(message), place)))


def _contact(message: Fields) -> str:
    contact = fields_of(message.get("contact_information"))
    name = " ".join(filter(None, (words(contact.get(f"{one}_name")) for one in ("first", "last"))))
    said = ", ".join(filter(None, (name, words(contact.get("phone_number")))))
    return f"Contact: {said}" if said else ""


def _location(message: Fields) -> str:
    place = fields_of(message.get("location_information"))
    degrees = [words(place.get(one)) for one in ("latitude", "longitude")]
    return f"Location: {', '.join(degrees)}" if all(degrees) else ""


def _entity(one: Any) -> str:
    said = one if isinstance(one, str) else fields_of(one).get("text")
    text = printable(said) if isinstance(said, str) else ""
    address = words(fields_of(one).get("href"))
    return f"{text} ({address})" if address and address != text else text


def _files(message: Fields) -> list[dict[str, Any]]:
    path = next(filter(None, (words(message.get(name)) for name in _FILES)), "")
    name = words(message.get("file_name"))
    if not name and not path.startswith(_NOT_EXPORTED):
        name = path.rpartition("/")[2]
    if not name:
        return []
    kind, size = words(message.get("mime_type")), message.get("file_size")
    return [file_named(name, media_type=kind, size_bytes=size)]
