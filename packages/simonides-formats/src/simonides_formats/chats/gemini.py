"""What was asked of Gemini, as Google's Takeout writes it: My Activity in JSON or HTML.

Takeout does not say which questions belong to one conversation: each is one with its answer. Must
not know how a message becomes an item.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from simonides.importers.charset import decode
from simonides.importers.json_parts import SAMPLE_BYTES, JsonPart, parts
from simonides.importers.json_values import each, fields_of, find_named, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import from_html
from simonides_formats.chats.chat_message import ASSISTANT, USER, ChatMessage, file_named
from simonides_formats.chats.takeout_times import takeout_moment
from simonides_formats.json_head import head

CELL_BYTES_MAX = 16 << 20
"""Longest entry of a page that is read; of a longer one the rest is left out."""

_CELL = b'<div class="outer-cell'
_BLOCK_BYTES = 1 << 20
_BODY = re.compile(
    r'<div class="content-cell [^">]{0,200}mdl-typography--body-1">(.*?)'
    r'(?:<div class="content-cell |$)',
    re.DOTALL,
)
_BREAK = re.compile(r"<br ?/?>")
_BREAKS_MAX = 500
_ASKED = re.compile(r"^(?:Prompted|Asked|Said)\s")
_NOT_ASKED = re.compile(r"^(?:Used|Created|Gave feedback|Selected|Visited|Viewed|Opened)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One entry of My Activity."""

    asked: str
    answered: str
    created: datetime | None
    assumed: bool = False
    files: tuple[str, ...] = ()


def read_gemini(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the questions and answers, or why one is passed over."""
    with file.path.open("rb") as stream:
        is_json = bool(head(stream.read(SAMPLE_BYTES)))

    def find_in(record: Any, _: SourceFile) -> Iterator[ChatMessage | Missing]:
        entry = _of_json(record) if is_json else _of_cell(record)
        if entry is not None:
            yield from _messages(entry, source=file.source or "gemini")

    found = parts(file) if is_json else _cells(file)
    return record_events(file, found, find_in, kind="questions", group_records=1)


def _messages(entry: _Entry, *, source: str) -> Iterator[ChatMessage | Missing]:
    if entry.created is None:
        yield Missing(place=entry.asked[:40], reason="has no time")
        return
    key = short_hash(f"{entry.created.isoformat()}/{entry.asked}")
    said = ((USER, entry.asked, ""), (ASSISTANT, entry.answered, "/answer"))
    for position, (author, text, end) in enumerate(said):
        if text:
            yield ChatMessage(
                source=source,
                source_id=key + end,
                session=f"gemini/{key}",
                position=position,
                author=author,
                text=text,
                created=entry.created,
                more={
                    "attachments": [file_named(one) for one in entry.files] if not end else [],
                    "_time_zone": "assumed UTC" if entry.assumed else "",
                },
            )


def _of_json(record: Any) -> _Entry | None:
    """Return an entry of a JSON file; None for what was no question."""
    value = fields_of(record)
    titled = lines(value.get("title"))
    if not titled or _NOT_ASKED.match(titled):
        return None
    answers = [lines(one.get("html")) for one in objects(value.get("safeHtmlItem"))]
    answered = "\n\n".join(from_html(one) for one in answers if one)
    subtitles = [find_named(one, "name") for one in objects(value.get("subtitles"))]
    files = [words(one) for one in each(value.get("attachedFiles")) if words(one)]
    return _Entry(
        asked=_ASKED.sub("", titled, count=1),
        answered=lines(answered) or "\n".join(filter(None, subtitles)),
        created=when(value.get("time")),
        files=tuple(files),
    )


def _cells(file: SourceFile) -> Iterator[JsonPart]:
    """Yield the entries of a page as HTML, without holding the page."""
    number, done, waiting = 0, 0, b""
    with file.path.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            done += len(block)
            *cells, waiting = (waiting + block).split(_CELL)
            if len(waiting) > CELL_BYTES_MAX:
                cells, waiting = [*cells, waiting[:CELL_BYTES_MAX]], b""
            for cell in cells:
                number += 1
                yield JsonPart(value=decode(cell), place=f"entry {number}", bytes_done=done)
    yield JsonPart(value=decode(waiting), place=f"entry {number + 1}", bytes_done=file.size_bytes)


def _of_cell(html: str) -> _Entry | None:
    """Return an entry of a page: the question, a line with the time, and the answer."""
    body = _BODY.search(html)
    if body is None:
        return None
    end = 0
    for match in islice(_BREAK.finditer(body[1]), _BREAKS_MAX):
        created, assumed = takeout_moment(lines(from_html(body[1][end : match.start()])))
        if created is not None:
            asked = lines(from_html(body[1][:end]))
            if _NOT_ASKED.match(asked):
                return None
            answered = lines(from_html(body[1][match.end() :]))
            return _Entry(
                asked=_ASKED.sub("", asked, count=1),
                answered=answered,
                created=created,
                assumed=assumed,
            )
        end = match.end()
    return None
