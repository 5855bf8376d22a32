"""Conversations and projects of Claude: the JSON files of its data export.

Must not know how a message becomes an item.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import fields_of, find_named, iso, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import MemoryType
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import (
    ASSISTANT,
    USER,
    ChatMessage,
    file_named,
    with_files,
)
from simonides_formats.memories.memory_record import FileRecord, Found, MemoryRecord

CONTAINERS = ("conversations", "projects")

_SPEAKERS = {"human": USER, "user": USER, "assistant": ASSISTANT}
_WRITING = frozenset(["create", "rewrite"])
"""Commands by which Claude writes a whole artifact; others change a part of one."""

Fields = Mapping[str, Any]


def read_claude(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of conversations, files and projects, or why one is passed over."""
    found = parts(file, *CONTAINERS)
    return record_events(file, found, _find, kind="conversations", group_records=1)


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    value, source = fields_of(record), file.source or "claude"
    if isinstance(value.get("chat_messages"), list):
        yield from _conversation(value, source=source)
    elif "conversations_memory" in value:
        yield from _memories(value, source=source)
    elif "docs" in value or "prompt_template" in value:
        yield from _project(value, source=source)
    else:
        reason = "neither a conversation nor a project of Claude"
        yield Missing(place=find_named(value, "name", "uuid"), reason=reason)


def _conversation(value: Fields, *, source: str) -> Iterator[Found]:
    key, title = words(value.get("uuid")), words(value.get("name"))
    for position, message in enumerate(objects(value["chat_messages"])):
        files = _files(message)
        text = with_files(_read_words(message), files)
        author = _SPEAKERS.get(words(message.get("sender")), "")
        own_id = words(message.get("uuid")) or f"{key}/{position}"
        for number, attached in enumerate(objects(message.get("attachments")), start=1):
            if lines(attached.get("extracted_content")):
                yield _read_attached(attached, f"{own_id}/{number}", source=source)
        if author and text:
            yield ChatMessage(
                source=source,
                source_id=own_id,
                session=key or title,
                title=title,
                position=position,
                author=author,
                text=text,
                created=when(message.get("created_at")) or when(value.get("created_at")),
                more={"attachments": files},
            )


def _read_words(message: Fields) -> str:
    """Return the words of a message; thoughts, calls of tools and their results are none."""
    blocks = list(objects(message.get("content")))
    texts = [_block(one) for one in blocks]
    return "\n\n".join(filter(None, texts)) or lines(message.get("text"))


def _block(block: Fields) -> str:
    if block.get("type") in ("text", "voice_note"):
        return lines(block.get("text"))
    given = fields_of(block.get("input"))
    if block.get("name") != "artifacts" or given.get("command") not in _WRITING:
        return ""
    return "\n\n".join(filter(None, (words(given.get("title")), lines(given.get("content")))))


def _files(message: Fields) -> list[dict[str, Any]]:
    listed = (*objects(message.get("attachments")), *objects(message.get("files")))
    found = [
        file_named(
            find_named(one, "file_name", "file_uuid"),
            media_type=words(one.get("file_type")),
            size_bytes=one.get("file_size"),
        )
        for one in listed
    ]
    return [one for one in found if one.get("name")]


def _read_attached(attached: Fields, place: str, *, source: str) -> FileRecord:
    """Return a file whose text was handed to Claude; when it was written is not known."""
    return FileRecord(
        source=source,
        source_id=place,
        name=words(attached.get("file_name")) or "attachment",
        text=lines(attached["extracted_content"]),
    )


def _project(value: Fields, *, source: str) -> Iterator[Found]:
    """Yield a project's own words and its documents."""
    key, name = words(value.get("uuid")), words(value.get("name"))
    texts = (lines(value.get("description")), lines(value.get("prompt_template")))
    created = when(value.get("updated_at")) or when(value.get("created_at"))
    text = "\n\n".join(filter(None, texts))
    if text:
        place = f"project/{key or name}"
        yield FileRecord(source=source, source_id=place, name=name, text=text, created=created)
    for number, one in enumerate(objects(value.get("docs")), start=1):
        place = words(one.get("uuid")) or f"{key}/doc/{number}"
        title, content = words(one.get("filename")), lines(one.get("content"))
        if not content:
            yield Missing(place=title or place, reason="a document without its text")
            continue
        yield FileRecord(
            source=source,
            source_id=place,
            name=title or name,
            text=content,
            created=when(one.get("created_at")),
            more={"project": name},
        )


def _memories(value: Fields, *, source: str) -> Iterator[Found]:
    """Yield what Claude remembers of its user, in all and in each project."""
    account = words(value.get("account_uuid"))
    texts = {"": value.get("conversations_memory"), **fields_of(value.get("project_memories"))}
    for project, stated in texts.items():
        if lines(stated):
            yield MemoryRecord(
                source=source,
                source_id="/".join(filter(None, ("memory", account, words(project)))),
                text=lines(stated),
                type=MemoryType.PROFILE,
                more={"project": words(project), "modified_at": iso(when(value.get("updated_at")))},
            )
