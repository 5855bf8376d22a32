"""One leaf of a mail's tree: its bytes, its name, its size and its text.

Knows transfer encodings, character sets, HTML and flowed text. Must not know where in a mail the
part stands. Payloads are decoded only where their text is wanted.
"""

import re
from email.message import Message
from typing import TypeAlias

from simonides.importers.charset import decode
from simonides.importers.header import header, words
from simonides.importers.thin import DROPPED
from simonides.importers.transfer import base64_size_bytes, from_base64
from simonides.text.clean import from_html, printable, squeeze
from simonides.text.mail import unwrap_flowed

TEXT_BYTES_MAX = 2 << 20
"""Most bytes of one text part, and most characters of one mail's text, that are kept."""

HTML_BYTES_MAX = 4 << 20
"""Most bytes of one HTML part that are read; pictures inside it may take most of them."""

NAME_CHARS_MAX = 255
"""Longest file name kept; no file system allows longer ones."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)
_DROPPED_DIGITS_MAX = 12

Part: TypeAlias = "Message[str, str]"
"""A mail or a part of one, parsed by the compat32 policy."""


def name_of(part: Part) -> str:
    """Return the file name, decoded, without the folders a program may have put before it."""
    found = part.get_filename() or ""
    if "\ufffd" in found:
        found = _eight_bit_name(part)
    return words(found.replace("\\", "/")).rpartition("/")[2].strip()[:NAME_CHARS_MAX]


def _eight_bit_name(part: Part) -> str:
    """Return a file name that was written without any encoding."""
    readable = Message()
    for name in ("Content-Disposition", "Content-Type"):
        readable[name] = words(header(part, name))
    return readable.get_filename() or ""


def text_of(part: Part) -> tuple[str, int]:
    """Return (the readable text, 0 or how many bytes it had before it was cut)."""
    is_html = part.get_content_type() == "text/html"
    raw = payload_bytes(part)
    full_bytes, limit = len(raw) + _dropped(part), HTML_BYTES_MAX if is_html else TEXT_BYTES_MAX
    raw = raw[:limit]
    if is_html:
        text = printable(from_html(decode(raw, charset_of(part) or _meta_charset(raw))))
    else:
        text = printable(decode(raw, charset_of(part)))
        if parameter_of(part, "format").lower() == "flowed":
            text = unwrap_flowed(text, delsp=parameter_of(part, "delsp").lower() == "yes")
    text = squeeze(text).strip()
    is_cut = full_bytes > limit or len(text) > TEXT_BYTES_MAX
    return text[:TEXT_BYTES_MAX], full_bytes if is_cut else 0


def plain_text_of(part: Part) -> str:
    """Return the whole text of an attached text file."""
    return squeeze(printable(decode(payload_bytes(part), charset_of(part)))).strip()


def charset_of(part: Part) -> str:
    """Return the declared character set; empty where there is none."""
    return parameter_of(part, "charset")


def parameter_of(part: Part, name: str) -> str:
    """Return one parameter of the content type; empty where there is none."""
    value = part.get_param(name, "")
    return str(value[2] if isinstance(value, tuple) else value or "")


def _meta_charset(html: bytes) -> str:
    match = _META_CHARSET.search(html[:4096])
    return match[1].decode("ascii", "ignore") if match else ""


def payload_bytes(part: Part) -> bytes:
    """Return the part's payload with its transfer encoding undone; empty for a tree of parts."""
    if _encoding(part) == "base64":  # the standard library gives up where this reads on
        payload = part.get_payload()
        return from_base64(payload.encode("ascii", "ignore")) if isinstance(payload, str) else b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _encoding(part: Part) -> str:
    return header(part, "content-transfer-encoding").strip().lower()


def _dropped(part: Part) -> int:
    value = header(part, DROPPED).strip()
    is_number = value.isascii() and value.isdigit() and len(value) <= _DROPPED_DIGITS_MAX
    return int(value) if is_number else 0


def size_bytes_of(part: Part) -> int:
    """Return how large the attached file is, without decoding base64."""
    payload = part.get_payload()
    if not isinstance(payload, str):
        return 0
    if _encoding(part) == "base64":
        return base64_size_bytes(payload, dropped=_dropped(part))
    return len(payload_bytes(part)) + _dropped(part)
