"""Notes and other text files: one document for each.

Knows Markdown only as far as its first heading and front matter. Must not know folders.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath

from simonides.errors import InvalidInput
from simonides.importers import frontmatter
from simonides.importers.charset import decode
from simonides.importers.frontmatter import Value, moment, texts
from simonides.importers.header import one_line
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable

FILE_BYTES_MAX = 5 << 20
"""Most bytes of one file that are kept; a note in the metadata says how long it was."""

TITLE_CHARS_MAX = 200
"""Longest title; a heading on an endless line is cut."""

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,1000})", re.MULTILINE)
_DAY = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_DATES = ("date", "happened_at", "created", "created_at")
_AUTHORS = ("author", "authors")
_TAGS = ("tags", "tag", "keywords")


def read_markdown(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the file as one document, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(FILE_BYTES_MAX)
    text = printable(decode(raw)).strip()
    if not text:
        yield file.passed_over("empty", bytes_done=file.size_bytes)
        return
    try:
        item = _document(file, text)
    except InvalidInput as error:
        yield file.passed_over(str(error), bytes_done=file.size_bytes)
        return
    yield file.kept(item, bytes_done=file.size_bytes)


def _document(file: SourceFile, text: str) -> Item:
    front, content = frontmatter.split(text)
    stated = str(front.get("title", ""))
    title = one_line(stated) or _heading(content) or PurePosixPath(file.where).stem
    known = {"title", *_DATES, *_AUTHORS, *_TAGS}
    cut: dict[str, Value] = (
        {"_cut_from_bytes": file.size_bytes} if file.size_bytes > FILE_BYTES_MAX else {}
    )
    return Item(
        kind=Kind.DOCUMENT,
        source=file.source or "file",
        source_id=file.where,
        title=title[:TITLE_CHARS_MAX],
        content=content,
        tags=tuple(tag.lstrip("#") for tag in _texts(front, _TAGS)),
        people=tuple(Person(name=name, role=Role.AUTHOR) for name in _texts(front, _AUTHORS)),
        happened_at=_dated(front) or _day_in(file.where) or _modified(file),
        metadata={name: value for name, value in front.items() if name not in known} | cut,
    )


def _texts(front: dict[str, Value], names: tuple[str, ...]) -> list[str]:
    """Return all texts under these keys of the front matter, each once."""
    found = [one for name in names if name in front for one in texts(front[name])]
    return list(dict.fromkeys(one_line(one) for one in found))


def _heading(text: str) -> str:
    """Return the first heading's words; empty where there is none."""
    match = _HEADING.search(text)
    return one_line(match[1].rstrip("# \t")) if match else ""


def _dated(front: dict[str, Value]) -> datetime | None:
    found = (moment(front[name]) for name in _DATES if name in front)
    return next(filter(None, found), None)


def _day_in(where: str) -> datetime | None:
    """Return the day written in the file's name as 2026-03-04, if one is."""
    match = _DAY.search(PurePosixPath(where).name)
    return moment(match[1]) if match else None


def _modified(file: SourceFile) -> datetime:
    return datetime.fromtimestamp(int(file.path.stat().st_mtime), tz=UTC)
