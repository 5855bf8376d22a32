"""Notes of Google Keep, as Google's Takeout writes them: a JSON file a note.

Must not know what is done with an open list.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from simonides.importers.file_item import file_event, within_years
from simonides.importers.html import read_html
from simonides.importers.json_parts import parts
from simonides.importers.json_values import (
    fields_of,
    find_named,
    iso,
    lines,
    objects,
    when,
    words,
)
from simonides.model.item import short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.notes.note_marks import KEEP_MARK

_SECOND = 1_000_000


def read_keep(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the note of a file; of one in the bin only why it is passed over."""
    part = next(parts(file), None)
    if part is not None and part.problem:
        yield file.skip(part.problem, bytes_done=file.size_bytes)
        return
    note = fields_of(part.value) if part is not None else {}
    if note.get("isTrashed") is True:
        yield file.skip("a note in the bin", bytes_done=file.size_bytes, empty=True)
        return
    text = "\n\n".join(filter(None, _texts(note)))
    made, edited = (_moment(note.get(f"{one}TimestampUsec")) for one in ("created", "userEdited"))
    event = file_event(
        file,
        content=text,
        title=words(note.get("title")),
        tags=[find_named(one, "name") for one in objects(note.get("labels"))],
        dates=[edited, made],
        metadata={"_revised_at": iso(edited)} if made and edited else {},
    )
    if event.item is not None and made is not None:
        event = replace(event, item=replace(event.item, id="", source_id=_source_id(note, file)))
    yield event


def _source_id(note: Any, file: SourceFile) -> str:
    """Return the id of a note by when it was made, which stays the same in each export.

    At a whole second programs make several; their titles distinguish them.
    """
    made = note["createdTimestampUsec"]
    if made % _SECOND:
        return f"keep/{made}"
    title = words(note.get("title")) or PurePosixPath(file.where).stem
    return f"keep/{made}/{short_hash(title)}"


def read_page(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield why a page is not read that shows the note of the file beside it; else the page."""
    beside = PurePosixPath(file.where).with_suffix(".json").name
    if KEEP_MARK in (file.neighbour(beside) or b""):
        yield file.skip(
            f"repeats {beside} of the same export; that file is read", bytes_done=file.size_bytes
        )
    else:
        yield from read_html(file)


def _texts(note: Any) -> Iterator[str]:
    yield lines(note.get("textContent"))
    yield "\n".join(
        f"- [{'x' if one.get('isChecked') is True else ' '}] {words(one.get('text'))}"
        for one in objects(note.get("listContent"))
        if words(one.get("text"))
    )
    for link in objects(note.get("annotations")):
        said = [words(link.get(name)) for name in ("title", "url")]
        yield " ".join(filter(None, said))


def _moment(value: Any) -> datetime | None:
    """Return a time in microseconds since 1970; None for what is none."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return within_years(when(value // 1_000)) if is_number else None
