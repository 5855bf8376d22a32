"""Pages and tables of Notion: its export as Markdown and CSV, or HTML.

The name of each file ends with the page's id, by which links name it. Must not know how Markdown,
HTML or tables are read.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from simonides.errors import InvalidInput
from simonides.importers.file_item import TAGS_MAX, TITLE_CHARS_MAX
from simonides.importers.header import one_line
from simonides.importers.html import read_html
from simonides.importers.json_values import iso
from simonides.importers.local_dates import local_moment
from simonides.importers.markdown import LINKS_MAX, read_markdown
from simonides.importers.plain_text import read_table
from simonides.model.item import Item
from simonides.ports.importer import ImportEvent, SourceFile

PROPERTIES_MAX = 100
"""Most properties of one page."""

_NAME = re.compile(r"^(.*?)[ _-]?([0-9a-f]{32})(_all)?$", re.DOTALL)
_LINK = re.compile(
    r"\[([^\[\]\n]{0,500})\]\(([^()\n]{0,1000}?)([0-9a-f]{32})"
    r"(?:\.(?:md|csv|html))?(?:[?#][^()\n]{0,300})?\)"
)
_HEADING = re.compile(r"^# [^\n]*\n+")
_PROPERTY = re.compile(r"^([^\W\d_][^:\n]{0,60}): (\S[^\n]{0,2000})$")

_CREATED = frozenset(["created", "created time", "date created", "erstellt", "date"])
_CHANGED = frozenset(["last edited time", "last edited", "updated", "zuletzt bearbeitet"])
_TAGS = frozenset(["tags", "tag", "labels", "multi-select", "schlagwörter"])

_READERS: dict[str, Callable[[SourceFile], Iterable[ImportEvent]]] = {
    ".md": read_markdown,
    ".html": read_html,
    ".csv": read_table,
}


def read_notion(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield a page or table of Notion as a document, or why it is passed over."""
    path = PurePosixPath(file.where)
    name = _NAME.match(path.stem)
    if name is None:  # a copy of a file under another name
        name = _NAME.match(file.path.stem)
    if path.suffix == ".csv" and name and not name[3] and file.neighbour(f"{path.stem}_all.csv"):
        reason = "a view of a table; all its rows are in the file beside it"
        yield file.skip(reason, bytes_done=file.size_bytes)
        return
    for event in _READERS[path.suffix.lower()](file):
        if event.item is None or name is None:
            yield event
            continue
        try:
            yield replace(event, item=_page(event.item, file, name))
        except InvalidInput as error:
            yield file.skip(str(error), bytes_done=event.bytes_done)


def _page(item: Item, file: SourceFile, name: re.Match[str]) -> Item:
    """Return a page: its own id, its title without it, its properties and links."""
    place = item.source_id.removeprefix(file.where)
    content, notes = item.content, dict(item.metadata)
    created, tags = item.happened_at, list(item.tags)
    if file.where.lower().endswith(".md"):
        properties = _properties(content, file.timezone)
        notes |= properties.notes
        created, tags = properties.created or created, tags + properties.tags
    links = [(one_line(match[1]), match[3]) for match in _LINK.finditer(content)][:LINKS_MAX]
    more = {
        "links": list(dict.fromkeys(label for label, _ in links if label)),
        "_linked_ids": list(dict.fromkeys(key for _, key in links)),
        "folder": _folder(file.where),
    }
    return replace(
        item,
        id="",
        source=file.source or "notion",
        source_id=name[2] + place,
        title=one_line(name[1])[:TITLE_CHARS_MAX] if _is_named_by_file(item, name) else item.title,
        content=_LINK.sub(lambda match: match[1] or unquote(match[2]).strip(), content),
        tags=tuple(dict.fromkeys(tags))[:TAGS_MAX],
        happened_at=created,
        session=name[2] if item.session else "",
        metadata=notes | {key: one for key, one in more.items() if one},
    )


def _is_named_by_file(item: Item, name: re.Match[str]) -> bool:
    """Return whether the title was taken from the name of the file, which is cut after 50 marks."""
    return bool(name[1]) and name[2] in item.title


def _folder(where: str) -> str:
    """Return the titles of the pages above this one."""
    above = (_NAME.match(part) for part in PurePosixPath(where).parts[1:-1])
    titles = (one_line(one[1]) for one in above if one)
    return " / ".join(titles)


@dataclass(slots=True, kw_only=True)
class _Properties:
    """The properties of a page: what is known of them as fields, the others as metadata."""

    timezone: str
    notes: dict[str, Any] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    created: datetime | None = None

    def add(self, name: str, value: str) -> None:
        """Add one property."""
        key = name.lower()
        when, _ = local_moment(value, day_first=False, timezone=self.timezone)
        if key in _TAGS:
            self.tags += [one.strip() for one in value.split(",") if one.strip()]
        elif key in _CREATED and when is not None:
            self.created = self.created or when
        elif key in _CHANGED and when is not None:
            self.notes["modified_at"] = iso(when)
        else:
            self.notes[re.sub(r"\W+", "_", key).strip("_") or "property"] = value


def _properties(text: str, timezone: str) -> _Properties:
    """Return the properties of a page: the lines below its title, if all of them are some.

    They stay in its text, since a first paragraph may look the same.
    """
    found = _Properties(timezone=timezone)
    heading = _HEADING.match(text)
    block = text[heading.end() :].partition("\n\n")[0] if heading else ""
    rows = [_PROPERTY.match(line) for line in block.split("\n", PROPERTIES_MAX)]
    if all(rows):
        for row in filter(None, rows):
            found.add(row[1], _LINK.sub(r"\1", row[2]))
    return found
