"""Messages of Slack: a workspace export, one file a day in a folder for each channel.

Knows how Slack marks up text, and where the names of people and channels lie. Must not know how a
message becomes an item.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from pathlib import PurePosixPath
from typing import Any

from simonides.importers.charset import decode
from simonides.importers.json_parts import load_untrusted, parts
from simonides.importers.json_values import each, fields_of, find_named, iso, objects, when, words
from simonides.importers.records import record_events
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_message import ChatMessage, file_named, with_files
from simonides_formats.chats.slack_blocks import whole_text

CHANNEL_FILES = ("channels.json", "groups.json", "dms.json", "mpims.json")
"""Where an export names its channels: public and private ones, and talks of two and of several."""

_NOT_SAID = re.compile(
    r".*_(?:join|leave|topic|purpose|name|archive|unarchive|convert_to_private|posting_permissions)"
    r"|tombstone|(?:un)?pinned_item|bot_(?:add|remove|enable|disable)|reminder_.*|sh_room_.*|huddle.*"
)
"""Subtypes of messages that the program writes of itself."""

_MARKED = re.compile(r"<([^<>\s|][^<>\n|]{0,4000})(?:\|([^<>]{0,4000}))?>")

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """The names of people and channels by id, and of the channel that is read."""

    people: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)
    channel_id: str = ""
    channel: str = ""


def read_slack(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of one day of a channel, or why one is passed over."""
    names = _names(file)

    def find_in(record: Any, _: SourceFile) -> Iterator[ChatMessage]:
        yield from _message(fields_of(record), names, source=file.source or "slack")

    found = parts(file, "messages")
    return record_events(file, found, find_in, kind="messages", group_records=1)


def read_lists(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield why a list of people or channels is no content: the messages use its names."""
    reason = "a list of Slack, whose names are used in its messages"
    yield file.skip(reason, bytes_done=file.size_bytes)


def _names(file: SourceFile) -> _Names:
    folder = PurePosixPath(file.where).parent.name
    people = _people(file.neighbour("../users.json") or b"")
    listed = [_channels(file.neighbour(f"../{name}") or b"") for name in CHANNEL_FILES]
    for channel in (one for listing in listed for one in listing):
        if folder in (channel.name, channel.key):
            members = ", ".join(people.get(one, one) for one in channel.members)
            shown = f"#{channel.name}" if channel.is_named else members
            break
    else:
        channel, shown = _Channel(key=folder, name=folder), f"#{folder}" if folder else ""
    ids = {one.key: one.name for listing in listed for one in listing if one.is_named}
    return _Names(people=people, channels=ids, channel_id=channel.key, channel=shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Channel:
    key: str
    name: str
    members: tuple[str, ...] = ()

    @property
    def is_named(self) -> bool:
        """Return whether people gave it a name; talks of two or more have none."""
        return not (self.name == self.key or self.name.startswith("mpdm-"))


@lru_cache(maxsize=8)
def _channels(raw: bytes) -> tuple[_Channel, ...]:
    return tuple(
        _Channel(
            key=words(one.get("id")),
            name=find_named(one, "name", "id"),
            members=tuple(map(words, each(one.get("members")))),
        )
        for one in objects(_json(raw))
    )


@lru_cache(maxsize=2)
def _people(raw: bytes) -> Mapping[str, str]:
    return {words(one.get("id")): _person(one) for one in objects(_json(raw))}


def _person(user: Fields) -> str:
    profile = fields_of(user.get("profile"))
    return (
        find_named(profile, "real_name", "display_name")
        or find_named(user, "real_name", "name")
        or words(user.get("id"))
    )


def _json(raw: bytes) -> Any:
    try:
        return load_untrusted(decode(raw)) if raw else None
    except ValueError:
        return None


def _message(message: Fields, names: _Names, *, source: str) -> Iterator[ChatMessage]:
    """Yield a message, unless the program wrote it or nothing is left of it."""
    sent = words(message.get("ts"))
    if not sent or _NOT_SAID.fullmatch(words(message.get("subtype"))):
        return
    files = [_file(one) for one in objects(message.get("files"))]
    marked = whole_text(message)
    text = with_files(_plain(marked, names), files)
    if not text:
        return
    thread = words(message.get("thread_ts"))
    yield ChatMessage(
        source=source,
        source_id=f"{names.channel_id}/{sent}",
        session=f"{names.channel_id}/{thread}" if thread else names.channel_id,
        title=names.channel,
        author=_author(message, names),
        text=text,
        created=_moment(sent),
        mentioned=tuple(_find_mentioned(marked, names)),
        more={
            "channel": names.channel,
            "thread": thread,
            "attachments": files,
            "reactions": _reactions(message),
            "edited_at": iso(_moment(find_named(message.get("edited"), "ts"))),
        },
    )


def _moment(sent: str) -> Any:
    """Return the time of a message, which Slack writes as seconds and a count."""
    try:
        return when(float(sent))
    except ValueError:
        return None


def _author(message: Fields, names: _Names) -> str:
    known = names.people.get(words(message.get("user")), "")
    profile = message.get("user_profile")
    return (
        known
        or (find_named(profile, "real_name", "display_name", "name") if profile else "")
        or find_named(message, "username")
        or find_named(message.get("bot_profile"), "name")
        or find_named(message, "user", "bot_id")
    )


def _file(one: Fields) -> dict[str, Any]:
    name = find_named(one, "name", "title", "id")
    return file_named(name, media_type=words(one.get("mimetype")), size_bytes=one.get("size"))


def _reactions(message: Fields) -> list[str]:
    return [words(one.get("name")) for one in objects(message.get("reactions"))]


def _plain(text: str, names: _Names) -> str:
    """Return text without Slack's marks: `<@U1>` as a name, `<https://x|label>` as both."""
    return unescape(_MARKED.sub(lambda match: _mark(match[1], match[2] or "", names), text))


def _mark(mark: str, label: str, names: _Names) -> str:
    sign, key = mark[0], mark[1:]
    if sign == "@":
        return f"@{names.people.get(key) or label or key}"
    if sign == "#":
        return f"#{names.channels.get(key) or label or key}"
    if sign == "!":
        return label or f"@{key.partition('^')[0]}"
    address = mark.removeprefix("mailto:")
    return f"{label} ({address})" if label and label not in address else address


def _find_mentioned(text: str, names: _Names) -> Iterator[str]:
    for match in _MARKED.finditer(text):
        if match[1].startswith("@"):
            yield names.people.get(match[1][1:]) or match[2] or ""
