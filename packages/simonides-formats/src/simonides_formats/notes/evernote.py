"""Notes of Evernote: ENEX files.

XML is read as a stream by a parser that refuses entities and reads no other file; of attached files
only the names are kept. Must not know how HTML becomes text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from simonides.errors import InvalidInput
from simonides.importers.derived_ids import DerivedIds
from simonides.importers.file_item import AUTHORS_MAX, TAGS_MAX, TITLE_CHARS_MAX, tidy
from simonides.importers.header import one_line
from simonides.importers.json_values import iso
from simonides.importers.markdown import LINKS_MAX
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import from_html, printable
from simonides_formats.chats.chat_message import file_named
from simonides_formats.notes.evernote_tasks import NoteTask, moment, task_of, with_tasks

NOTE_CHARS_MAX = 5 << 20
"""Longest text of one note that is kept."""

FIELD_CHARS_MAX = 20_000
"""Longest field of a note beside its text."""

TASKS_MAX = 1_000
"""Most tasks of one note that are kept."""

FILES_MAX = 200
"""Most attached files of one note that are named."""

DEPTH_MAX = 100
"""How deep elements are nested; an export has five levels."""

_BLOCK_BYTES = 256 << 10
_TODO = re.compile(r"<en-todo\b([^<>]{0,200})>")
_LINK = re.compile(r'<a\b[^<>]{0,1000}?href="evernote:[^"]{0,1000}"[^<>]{0,500}>([^<]{0,500})</a>')
_SKIPPED = frozenset(["data", "recognition", "alternate-data"])
"""Elements with the bytes of files."""

_NOTES = {
    "source-url": "url",
    "reminder-time": "due",
    "place-name": "location",
    "source": "_origin",
}
"""Attributes of a note that are kept, by their name in the metadata."""


@dataclass(slots=True, kw_only=True)
class _Note:
    """One note being read; the text of each element by its name."""

    texts: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[NoteTask] = field(default_factory=list)


class _Reader:
    """The handlers of the parser: they gather one note after the other."""

    def __init__(self) -> None:
        self.done: list[_Note] = []
        self.count = 0
        self._note: _Note | None = None
        self._task: dict[str, str] | None = None
        self._open: list[str] = []
        self._text: list[str] = []
        self._chars = 0

    def begin(self, name: str, _: Any) -> None:
        """Read a start tag."""
        if len(self._open) >= DEPTH_MAX:
            raise _Refused(f"elements are nested deeper than {DEPTH_MAX}")
        self._open.append(name)
        self._text, self._chars = [], 0
        if name == "note":
            self._note = _Note()
        elif name == "task":
            self._task = {}
        elif name == "resource" and self._note is not None:
            for one in ("file-name", "mime"):
                self._note.texts.pop(one, None)

    def characters(self, text: str) -> None:
        """Read a run of text; of an element that is too long the rest is left out."""
        inner = self._open[-1]
        limit = NOTE_CHARS_MAX if inner == "content" else FIELD_CHARS_MAX
        if inner not in _SKIPPED and self._chars < limit:
            self._text.append(text)
            self._chars += len(text)

    def end(self, name: str) -> None:
        """Read an end tag."""
        self._open.pop()
        note = self._note
        if note is None:
            return
        text = "".join(self._text)
        if name == "note":
            self.done.append(note)
            self.count += 1
            self._note = None
        elif self._task is not None:
            self._end_in_task(name, text, self._task, note)
        elif name == "tag" and len(note.tags) < TAGS_MAX:
            note.tags.append(one_line(text))
        elif name == "resource" and len(note.files) < FILES_MAX:
            given = note.texts.pop("file-name", "")
            note.files.append(file_named(one_line(given), media_type=note.texts.pop("mime", "")))
        elif text:
            note.texts.setdefault(name, text)
        self._text = []

    def _end_in_task(self, name: str, text: str, task: dict[str, str], note: _Note) -> None:
        """Read an end tag within a task; those below its own elements belong to its reminder."""
        if name == "task":
            self._task = None
            read = task_of(task)
            if read is not None and len(note.tasks) < TASKS_MAX:
                note.tasks.append(read)
        elif self._open[-1] == "task":
            task.setdefault(name, text)


def read_enex(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the notes of a file, or why one is passed over."""
    reader, ids = _Reader(), DerivedIds()
    parser = _parser(reader)
    done = 0
    with file.path.open("rb") as stream:
        try:
            while block := stream.read(_BLOCK_BYTES):
                done += len(block)
                parser.Parse(block, False)  # noqa: FBT003  the library's own
                yield from _finish(reader, file, ids, bytes_done=done)
            parser.Parse(b"", True)  # noqa: FBT003  the library's own
        except (expat.ExpatError, _Refused, ValueError, LookupError) as error:
            yield from _finish(reader, file, ids, bytes_done=done)
            place = f"after note {reader.count}"
            yield file.skip(f"XML: {error}", part=place, bytes_done=file.size_bytes)
            return
    if not reader.count:
        yield file.skip("holds no notes", bytes_done=file.size_bytes)


class _Refused(Exception):
    """A file does what no export does and hostile files do."""


def _parser(reader: _Reader) -> expat.XMLParserType:
    """Return a parser that defines no entities and opens nothing."""

    def refuse(*_: Any) -> int:
        raise _Refused("defines entities of its own, which is refused")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    return parser


def _finish(
    reader: _Reader, file: SourceFile, ids: DerivedIds, *, bytes_done: int
) -> Iterator[ImportEvent]:
    """Yield the notes that were read to their end."""
    for note in reader.done:
        try:
            yield file.keep(_item(note, file, ids), bytes_done=bytes_done)
        except InvalidInput as error:
            title = one_line(note.texts.get("title", ""))[:TITLE_CHARS_MAX]
            yield file.skip(str(error), part=title, bytes_done=bytes_done)
    reader.done.clear()


def _item(note: _Note, file: SourceFile, ids: DerivedIds) -> Item:
    """Return a note as a document; it is known by its title and when it was made.

    Raises:
        InvalidInput: It has no words, or a field is longer than an item may hold.
    """
    title = one_line(note.texts.get("title", ""))[:TITLE_CHARS_MAX]
    made, page = note.texts.get("created", ""), note.texts.get("content", "")
    authors = [one_line(one) for one in note.texts.get("author", "").split(",") if one.strip()]
    changed = moment(note.texts.get("updated", ""))
    kept = {key: one_line(note.texts.get(name, "")) for name, key in _NOTES.items()}
    due = moment(kept["due"])
    links = dict.fromkeys(one_line(from_html(one)) for one in _LINK.findall(page))
    text = _text(with_tasks(page, note.tasks))
    notes: dict[str, Any] = {
        **kept,
        "due": iso(due),
        "modified_at": iso(changed),
        "links": [one for one in links if one][:LINKS_MAX],
        "attachments": [one for one in note.files if one],
        "_revised_at": iso(changed or moment(made)),
    }
    return Item(
        kind=Kind.DOCUMENT,
        source=file.source or "evernote",
        source_id=ids.of(title, made),
        title=title,
        content=text,
        tags=tuple(dict.fromkeys(filter(None, note.tags))),
        people=tuple(Person(name=one, role=Role.AUTHOR) for one in authors[:AUTHORS_MAX]),
        happened_at=moment(made),
        metadata={name: one for name, one in notes.items() if one},
    )


def _text(page: str) -> str:
    """Return the text of a note; a check box as `[x]` or `[ ]`."""
    marked = _TODO.sub(lambda match: "[x] " if '"true"' in match[1] else "[ ] ", page)
    return tidy(from_html(printable(marked)))
