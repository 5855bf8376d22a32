"""One leaf of a mail's tree: its bytes, its name, its size and its text.

Knows transfer encodings, character sets, HTML and flowed text. Must not know where in a mail the
part stands. Payloads are decoded only where their text is wanted.
"""

import re

from simonides.importers.charset import decode
from simonides.importers.header import words
from simonides.importers.mime import Part
from simonides.importers.parameter import parameters
from simonides.importers.transfer import base64_size_bytes, decoded
from simonides.text.clean import from_html, printable, squeeze
from simonides.text.mail import unwrap_flowed

TEXT_BYTES_MAX = 2 << 20
"""Most bytes of one text part, and most characters of one mail's text, that are kept."""

HTML_BYTES_MAX = 4 << 20
"""Most bytes of one HTML part that are read; pictures inside it may take most of them."""

NAME_CHARS_MAX = 255
"""Longest file name kept; no file system allows longer ones."""

_ENCODED_BYTES_PER_BYTE = 4
"""Quoted-printable needs three bytes for one, and ends its lines."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)


def name_of(part: Part) -> str:
    """Return the file name, decoded, without the folders a program may have put before it."""
    disposition = part.header("content-disposition")
    found = parameters(disposition).get("filename") or part.parameters.get("name", "")
    return words(found.replace("\\", "/")).rpartition("/")[2].strip()[:NAME_CHARS_MAX]


def text_of(part: Part) -> tuple[str, int]:
    """Return (the readable text, 0 or how many bytes it had before it was cut)."""
    is_html = part.media_type == "text/html"
    raw, full_bytes = _beginning(part, limit=HTML_BYTES_MAX if is_html else TEXT_BYTES_MAX)
    is_cut = full_bytes > len(raw)
    if is_html:
        text = printable(from_html(decode(raw, charset_of(part) or _meta_charset(raw))))
    else:
        text = printable(decode(raw, charset_of(part)))
        if part.parameters.get("format", "").lower() == "flowed":
            text = unwrap_flowed(text, delsp=part.parameters.get("delsp", "").lower() == "yes")
    text = squeeze(text).strip()
    is_cut = is_cut or len(text) > TEXT_BYTES_MAX
    return text[:TEXT_BYTES_MAX], full_bytes if is_cut else 0


def plain_text_of(part: Part) -> str:
    """Return the whole text of an attached text file."""
    return squeeze(printable(decode(payload_bytes(part), charset_of(part)))).strip()


def charset_of(part: Part) -> str:
    """Return the declared character set; empty where there is none."""
    return part.parameters.get("charset", "")


def _meta_charset(html: bytes) -> str:
    match = _META_CHARSET.search(html[:4096])
    return match[1].decode("ascii", "ignore") if match else ""


def payload_bytes(part: Part) -> bytes:
    """Return the part's payload with its transfer encoding undone."""
    return decoded(part.raw[part.start : part.end], part.encoding)


def _beginning(part: Part, *, limit: int) -> tuple[bytes, int]:
    """Return (at most `limit` bytes of the payload, how many it has in all).

    Of a payload that is far longer only the beginning is decoded, and its size is an estimate.
    """
    stop = part.start + _ENCODED_BYTES_PER_BYTE * limit
    if stop >= part.end:
        raw = payload_bytes(part)
        return raw[:limit], len(raw)
    raw = decoded(part.raw[part.start : stop], part.encoding)[:limit]
    return raw, max(size_bytes_of(part), len(raw) + 1)


def size_bytes_of(part: Part) -> int:
    """Return how large the attached file is, without decoding base64."""
    if part.encoding == "base64":
        return base64_size_bytes(part.raw[part.start : part.end])
    return len(payload_bytes(part))
