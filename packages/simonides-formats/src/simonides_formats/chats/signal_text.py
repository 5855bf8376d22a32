"""Chats of Signal: `chat.md` as signal-export writes it.

Must not know how a message becomes an item.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from simonides.errors import InvalidInput
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.file_item import moment
from simonides.importers.header import one_line
from simonides.importers.json_values import lines
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.chats.chat_marks import SIGNAL_STAMP
from simonides_formats.chats.chat_message import ChatMessage, file_named, with_files
from simonides_formats.chats.stamped_lines import Stamped, stamped_events

_ATTACHED = re.compile(r"!?\[([^\]\n]{0,200})\]\(\.{1,2}/([^()\n]{1,400})\) {0,2}")
_REACTIONS = re.compile(r"\n\(- ([^\n]{1,2000}) -\)")
_QUOTED = re.compile(r"(?:^|\n)> ([^\n]*)")
_NAMES = frozenset(["chat", "index"])
_DELETED = "(This message was deleted)"


def read_signal(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the messages of a chat; one whose date is none is passed over."""
    ids = DerivedIds()
    yield from stamped_events(file, SIGNAL_STAMP, lambda said: _message(said, file, ids))


def read_page(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield why a page of signal-export is not read: it repeats the text beside it."""
    reason = "a page of signal-export, which repeats chat.md beside it; that file is read"
    yield file.skip(reason, bytes_done=file.size_bytes)


def _message(said: Stamped, file: SourceFile, ids: DerivedIds) -> ChatMessage | None:
    """Return a message; None for one without words and files.

    Raises:
        InvalidInput: Its date is none.
    """
    stamp, author = said.match[1], one_line(said.match[2])
    created = moment(stamp.replace(", ", " "))
    if created is None:
        raise InvalidInput("date", f"is none: {stamp!r}")
    title = _title(file.where)
    text = said.text
    files = [file_named(one_line(name) or path) for name, path in _ATTACHED.findall(text)]
    reactions = [one_line(one) for match in _REACTIONS.findall(text) for one in match.split(", ")]
    quoted = "\n".join(_QUOTED.findall(text)).strip()
    own = _QUOTED.sub("", _REACTIONS.sub("", _ATTACHED.sub("", text)))
    words = with_files(lines(own), files)
    if not words or words == _DELETED:
        return None
    session = f"signal/{title}" if title else file.where
    return ChatMessage(
        source=file.source or "signal",
        source_id=ids.of(session, author, created.isoformat(), words),
        session=session,
        title=title,
        author=author,
        text=words,
        created=created,
        more={
            "attachments": files,
            "reactions": reactions,
            "_quotes": quoted,
            "_time_zone": "assumed UTC",
        },
    )


def _title(where: str) -> str:
    """Return with whom the chat was: its folder's name, or the file's own."""
    path = PurePosixPath(where)
    return one_line(path.parent.name if path.stem.lower() in _NAMES else path.stem)
