"""The text of word processors, slides and books, by kreuzberg, in the extraction's own process.

Tables become rows of Markdown. Must not know items. Loaded by `child.py` alone.
"""

import html
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from kreuzberg import ConcurrencyConfig, ExtractionConfig, PageConfig, extract_bytes_sync

MEDIA_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "doc": "application/msword",
    "ppt": "application/vnd.ms-powerpoint",
    "rtf": "application/rtf",
    "epub": "application/epub+zip",
}

_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!<>&~-])")
"""Marks that are escaped in Markdown; an identifier such as `snake_case` is to stay whole."""
_TAB = "&#9;"


def warm_up() -> None:
    """Start the library's threads, which need files, while files may still be opened."""
    _extracted(b"{\\rtf1 .}", "rtf", "plain")


def read(stream: BinaryIO, kind: str) -> Iterator[dict[str, Any]]:
    """Yield what the file says of itself, then its text, slide by slide for slides."""
    raw = stream.read()
    if kind == "docx":
        raw = _with_marks(raw)
    found = _extracted(raw, kind, "plain" if kind in _PLAIN else "markdown")
    texts = dict(_slides(found.content))
    if not texts:
        yield {"about": _about(found.metadata)}
        yield {"text": _tidy(found.content)}
        return
    yield {"about": _about(found.metadata) | {"pages": max(texts)}}
    spoken = dict(_slides(_extracted(raw, kind, "plain").content))
    for number, text in texts.items():
        notes = spoken.get(number, "").partition(_NOTES)
        yield {"text": _tidy(text) + notes[1] + notes[2], "page": number}


_PLAIN = frozenset(["doc", "rtf"])
"""Formats without tables in the library's answer, whose marks of Markdown would only be noise."""

_SLIDES = frozenset(["pptx", "ppt", "odp"])
_NOTES = "\n\nNotes:\n\n"
"""What the library writes before a speaker's notes; its Markdown leaves them out."""


def _slides(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each slide; nothing where slides are not marked."""
    _, *parts = text.split(_SLIDE_BEGINS)
    for part in parts:
        number, mark, content = part.partition(_SLIDE_NUMBER_ENDS)
        if mark:
            yield int(number), content.strip()


def _extracted(raw: bytes, kind: str, written_as: str) -> Any:
    make: Any = ExtractionConfig  # its stub does not know `disable_ocr`
    config = make(
        use_cache=False,
        disable_ocr=True,
        output_format=written_as,
        pages=PageConfig(
            insert_page_markers=kind in _SLIDES,
            marker_format=f"\n\n{_SLIDE_BEGINS}{{page_num}}{_SLIDE_NUMBER_ENDS}\n\n",
        ),
        concurrency=ConcurrencyConfig(max_threads=1),
    )
    return extract_bytes_sync(raw, MEDIA_TYPES[kind], config)


def _tidy(text: str) -> str:
    """Return Markdown without its escapes and with the characters that were marked."""
    return _ESCAPED.sub(r"\1", text).replace(_TAB, "\t").translate(_MARKS_BACK)


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


# ── characters that the library's reader of Word files leaves out (kreuzberg 4.10.4) ─────────────

_SLIDE_BEGINS, _SLIDE_NUMBER_ENDS = "\U0010ff01", "\U0010ff02"
_MARKED = "&<>\"'"
_MARKS = {ord(one): chr(0x10FF00 + ord(one)) for one in _MARKED}
_MARKS_BACK = {ord(mark): chr(one) for one, mark in _MARKS.items()}
"""Stand-ins from a plane for private use, where no font has characters."""

_REFERENCE = re.compile(rb"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_TEXT_MEMBER = re.compile(r"word/[^/]+\.xml")
_NEEDED_MEMBER = re.compile(r"\[Content_Types\]\.xml|(?:_rels|word|word/_rels|docProps)/[^/]+")
_UNPACKED_BYTES_MAX = 100 << 20
"""As much as the library itself unpacks."""

_UNREADABLE = (OSError, ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile)


def _with_marks(raw: bytes) -> bytes:
    """Return a Word file whose `&amp;` and the like stand as marks, which the library keeps.

    A file that is damaged or too large stays as it is, for the library to say what is wrong.
    """
    written = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(written, "w") as new:
            needed = [one for one in old.infolist() if _NEEDED_MEMBER.fullmatch(one.filename)]
            if sum(one.file_size for one in needed) > _UNPACKED_BYTES_MAX:
                return raw
            for member in needed:
                xml = old.read(member)
                if _TEXT_MEMBER.fullmatch(member.filename):
                    xml = _REFERENCE.sub(_mark, xml)
                new.writestr(member.filename, xml)
    except _UNREADABLE:
        return raw
    return written.getvalue()


def _mark(reference: re.Match[bytes]) -> bytes:
    text = html.unescape(reference[0].decode("ascii"))
    return text.translate(_MARKS).encode("utf-8", "ignore")
