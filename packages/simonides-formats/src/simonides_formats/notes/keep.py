"""Notes of Google Keep, as Google's Takeout writes them: a JSON file a note.

Must not know what is done with an open list.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from simonides.importers.file_item import file_event, within_years
from simonides.importers.json_parts import parts
from simonides.importers.json_values import fields_of, find_named, lines, objects, when, words
from simonides.model.metadata_keys import OPEN_TASKS_KEY
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.markdown import list_open_boxes


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
    yield file_event(
        file,
        content=text,
        title=words(note.get("title")),
        tags=[find_named(one, "name") for one in objects(note.get("labels"))],
        dates=[_moment(note.get(f"{name}TimestampUsec")) for name in ("userEdited", "created")],
        metadata={OPEN_TASKS_KEY: count} if (count := len(list_open_boxes(text))) else {},
    )


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
