"""Text files that are not notes: documentation, logs, files without a suffix, and tables (CSV).

Knows how tables are separated. Must not know other formats of text.
"""

import csv
import io
from collections.abc import Iterator

from simonides.importers.charset import decode_noted
from simonides.importers.file_item import file_event, file_item, say_cut, tidy
from simonides.importers.markdown import FILE_BYTES_MAX
from simonides.importers.table import parts_of
from simonides.importers.table_head import NAMED_SEPARATOR, find_separator
from simonides.ports.importer import ImportEvent, SourceFile

TABLE_BYTES_MAX = 16 << 20
"""Most bytes of a table that are read: a row of commas alone takes eight times its size."""

_SAMPLE_CHARS = 64 << 10
CELL_CHARS_MAX = 131_072
"""Longest cell of a table, the default of Python's csv; a quote that never ends is found by it."""


def read_text(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the file as one document, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(FILE_BYTES_MAX)
    is_cut = file.size_bytes > FILE_BYTES_MAX
    notes = {"_cut_from_bytes": file.size_bytes} if is_cut else {}
    text, note = decode_noted(raw)
    yield file_event(file, content=tidy(text), metadata=notes)
    yield from say_cut(file, FILE_BYTES_MAX)
    if note:
        yield file.skip(note, bytes_done=file.size_bytes)


def read_table(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the table as one document, several if it is long, or why it is passed over."""
    with file.path.open("rb") as stream:
        text, note = decode_noted(stream.read(TABLE_BYTES_MAX))
    delimiter = find_separator(text[:_SAMPLE_CHARS])
    if named := NAMED_SEPARATOR.match(text):
        text = text[named.end() :]
    csv.field_size_limit(CELL_CHARS_MAX)  # of the whole process, and each reader sets its own
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    done, number = 0, 0
    try:
        for number, part in enumerate(parts_of(rows), start=1):
            done = min(file.size_bytes, done + len(part))
            place = f"#part={number}" if number > 1 else ""
            item = file_item(file, content=tidy(part), place=place, metadata={"format": "csv"})
            yield file.keep(item, bytes_done=done)
    except csv.Error as error:
        place = f"from line {rows.line_num} on"
        yield file.skip(str(error), part=place, bytes_done=file.size_bytes)
        return
    if not number:
        yield file.skip("empty", bytes_done=file.size_bytes)
    if note:
        yield file.skip(note, bytes_done=file.size_bytes)
    if number:
        yield from say_cut(file, TABLE_BYTES_MAX)
