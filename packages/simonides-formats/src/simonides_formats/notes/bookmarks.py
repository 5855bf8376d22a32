"""Bookmarks of browsers and reading lists, in the HTML form that all of them export.

Each is a document with its address. Must not know how tags are cut out of a page.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from simonides.errors import InvalidInput
from simonides.importers.charset import decode
from simonides.importers.file_item import TITLE_CHARS_MAX, within_years
from simonides.importers.header import one_line
from simonides.importers.json_values import when
from simonides.model.item import Item, Kind, short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.elements import Tag, tags_and_text

FILE_BYTES_MAX = 64 << 20
"""Longest file that is read whole; ten thousand bookmarks with their icons are some 20 MB."""

ADDRESS_CHARS_MAX = 4_000
"""Longest address; longer ones are small programs or pictures, not places."""

WORDS_CHARS_MAX, FOLDERS_MAX = 10_000, 8
"""Most characters of what is said of a bookmark, and folders that it is said to lie in."""

_MICROSECONDS_FROM = 10**14
_PLACES = ("http://", "https://", "ftp://", "file://")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bookmark:
    """One link: its address and words, the folders that it lies in, and when it was added."""

    address: str
    folders: tuple[str, ...]
    tags: tuple[str, ...] = ()
    added: datetime | None = None
    title: str = ""
    about: str = ""


@dataclass(slots=True, kw_only=True)
class _Page:
    """The folders and the element that are open while a page of bookmarks is read."""

    folders: list[str] = field(default_factory=list)
    next_folder: str = ""
    inside: str = ""
    last: _Bookmark | None = None

    def read(self, part: Tag | str) -> Iterator[_Bookmark]:
        """Yield the bookmark before each part that ends it."""
        if isinstance(part, str):
            self._add_words(part)
            return
        self.inside = "" if part.is_end else part.name
        if part.name in ("a", "h3") and not part.is_end:
            yield from self.end()
        if part.name == "a" and not part.is_end:
            self.last = self._begin(part)
        elif part.name == "h3" and not part.is_end:
            self.next_folder = ""
        elif part.name == "dl" and not part.is_end:
            self.folders.append(one_line(self.next_folder))
            self.next_folder = ""
        elif part.name == "dl":
            yield from self.end()
            del self.folders[-1:]

    def end(self) -> Iterator[_Bookmark]:
        """Yield the bookmark that is open, if any."""
        if self.last is not None:
            yield self.last
        self.last = None

    def _add_words(self, text: str) -> None:
        if self.inside == "h3":
            self.next_folder = (self.next_folder + text)[:WORDS_CHARS_MAX]
        elif self.last is not None and self.inside == "a":
            title = (self.last.title + text)[:WORDS_CHARS_MAX]
            self.last = replace(self.last, title=title)
        elif self.last is not None and self.inside == "dd":
            about = (self.last.about + text)[:WORDS_CHARS_MAX]
            self.last = replace(self.last, about=about)

    def _begin(self, link: Tag) -> _Bookmark | None:
        written = link.attributes
        address = (written.get("href") or "").strip()
        if not address.lower().startswith(_PLACES) or len(address) > ADDRESS_CHARS_MAX:
            return None
        tags = (one_line(one) for one in (written.get("tags") or "").split(","))
        added = written.get("add_date") or written.get("time_added") or ""
        return _Bookmark(
            address=address,
            folders=tuple(filter(None, self.folders[-FOLDERS_MAX:])),
            tags=tuple(filter(None, tags)),
            added=_moment(added),
        )


def read_bookmarks(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield each bookmark of a file; scripts and queries of the browser are left out."""
    if file.size_bytes > FILE_BYTES_MAX:
        yield file.skip(f"longer than {FILE_BYTES_MAX >> 20} MB", bytes_done=file.size_bytes)
        return
    page = _Page()
    for part in tags_and_text(decode(file.path.read_bytes())):
        for one in page.read(part):
            yield _event(one, file)
    for one in page.end():
        yield _event(one, file)


def _event(one: _Bookmark, file: SourceFile) -> ImportEvent:
    try:
        return file.keep(_item(one, file), bytes_done=file.size_bytes)
    except InvalidInput as error:
        return file.skip(f"{one.address[:100]}: {error}", bytes_done=file.size_bytes)


def _item(one: _Bookmark, file: SourceFile) -> Item:
    return Item(
        kind=Kind.DOCUMENT,
        source=file.source or "bookmarks",
        source_id=short_hash(one.address),
        title=one_line(one.title)[:TITLE_CHARS_MAX] or one.address[:TITLE_CHARS_MAX],
        content="\n".join(filter(None, (one.about.strip(), one.address))),
        tags=tuple(dict.fromkeys((*one.folders, *one.tags))),
        happened_at=one.added,
        metadata={"url": one.address},
    )


def _moment(text: str) -> datetime | None:
    """Return a time in seconds, or thousandths or millionths of one, since 1970."""
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(_MICROSECONDS_FROM)) + 2:
        return None
    number = int(text)
    found = when(number // 1_000 if number >= _MICROSECONDS_FROM else number)
    return within_years(found.astimezone(UTC) if found else None)
