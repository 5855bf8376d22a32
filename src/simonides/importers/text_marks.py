"""The marks by which web pages and texts are recognised.

Must not know what becomes of a text.
"""

import re
from pathlib import Path

_HTML = re.compile(
    rb"(?>(?:<\?xml[^>]*+>|<!--(?>.*?-->))\s*+)*+<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def is_html(sample: bytes) -> bool:
    """Return whether a file begins as an HTML page, comments and an XML declaration aside."""
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        sample = sample.replace(b"\0", b"")[2:]
    return _HTML.match(sample.lstrip(b"\xef\xbb\xbf \t\r\n")) is not None


TEXT_SUFFIXES = (
    ".rst", ".org", ".adoc", ".asciidoc", ".textile", ".tex", ".text", ".log", ".srt", ".vtt",
)  # fmt: skip
"""Suffixes of texts that people write or read. Programs and their settings are none of these."""

_TEXT_MARKS = frozenset(range(32, 256)) | frozenset(b"\t\n\r\f\x1b")


def is_text(path: Path, sample: bytes) -> bool:
    """Return whether a file is a text by its suffix, or by its bytes if it has none."""
    if b"\0" in sample:
        return (
            sample.startswith((b"\xff\xfe", b"\xfe\xff")) and path.suffix.lower() in TEXT_SUFFIXES
        )
    return path.suffix.lower() in TEXT_SUFFIXES or (not path.suffix and _is_utf8(sample))


def _is_utf8(sample: bytes) -> bool:
    """Return whether a sample is UTF-8 without control marks; a character may be cut at its end."""
    if not (sample.strip() and _TEXT_MARKS.issuperset(sample)):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4
    return True
