"""The marks by which exports of notes are recognised.

Must not know what becomes of a note.
"""

import re
from pathlib import Path

from simonides_formats.json_head import head

_NOTION = re.compile(r"[ _-]?[0-9a-f]{32}(?:_all)?\.(?:md|csv|html)", re.IGNORECASE)
KEEP_MARK = b'"userEditedTimestampUsec"'
_KEEP_PAGE = re.compile(rb"""<div class=["']note[\s"']""")
_ENEX = re.compile(rb"<en-export[\s>]")


def is_notion(path: Path, _sample: bytes) -> bool:
    """Return whether a file is called as pages of Notion are: its name ends with an id."""
    return _NOTION.search(path.name) is not None


def is_keep(_path: Path, sample: bytes) -> bool:
    """Return whether this is a note of Google Keep."""
    return KEEP_MARK in head(sample)


def is_keep_page(path: Path, sample: bytes) -> bool:
    """Return whether this is a page with a note of Google Keep, as stands beside each."""
    return path.suffix.lower() == ".html" and _KEEP_PAGE.search(sample) is not None


def is_enex(_path: Path, sample: bytes) -> bool:
    """Return whether these are notes of Evernote."""
    return sample.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and bool(_ENEX.search(sample))
