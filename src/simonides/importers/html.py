"""HTML pages: one document for each, by the reader of HTML that mail has too.

Knows where pages say their title, author and dates. Must not know how tags are cut.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from simonides.importers.body import HTML_BYTES_MAX, meta_charset
from simonides.importers.charset import decode
from simonides.importers.file_item import file_event, moment, say_cut, tidy
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import from_html
from simonides.text.elements import Tag, tags_and_text, unescape

_HEAD_CHARS = 256_000
"""The head of a page is looked for in its beginning; styles take most of it."""

_TAGS_MAX = 2_000
_TITLE = re.compile(r"<title[^<>]{0,1000}>([^<]{0,2000})", re.IGNORECASE)
_BODY = re.compile(r"<body[\s>]", re.IGNORECASE)

_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author")
_KEYWORDS = ("keywords", "news_keywords", "article:tag")
_CHANGED = (
    "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified",
    "last-modified", "revised", "changed",
)  # fmt: skip
_CREATED = (
    "article:published_time", "dcterms.created", "dc.date.created", "dcterms.date", "dc.date",
    "citation_publication_date", "publish_date", "pubdate", "created", "date",
)  # fmt: skip
_TITLES = ("og:title", "dc.title", "dcterms.title")
_SUBJECTS = ("description", "og:description", "dc.description")
"""Names under which pages say these, in lower case, the most specific first."""


def read_html(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the page as one document, or why it is passed over."""
    with file.path.open("rb") as stream:
        raw = stream.read(HTML_BYTES_MAX)
    yield from page_events(file, raw, full_bytes=file.size_bytes)
    yield from say_cut(file, HTML_BYTES_MAX)


def page_events(
    file: SourceFile,
    raw: bytes,
    *,
    full_bytes: int,
    charset: str = "",
    title: str = "",
    saved_at: datetime | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Iterator[ImportEvent]:
    """Yield the page in `raw` as one document, with what is known of it from elsewhere."""
    kept = raw[:HTML_BYTES_MAX]
    page = decode(kept, charset or meta_charset(kept))
    stated = _read_meta(page[:_HEAD_CHARS])
    changed, created = (_first_date(stated, names, file.timezone) for names in (_CHANGED, _CREATED))
    notes = {
        "subject": _first(stated, _SUBJECTS),
        "created_at": created and created.isoformat(),
        "modified_at": changed and changed.isoformat(),
        "_cut_from_bytes": full_bytes if full_bytes > HTML_BYTES_MAX else 0,
        **(metadata or {}),
    }
    content = tidy(from_html(page))
    yield file_event(
        file,
        content=content,
        title=title or _title(page) or _first(stated, _TITLES) if content else "",
        authors=[one for name in _AUTHOR for one in stated.get(name, ())],
        tags=[
            one for name in _KEYWORDS for all_ in stated.get(name, ()) for one in all_.split(",")
        ],
        dates=(created, changed, saved_at),
        metadata={name: value for name, value in notes.items() if value},
    )


def _title(page: str) -> str:
    """Return the title element's text; that of an inline picture comes after the body begins."""
    body = _BODY.search(page)
    match = _TITLE.search(page, 0, body.start() if body else _HEAD_CHARS)
    return unescape(match[1]) if match else ""


def _read_meta(head: str) -> dict[str, list[str]]:
    """Return the values of the meta elements of a page, by lower-case name."""
    found: dict[str, list[str]] = {}
    tags = (one for one in tags_and_text(head) if isinstance(one, Tag) and one.name == "meta")
    for tag in islice(tags, _TAGS_MAX):
        attributes = tag.attributes
        name = next(filter(None, (attributes.get(one) for one in _NAMES)), "")
        content = attributes.get("content")
        if name and content:
            found.setdefault(name.strip().lower(), []).append(content)
    return found


_NAMES = ("name", "property", "itemprop", "http-equiv")


def _first(stated: dict[str, list[str]], names: tuple[str, ...]) -> str:
    return next((tidy(stated[name][0]) for name in names if name in stated), "")


def _first_date(
    stated: dict[str, list[str]], names: tuple[str, ...], timezone: str
) -> datetime | None:
    dates = (moment(one, timezone) for name in names for one in stated.get(name, ()))
    return next(filter(None, dates), None)
