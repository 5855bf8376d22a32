"""Highlights and notes of Kindle: `My Clippings.txt`, in the language of the device.

Must not know which languages there are.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from simonides.importers.charset import decode
from simonides.importers.file_item import TITLE_CHARS_MAX, say_assumed
from simonides.importers.header import one_line
from simonides.importers.json_parts import JsonPart
from simonides.importers.local_dates import local_moment, puts_day_first
from simonides.importers.records import Record, record_events
from simonides.model.item import Item, Kind, Person, short_hash
from simonides.ports.importer import ImportEvent, SourceFile

FILE_BYTES_MAX = 64 << 20
_BETWEEN = re.compile(r"^={10}[ \t]*$", re.MULTILINE)
_AUTHOR = re.compile(r"(.{1,900}?)\s*\(([^()]{1,200})\)\s*")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clipping(Record):
    """A highlight or a note in a book."""

    title: str
    author: str
    about: str
    text: str
    happened_at: datetime | None
    time_zone: str

    def item(self) -> Item:
        """Return it as a document with the title of its book.

        Raises:
            InvalidInput: A field is longer than an item may hold.
        """
        notes = {"place": self.about, "_time_zone": self.time_zone}
        return Item(
            kind=Kind.DOCUMENT,
            source=self.source,
            source_id=self.source_id,
            title=self.title[:TITLE_CHARS_MAX],
            content=self.text,
            people=(Person(name=self.author),) if self.author else (),
            happened_at=self.happened_at,
            metadata={name: one for name, one in notes.items() if one},
        )


def read_kindle(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the highlights and notes of a file; mere bookmarks have no words."""
    if file.size_bytes > FILE_BYTES_MAX:
        yield file.skip(f"longer than {FILE_BYTES_MAX >> 20} MB", bytes_done=file.size_bytes)
        return
    text = decode(file.path.read_bytes()).lstrip("\ufeff").replace("\r\n", "\n")
    clippings = [one.strip().split("\n", 2) for one in _BETWEEN.split(text)]
    worded = [one for one in clippings if len(one) > 2 and one[2].strip()]  # noqa: PLR2004
    day_first = puts_day_first(said for one in worded for said in _endings(_when(one[1])))
    places = (JsonPart(value=one, place=one[0][:100], bytes_done=file.size_bytes) for one in worded)
    yield from record_events(
        file, places, lambda one, _: [_read(one, file, day_first=day_first)], kind="clippings"
    )


def _read(clipping: list[str], file: SourceFile, *, day_first: bool) -> _Clipping:
    book, about, text = map(str.strip, clipping)
    named = _AUTHOR.fullmatch(book)
    found = (
        local_moment(said, day_first=day_first, timezone=file.timezone)
        for said in _endings(_when(about))
    )
    at, no_zone = next((one for one in found if one[0] is not None), (None, False))
    return _Clipping(
        source=file.source or "kindle",
        source_id=short_hash(f"{book}\n{text}"),
        title=one_line(named[1] if named else book),
        author=one_line(named[2]) if named else "",
        about=one_line(about.lstrip("- ").rpartition("|")[0]),
        text=text,
        happened_at=at,
        time_zone=say_assumed(file.timezone) if no_zone else "",
    )


def _when(about: str) -> str:
    """Return the part of the second line that says when: `Added on Monday, 5 January 2026`."""
    return about.rpartition("|")[2].strip()[:200]


def _endings(text: str) -> Iterable[str]:
    """Return a text from each of its words on: a date stands at its end."""
    return [text[word.start() :] for word in _WORD.finditer(text)]
