"""Messages of Google Chat: `messages.json` of Google's Takeout, one in the folder of each group.

Must not know how a message becomes an item.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from simonides.importers.json_parts import load_untrusted, parts
from simonides.importers.json_values import fields_of, find_named, lines, objects, words
from simonides.importers.records import Missing
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import (
    ChatMessage,
    Said,
    chat_events,
    file_named,
    with_files,
)
from simonides_formats.chats.takeout_times import takeout_moment


def read_google_chat(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of a group, or why one is passed over."""
    folder, title = PurePosixPath(file.where).parent.name, _title(file)
    find = partial(_message, source=file.source or "google-chat", group=folder, title=title)
    return chat_events(file, parts(file, "messages"), find)


def read_list(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield why a list of members is no content: the messages use its names."""
    reason = "names of Google Chat, which are used in its messages"
    yield file.skip(reason, bytes_done=file.size_bytes)


def _title(file: SourceFile) -> str:
    """Return the name of a group; of one without a name, those of its members."""
    try:
        group = fields_of(load_untrusted(file.neighbour("group_info.json") or b"{}"))
    except ValueError:
        group = {}
    members = (find_named(one, "name", "email") for one in objects(group.get("members")))
    return words(group.get("name")) or ", ".join(filter(None, members))


def _message(record: Any, *, source: str, group: str, title: str) -> Iterator[Said]:
    message = fields_of(record)
    if message.get("message_state") == "DELETED":
        return
    attached = objects(message.get("attached_files"))
    names = (find_named(one, "original_name", "export_name") for one in attached)
    files = [file_named(name) for name in names if name]
    text, key = with_files(lines(message.get("text")), files), words(message.get("message_id"))
    if not text:
        return
    topic, creator = words(message.get("topic_id")), fields_of(message.get("creator"))
    shown = words(message.get("created_date"))
    created, is_assumed = takeout_moment(shown)
    if not key or created is None:
        yield Missing(place=key, reason=f"a message without an id, or without a time: {shown!r}")
        return
    yield ChatMessage(
        source=source,
        source_id=key,
        session=f"google-chat/{group or topic}",
        title=title,
        author=words(creator.get("name")),
        address=words(creator.get("email")),
        text=text,
        created=created,
        more={"attachments": files, "_time_zone": "assumed UTC" if is_assumed else ""},
    )
