"""The marks by which mails of Outlook and Apple, and contacts, are recognised.

Must not know what becomes of a mail.
"""

import re
from pathlib import Path

_EMLX = re.compile(rb"\s*\d{1,12}[ \t]*\r?\n(?:>?From |[A-Za-z][!-9;-~]{0,75}[ \t]*:)")


def is_msg(path: Path, sample: bytes) -> bool:
    """Return whether a compound file, as old Office files are too, is a mail of Outlook."""
    if not sample.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return False
    return path.suffix.lower() == ".msg" or "__properties_version1.0".encode("utf-16-le") in sample


def is_pst(_: Path, sample: bytes) -> bool:
    """Return whether this is a data file of Outlook."""
    return sample.startswith(b"!BDN")


def is_tnef(_: Path, sample: bytes) -> bool:
    """Return whether this is a mail that Outlook wrapped."""
    return sample.startswith(b"\x78\x9f\x3e\x22")


def is_emlx(_: Path, sample: bytes) -> bool:
    """Return whether this is a mail of Apple Mail: its length, then its headers."""
    return _EMLX.match(sample) is not None


def is_vcard(_: Path, sample: bytes) -> bool:
    """Return whether these are contacts."""
    return sample.lstrip(b"\xef\xbb\xbf \t\r\n")[:11].upper() == b"BEGIN:VCARD"
