"""An item made of a file: one rule for titles, dates, people and lengths in all formats of files.

Must not know any format.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from simonides.errors import InvalidInput
from simonides.importers.header import YEARS, one_line
from simonides.model.bounds import NAME
from simonides.model.item import Item, Kind, Person, Role, short_hash
from simonides.model.times import in_zone
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable, squeeze

TEXT_CHARS_MAX = 5 << 20
"""Most characters of one item that are kept: the longest novels have some six million."""

TITLE_CHARS_MAX = 200
"""Longest title; a heading on an endless line is cut."""

AUTHORS_MAX = 100
TAGS_MAX = 100
"""Most authors and keywords of one file."""

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,1000})", re.MULTILINE)
_DAY = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_UNSAID = frozenset(
    ["untitled", "unspecified", "document", "powerpoint presentation", "anonymous", "unknown"]
)
"""What programs write where nobody gave a title, an author or a subject."""
_PRINTED_FROM = re.compile(r"^Microsoft (?:Word|Excel|PowerPoint) - ")


def moment(value: Any, timezone: str = "") -> datetime | None:
    """Return a date or time as aware UTC; None if it is none.

    One that names no zone is by the clocks of `timezone`, the user's own, or else UTC.
    """
    try:
        when = datetime.fromisoformat(str(value).strip())
        return in_zone(when, timezone or "UTC").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def by_own_clock(when: datetime, timezone: str) -> datetime:
    """Return the time at which clocks of `timezone` show what those of UTC show at `when`."""
    try:
        return in_zone(when.replace(tzinfo=None), timezone or "UTC").astimezone(UTC)
    except OverflowError:  # the first and the last day of all years
        return when


def say_assumed(timezone: str) -> str:
    """Return how an item says in which zone a time was read that names none."""
    return f"assumed {timezone or 'UTC'}"


def heading_of(text: str) -> str:
    """Return the words of the first Markdown heading; empty where there is none."""
    match = _HEADING.search(text)
    return one_line(match[1].rstrip("# \t")) if match else ""


def file_item(
    file: SourceFile,
    *,
    content: str,
    title: str = "",
    authors: Iterable[str] = (),
    tags: Iterable[str] = (),
    dates: Iterable[datetime | None] = (),
    metadata: Mapping[str, Any] | None = None,
    place: str = "",
    position: int | None = None,
) -> Item:
    """Return the document in a file, or a part of it.

    It happened at the first of `dates` that is one, else on the day in the file's name; the time
    of the file itself is only kept as `modified_at`. `place` tells the parts of one file apart
    (`#page=3`); they share a session, in which `position` orders them.

    Raises:
        InvalidInput: It holds what no item can; says what.
    """
    text = content[:TEXT_CHARS_MAX]
    notes = dict(metadata or {})
    if not _without_unsaid(str(notes.get("subject", ""))):
        notes.pop("subject", None)
    if file.modified_at is not None:
        notes.setdefault("modified_at", file.modified_at.isoformat())
    if len(content) > len(text):
        notes["_cut_from_chars"] = len(content)
    return Item(
        kind=Kind.DOCUMENT,
        source=file.source or "file",
        source_id=file.where + place,
        title=title_for(file, title, text),
        content=text,
        tags=_each_once(tags, count_max=TAGS_MAX),
        people=tuple(Person(name=name, role=Role.AUTHOR) for name in _authors(authors)),
        happened_at=next(filter(None, dates), None) or day_in_name(file),
        session=session_of(file.where) if place else "",
        position=position,
        metadata=notes,
    )


def file_event(file: SourceFile, **fields: Any) -> ImportEvent:
    """Return the event of a file that is one item, or why it is passed over."""
    if not (fields["content"] or fields.get("title")):
        return file.skip("empty", bytes_done=file.size_bytes, empty=True)
    try:
        return file.keep(file_item(file, **fields), bytes_done=file.size_bytes)
    except InvalidInput as error:
        return file.skip(str(error), bytes_done=file.size_bytes)


def tidy(text: str) -> str:
    """Return text as it is kept: printable, without ragged white space."""
    return squeeze(printable(text)).strip()


def title_for(file: SourceFile, stated: str, text: str) -> str:
    """Return the title that was stated, else the first heading, else the file's name."""
    title = _PRINTED_FROM.sub("", one_line(stated))
    return (_without_unsaid(title) or heading_of(text) or PurePosixPath(file.where).stem)[
        :TITLE_CHARS_MAX
    ]


def within_years(when: datetime | None) -> datetime | None:
    """Return a time in which people had computers; None for the zero of some program's clock."""
    return when if when is not None and when.year in YEARS else None


def _authors(names: Iterable[str]) -> tuple[str, ...]:
    return _each_once(filter(_without_unsaid, names), count_max=AUTHORS_MAX)


def _without_unsaid(text: str) -> str:
    """Return a text; none where a program wrote it because nobody did."""
    return "" if one_line(text).strip("()").lower() in _UNSAID else text


def _each_once(texts: Iterable[str], *, count_max: int) -> tuple[str, ...]:
    found = dict.fromkeys(one_line(text)[: NAME.chars_max] for text in texts)
    return tuple(text for text in found if text)[:count_max]


def session_of(where: str) -> str:
    """Return the session of the parts of the file at `where`."""
    return where if len(where) <= NAME.chars_max else short_hash(where)


def day_in_name(file: SourceFile) -> datetime | None:
    """Return the beginning of the day in the file's name (2026-03-04, 2026_03_04, 20260304)."""
    match = _DAY.search(PurePosixPath(file.where).name)
    return within_years(moment(match.expand(r"\1-\3-\4"), file.timezone)) if match else None


def say_cut(file: SourceFile, bytes_max: int) -> Iterator[ImportEvent]:
    """Yield that only the beginning of a file was read, if it is longer."""
    if file.size_bytes > bytes_max:
        reason = f"only {bytes_max} of {file.size_bytes} bytes are read"
        yield file.skip(reason, bytes_done=file.size_bytes)
