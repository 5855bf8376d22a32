"""The text of word processors, slides and books, by kreuzberg, in the extraction's own process.

Tables become rows of Markdown. Must not know items. Loaded by `child.py` alone.
"""

import html
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from kreuzberg import ConcurrencyConfig, ExtractionConfig, PageConfig, extract_bytes_sync

from simonides_formats.documents.office_xml import (
    SLIDE_BEGINS,
    SLIDE_NUMBER_ENDS,
    restore,
    rewritten,
)

MEDIA_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "odp": "application/vnd.oasis.opendocument.text",
    "doc": "application/msword",
    "ppt": "application/vnd.ms-powerpoint",
    "rtf": "application/rtf",
    "epub": "application/epub+zip",
}

_MARKUP = re.compile(r"\\([\\`*_{}\[\]()#+.!<>&~-])|&#(\d{1,6});|\*+")
"""An escaped mark, a character by its number, or the asterisks of emphasis."""

_PICTURE = re.compile(
    r"!\[([^\[\]\n]*+)\]\((<>|\.\./media/[^()\n]*+|data:[^()\s]*+)\)"
    r"|<!-- MathML:(?:[^\n<-]|<(?!!--)|-(?!->))*-->"
)
"""A picture: its description and where it lies; or a formula that follows in plain characters."""
_UNESCAPED = frozenset(["epub"])
"""Formats whose own asterisks the library does not escape."""


def warm_up() -> None:
    """Start the library's threads, which need files, while files may still be opened."""
    _extract(b"{\\rtf1 .}", "rtf", "plain")


def read(stream: BinaryIO, kind: str) -> Iterator[dict[str, Any]]:
    """Yield what the file says of itself, then its text, slide by slide for slides."""
    raw = rewritten(stream.read(), kind)
    found = _extract(raw, kind, "plain" if kind in _PLAIN else "markdown")
    texts = dict(_slides(found.content))
    if not texts:
        yield {"about": _about(found.metadata)}
        yield {"text": _tidy(found.content, kind)}
        return
    yield {"about": _about(found.metadata) | {"pages": max(texts)}}
    spoken = dict(_slides(_extract(raw, kind, "plain").content)) if _HAS_NOTES in raw else {}
    for number, text in texts.items():
        notes = spoken.get(number, "").partition(_NOTES)
        yield {"text": _tidy(text, kind) + notes[1] + notes[2], "page": number}


_PLAIN = frozenset(["doc", "rtf"])
"""Formats without tables in the library's answer, whose marks of Markdown would only be noise."""

_SLIDES = frozenset(["pptx", "ppt"])
_NOTES = "\n\nNotes:\n\n"
"""What the library writes before a speaker's notes; its Markdown leaves them out."""
_HAS_NOTES = b"ppt/notesSlides/"


def _slides(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each slide; nothing where slides are not marked."""
    _, *parts = text.split(SLIDE_BEGINS)
    for place, part in enumerate(parts, start=1):
        number, mark, content = part.partition(SLIDE_NUMBER_ENDS)
        if mark:
            yield int(number or place), content.strip()


def _extract(raw: bytes, kind: str, written_as: str) -> Any:
    make: Any = ExtractionConfig  # its stub does not know `disable_ocr`
    config = make(
        use_cache=False,
        disable_ocr=True,
        output_format=written_as,
        pages=PageConfig(
            insert_page_markers=kind in _SLIDES,
            marker_format=f"\n\n{SLIDE_BEGINS}{{page_num}}{SLIDE_NUMBER_ENDS}\n\n",
        ),
        concurrency=ConcurrencyConfig(max_threads=1),
    )
    return extract_bytes_sync(raw, MEDIA_TYPES[kind], config)


def _tidy(markdown: str, kind: str) -> str:
    """Return Markdown without escapes and emphasis; `snake_case` and half bold words are whole.

    Of a picture its description is kept where an author wrote one.
    """
    plain = markdown if kind in _UNESCAPED else _MARKUP.sub(_read_meant, markdown)
    return restore(_PICTURE.sub(lambda found: found[1] if found[2] == "<>" else "", plain))


def _read_meant(match: re.Match[str]) -> str:
    return html.unescape(match[0]) if match[2] else match[1] or ""


def _about(found: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": found.get("title") or "",
        "authors": found.get("authors") or [],
        "keywords": found.get("keywords") or [],
        "subject": found.get("subject") or "",
        "created_at": found.get("created_at") or "",
        "modified_at": found.get("modified_at") or "",
        "language": found.get("language") or "",
    }
