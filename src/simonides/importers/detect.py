"""Which reader a path is for, by its name and its first bytes.

Knows the marks of each format. Must not know how a format is read.
"""

import re
import stat
from enum import StrEnum
from pathlib import Path

from simonides.errors import ImportFailed

SAMPLE_BYTES = 8192
"""How much of a file is looked at."""

LOOKED_FOR = (
    "mail (.mbox, .eml, Maildir folders), notes (.md, .markdown, .txt), "
    "chats (.jsonl), or a folder of these"
)
"""What can be imported, in words for messages."""


class Format(StrEnum):
    """How a path is read."""

    FOLDER = "folder"
    MAILDIR = "maildir"
    MBOX = "mbox"
    EML = "eml"
    MARKDOWN = "markdown"
    CHAT = "chat"


_BY_SUFFIX = {
    ".mbox": Format.MBOX,
    ".eml": Format.EML,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".txt": Format.MARKDOWN,
    ".jsonl": Format.CHAT,
}

_MAIL_HEADER = re.compile(
    rb"^(?:From|To|Subject|Date|Message-ID|Received|Return-Path|Delivered-To|MIME-Version)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADER = re.compile(rb"(?:From |[!-9;-~]{1,76}[ \t]*:)")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def detect(path: Path) -> Format:
    """Return the format of what lies at `path`; an empty file is told by its name alone.

    Raises:
        ImportFailed: There is nothing, or nothing that can be read; says what was looked for.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return Format.MAILDIR if is_maildir(path) else Format.FOLDER
        if not stat.S_ISREG(mode):
            raise ImportFailed(f"{path.name} is not a regular file")
        with path.open("rb") as stream:
            sample = stream.read(SAMPLE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFailed(f"can not be opened: {reason}") from error
    return _by_content(path.suffix.lower(), sample)


def is_maildir(path: Path) -> bool:
    """Tell whether the folder holds mails the Maildir way."""
    return (path / "cur").is_dir() and (path / "new").is_dir()


def _by_content(suffix: str, sample: bytes) -> Format:
    named = _BY_SUFFIX.get(suffix)
    start = sample.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b'{"simonides_export":'):
        raise ImportFailed("an export of a whole space; import that file by itself")
    if named and not start:
        return named
    if named in (Format.MARKDOWN, Format.CHAT):
        if b"\0" in sample and not sample.startswith(_WIDE_MARKS):
            raise ImportFailed(f"binary, though it is called {suffix}")
        return named
    if start.startswith(b"From "):
        return Format.MBOX
    if _ANY_HEADER.match(start) and _MAIL_HEADER.search(sample):
        return Format.EML
    if named:
        raise ImportFailed(f"does not look like mail, though it is called {suffix}")
    raise ImportFailed(f"not a format that is read here; looked for {LOOKED_FOR}")
