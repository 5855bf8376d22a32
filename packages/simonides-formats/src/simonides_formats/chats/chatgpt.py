"""Conversations of ChatGPT: `conversations.json` of its data export.

Knows the tree of a conversation, of which the shown branch is read: answers that were generated
anew and questions that were changed lie beside it. Must not know how a message becomes an item.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from simonides.importers.json_parts import load_untrusted, parts
from simonides.importers.json_values import each, fields_of, find_named, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import (
    ASSISTANT,
    USER,
    ChatMessage,
    file_named,
    with_files,
)

CONTAINERS = ("conversations", "items")

_SPEAKERS = {"user": USER, "assistant": ASSISTANT}
_CONTENTS = frozenset(["text", "multimodal_text", ""])
"""Contents that are words to the other side; code, thoughts and results of tools are none."""

_CANVAS = "canmore.create_textdoc"
"""The tool to which ChatGPT hands a document that it writes for the user."""

Fields = Mapping[str, Any]


def read_chatgpt(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of conversations, or why one is passed over."""
    found = parts(file, *CONTAINERS)
    return record_events(file, found, _find, kind="conversations", group_records=1)


def read_page(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield why `chat.html` is not read: it repeats another file of the same export."""
    reason = "repeats conversations.json of the same export; that file is read"
    if PurePosixPath(file.where).name != "chat.html" or not file.neighbour("conversations.json"):
        reason = "a page of ChatGPT that holds its data; conversations.json of that export is read"
    yield file.skip(reason, bytes_done=file.size_bytes)


def _find(record: Any, file: SourceFile) -> Iterator[ChatMessage | Missing]:
    value = fields_of(record)
    nodes = fields_of(value.get("mapping"))
    if not nodes:
        if value.get("mapping") is None:
            place = find_named(value, "title", "id")
            yield Missing(place=place, reason="not a conversation of ChatGPT: it has no mapping")
        return
    title = words(value.get("title"))
    key = find_named(value, "conversation_id", "id") or short_hash(f"{title}/{min(nodes)}")
    position = 0
    for node_id in _branch(nodes, words(value.get("current_node"))):
        node = fields_of(nodes[node_id])
        message = fields_of(node.get("message"))
        text, more = _read_words(message)
        author = _SPEAKERS.get(find_named(message.get("author"), "role"), "")
        if not (author and text) or _is_hidden(message):
            continue
        yield ChatMessage(
            source=file.source or "chatgpt",
            source_id=_message_id(message, node_id, key),
            session=key,
            title=title,
            position=position,
            author=author,
            text=text,
            created=when(message.get("create_time")) or when(value.get("create_time")),
            more=more | _model(message, author),
        )
        position += 1


def _branch(nodes: Fields, last: str) -> list[str]:
    """Return the ids of the nodes from the root to the one that was shown last."""
    if last not in nodes:
        last = _newest_leaf(nodes)
    branch: dict[str, None] = {}
    while last in nodes and last not in branch:  # a damaged tree may be a circle
        branch[last] = None
        last = words(fields_of(nodes[last]).get("parent"))
    return list(branch)[::-1]


def _newest_leaf(nodes: Fields) -> str:
    """Return the newest node without children; the last one in the file where none has a time."""
    leaves = [key for key in nodes if not each(fields_of(nodes[key]).get("children"))]

    def time_of(key: str) -> float:
        made = when(fields_of(fields_of(nodes[key]).get("message")).get("create_time"))
        return made.timestamp() if made else 0.0

    return max(reversed(leaves or list(nodes)), key=time_of)


def _message_id(message: Fields, node_id: str, key: str) -> str:
    """Return the message's id; ids too short to be any program's only tell apart in one chat."""
    own = words(message.get("id")) or node_id
    return own if len(own) >= _ID_CHARS else f"{key}/{own}"


_ID_CHARS = 20


def _is_hidden(message: Fields) -> bool:
    """Return whether it was never shown: settings, and messages to tools."""
    notes = fields_of(message.get("metadata"))
    if notes.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0:
        return True
    return find_named(message, "recipient") not in ("all", "", _CANVAS)


def _read_words(message: Fields) -> tuple[str, dict[str, Any]]:
    """Return (the words of a message, its attached files as metadata)."""
    content = message.get("content")
    fields = fields_of(content)
    if find_named(message, "recipient") == _CANVAS:
        return _document(fields), {}
    if words(fields.get("content_type")) not in _CONTENTS:
        return "", {}
    said = content if isinstance(content, str) else fields.get("text")
    texts = [*map(_part, each(fields.get("parts"))), lines(said)]
    files = [
        file_named(
            find_named(one, "name", "id"),
            media_type=find_named(one, "mime_type", "mimeType"),
            size_bytes=one.get("size"),
        )
        for one in objects(fields_of(message.get("metadata")).get("attachments"))
    ]
    return with_files("\n\n".join(filter(None, texts)), files), {"attachments": files}


def _part(part: Any) -> str:
    """Return the words of one part of a message; a picture has none, speech its transcript."""
    return lines(part) if isinstance(part, str) else lines(fields_of(part).get("text"))


def _document(content: Fields) -> str:
    """Return a document that was written on the canvas."""
    text = next(filter(None, map(_part, each(content.get("parts")))), lines(content.get("text")))
    try:
        written = fields_of(load_untrusted(text))
    except ValueError:
        return ""
    return "\n\n".join(filter(None, (words(written.get("name")), lines(written.get("content")))))


def _model(message: Fields, author: str) -> dict[str, str]:
    model = words(fields_of(message.get("metadata")).get("model_slug"))
    return {"model": model} if author == ASSISTANT else {}
