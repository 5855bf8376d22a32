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


_BOOKMARKS = re.compile(rb"<!DOCTYPE\s+NETSCAPE-Bookmark-file", re.IGNORECASE)
_DAY_ONE = re.compile(rb'"entries"\s*:\s*\[')
_KINDLE = re.compile(
    rb"\A(?:\xef\xbb\xbf)?[^\r\n]{1,1000}\r?\n- [^\r\n|]{1,200}\|[^\r\n]{1,300}\r?\n"
)


def is_bookmarks(_path: Path, sample: bytes) -> bool:
    """Return whether these are bookmarks of a browser or a reading list."""
    return _BOOKMARKS.search(sample[:1_000]) is not None


def is_day_one(_path: Path, sample: bytes) -> bool:
    """Return whether this is a journal of Day One."""
    start = head(sample)
    return _DAY_ONE.search(start) is not None and b'"creationDate"' in start


def is_kindle(path: Path, sample: bytes) -> bool:
    """Return whether these are clippings of Kindle: a book, where and when, and a line of `=`."""
    return (
        path.suffix.lower() == ".txt" and b"\n==========" in sample and bool(_KINDLE.match(sample))
    )
