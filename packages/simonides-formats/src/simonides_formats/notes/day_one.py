"""Journals of Day One, as its app exports them: JSON, an entry a day or more.

Must not know how JSON is read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simonides.importers.file_item import TITLE_CHARS_MAX, heading_of, tidy
from simonides.importers.json_parts import parts
from simonides.importers.json_values import fields_of, iso, lines, when, words
from simonides.importers.records import TEXT_CHARS_MAX, Missing, Record, record_events
from simonides.model.item import Item, Kind
from simonides.ports.importer import ImportEvent, SourceFile

_PICTURE = re.compile(r"!\[[^\]\n]{0,200}\]\(dayone-moment:[^)\n]{0,200}\)\n?")
_ESCAPED = re.compile(r"\\([.\-+!()\[\]{}#*_>`~|])")
"""Day One writes marks of Markdown that are none with a backslash before them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry(Record):
    """One entry of a journal."""

    fields: Mapping[str, Any]
    text: str

    def item(self) -> Item:
        """Return the entry as a document of its day.

        Raises:
            InvalidInput: A field is longer than an item may hold.
        """
        entry, place = self.fields, fields_of(self.fields.get("location"))
        tags = entry.get("tags")
        at = [words(place.get(name)) for name in ("placeName", "localityName", "country")]
        notes = {
            "place": ", ".join(dict.fromkeys(filter(None, at))),
            "starred": entry.get("starred") is True,
            "_time_zone": words(entry.get("timeZone")),
            "_revised_at": iso(when(entry.get("modifiedDate"))),
        }
        return Item(
            kind=Kind.DOCUMENT,
            source=self.source,
            source_id=self.source_id,
            title=(heading_of(self.text) or self.text.partition("\n")[0])[:TITLE_CHARS_MAX],
            content=self.text[:TEXT_CHARS_MAX],
            tags=tuple(filter(None, map(words, tags))) if isinstance(tags, list) else (),
            happened_at=when(entry.get("creationDate")),
            metadata={name: one for name, one in notes.items() if one},
        )


def read_day_one(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the entries of a journal; one of pictures alone is passed over."""
    return record_events(file, parts(file, "entries"), _find, kind="entries")


def _find(record: Any, file: SourceFile) -> Iterator[_Entry | Missing]:
    entry = fields_of(record)
    key = words(entry.get("uuid"))
    text = tidy(_ESCAPED.sub(r"\1", _PICTURE.sub("", lines(entry.get("text")))))
    if not (key and text):
        yield Missing(place=key, reason="an entry without words" if key else "no entry")
        return
    yield _Entry(source=file.source or "day-one", source_id=key, fields=entry, text=text)
