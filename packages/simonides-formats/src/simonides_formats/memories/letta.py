"""Agents of Letta: agent files (`.af`), archival passages, memory blocks and messages.

Must not know how a memory becomes an item.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from simonides.importers.json_parts import load_untrusted, parts
from simonides.importers.json_values import each, fields_of, find_named, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import MemoryType, Status, short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import ChatMessage
from simonides_formats.memories.memory_record import FileRecord, Found, MemoryRecord

CONTAINERS = ("passages", "messages.items", "data")

_TYPES = {"human": MemoryType.PROFILE, "persona": MemoryType.POLICY}
"""What the two blocks that every agent has are; others are taken for events."""

_SPEAKERS = {"user_message": "user", "assistant_message": "assistant"}

Fields = Mapping[str, Any]


def read_letta(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the blocks, passages, messages and files of agents, or why one is passed over."""
    return record_events(file, parts(file, *CONTAINERS), _find, kind="memories")


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    value = fields_of(record)
    source = file.source or "letta"
    if "agents" in value:
        yield from _agent_file(value, source=source)
    elif "agent_type" in value or "core_memory" in value:
        yield from _agent(value, _blocks_by_id(value), source=source)
    elif "message_type" in value:
        yield from _read_answer(value, source=source)
    elif "label" in value and "value" in value:
        yield _block(value, "", source=source)
    elif "text" in value:
        yield _passage(value, "", source=source)
    else:
        yield Missing(place=find_named(value, "id"), reason="no block, passage or message of Letta")


def _agent_file(value: Fields, *, source: str) -> Iterator[Found]:
    blocks = _blocks_by_id(value)
    owned: set[str] = set()
    for agent in objects(value.get("agents")):
        owned |= set(map(words, each(agent.get("block_ids"))))
        yield from _agent(agent, blocks, source=source)
    for block_id, block in blocks.items():
        if block_id not in owned:
            yield _block(block, "", source=source)
    for one in objects(value.get("files")):
        name, text = find_named(one, "original_file_name", "file_name"), lines(one.get("content"))
        if text:
            created = when(one.get("file_last_modified_date") or one.get("file_creation_date"))
            place = f"file/{name or words(one.get('id'))}"
            yield FileRecord(source=source, source_id=place, name=name, text=text, created=created)


def _blocks_by_id(value: Fields) -> dict[str, Fields]:
    return {words(one.get("id")): one for one in objects(value.get("blocks"))}


def _agent(agent: Fields, blocks: dict[str, Fields], *, source: str) -> Iterator[Found]:
    name = find_named(agent, "name", "id") or "agent"
    own = [blocks[one] for one in map(words, each(agent.get("block_ids"))) if one in blocks]
    memory = agent.get("memory")
    own += [
        *objects(agent.get("memory_blocks")),
        *objects(agent.get("core_memory")),
        *objects(fields_of(memory).get("blocks")),
    ]
    for block in own:
        yield _block(block, name, source=source)
    for passage in objects(agent.get("archival_memory") or agent.get("passages")):
        yield _passage(passage, name, source=source)
    for message in objects(agent.get("messages")):
        yield from _message(message, name, source=source)


def _block(block: Fields, agent: str, *, source: str) -> Found:
    label = find_named(block, "label", "name") or "block"
    place = f"{agent}/block/{label}" if agent else words(block.get("id")) or f"block/{label}"
    text = lines(block.get("value"))
    if not text:
        return Missing(place=place, reason="an empty block")
    created = when(block.get("created_at"))
    return MemoryRecord(
        source=source,
        source_id=place,
        title=label,
        text=text,
        type=_TYPES.get(label, MemoryType.EPISODIC),
        created=created,
        revised_at=when(block.get("updated_at")) or created,
        more={"agent": agent, "description": lines(block.get("description"))},
    )


def _passage(passage: Fields, agent: str, *, source: str) -> Found:
    text = lines(passage.get("text") or passage.get("content"))
    place = words(passage.get("id")) or f"{agent}/passage/{short_hash(text)[:16]}"
    if not text:
        return Missing(place=place, reason="has no words")
    created = when(passage.get("created_at") or passage.get("timestamp"))
    stated = fields_of(passage.get("metadata") or passage.get("metadata_"))
    return MemoryRecord(
        source=source,
        source_id=place,
        text=text,
        status=Status.DELETED if passage.get("is_deleted") is True else Status.ACTIVE,
        tags=tuple(map(words, each(passage.get("tags")))),
        created=created,
        revised_at=when(passage.get("updated_at")) or created,
        more={**stated, "agent": agent, "file": words(passage.get("file_name"))},
    )


def _message(message: Fields, agent: str, *, source: str) -> Iterator[Found]:
    """Yield what the user or the agent said; the ids of an agent file count from 0 in each file."""
    role, created = words(message.get("role")), when(message.get("created_at"))
    text = _user_words(message) if role == "user" else _agent_words(message)
    if role in ("user", "assistant") and text:
        place = f"{agent}/message/{words(message.get('created_at'))}/{short_hash(role + text)[:12]}"
        yield ChatMessage(
            source=source,
            source_id=place,
            session=agent,
            author=role,
            text=text,
            created=created,
        )


def _read_answer(message: Fields, *, source: str) -> Iterator[Found]:
    """Yield a message as the interface answers it; thoughts and calls of tools are left out."""
    role = _SPEAKERS.get(words(message.get("message_type")), "")
    text = _content(message.get("content"))
    if role and text:
        yield ChatMessage(
            source=source,
            source_id=words(message.get("id")) or short_hash(role + text),
            session=find_named(message, "conversation_id", "agent_id"),
            author=role,
            text=text,
            created=when(message.get("date") or message.get("created_at")),
        )


def _content(value: Any) -> str:
    """Return the words of a text, or of a list of parts."""
    if isinstance(value, str):
        return lines(value)
    texts = (lines(one.get("text")) for one in objects(value))
    return "\n".join(filter(None, texts))


def _user_words(message: Fields) -> str:
    """Return the words of a user; older agents wrap them, and signals, in JSON."""
    text = _content(message.get("content")) or lines(message.get("text"))
    wrapped = _object(text)
    if not wrapped:
        return text
    return lines(wrapped.get("message")) if wrapped.get("type") == "user_message" else ""


def _agent_words(message: Fields) -> str:
    """Return the words of an agent to the user; older ones say them by calling `send_message`."""
    calls = [fields_of(one.get("function")) for one in objects(message.get("tool_calls"))]
    said = (
        lines(_object(lines(one.get("arguments"))).get("message"))
        for one in calls
        if one.get("name") == "send_message"
    )
    text = "\n\n".join(filter(None, said))
    if text or calls:
        return text
    return _content(message.get("content")) or lines(message.get("text"))


def _object(text: str) -> Fields:
    if not text.startswith("{"):
        return {}
    try:
        return fields_of(load_untrusted(text))
    except ValueError:
        return {}
