"""What a parsed mail holds: its text, the mails forwarded in it and its attachments.

Knows MIME structures and how text is taken out of a part. Must not know quoting, threads or
items. Payloads are decoded only where their text is wanted.
"""

import re
from dataclasses import dataclass, field, replace
from email.message import Message
from pathlib import PurePosixPath

from simonides.importers.charset import decode
from simonides.importers.header import header, one_line, words
from simonides.importers.thin import DROPPED
from simonides.importers.transfer import base64_size_bytes, from_base64, from_quoted_printable
from simonides.text.clean import from_html, printable, squeeze
from simonides.text.mail import unwrap_flowed

TEXT_BYTES_MAX = 2 << 20
"""Most bytes of one text part that are kept; a mail's note says how long it was."""

HTML_BYTES_MAX = 8 << 20
"""Most bytes of one HTML part that are read; pictures inside it may take most of them."""

ATTACHMENT_BYTES_MAX = 5 << 20
"""Largest text attachment that becomes a document of its own."""

FORWARDED_DEPTH_MAX = 4
"""How deep mails inside mails are read; deeper ones are only named."""

_TEXT_TYPES = frozenset(["text/plain", "text/markdown", "text/x-markdown", "text/csv"])
_CALENDAR = "text/calendar"
_TYPE_OF_SUFFIX = {
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".csv": "text/csv",
    ".ics": _CALENDAR,
}
_SIGNATURES = frozenset(
    ["application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"]
)
_STUB = re.compile(
    r"\b(?:view|read|see|open|display|enable|support|use)\w*\b.{0,80}"
    r"\b(?:html|browser|online|web version)\b",
    re.IGNORECASE | re.DOTALL,
)
_STUB_CHARS_MAX = 500
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)

Part = Message[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """One attached file; `text` is None unless it is kept as a document of its own."""

    name: str
    media_type: str
    size_bytes: int
    text: str | None = None


@dataclass(slots=True, kw_only=True)
class Body:
    """What was found in a mail so far; `cut_from_bytes` is 0 unless text was left out."""

    texts: list[str] = field(default_factory=list)
    forwarded: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    cut_from_bytes: int = 0


def body_of(message: Part) -> Body:
    """Return the text, forwarded mails and attachments of `message`, in their order."""
    body = Body()
    _read_part(body, message, depth=0)
    return body


def _read_part(body: Body, part: Part, *, depth: int) -> None:
    media_type = part.get_content_type()
    if media_type == "message/rfc822" and part.is_multipart():
        _read_forwarded(body, part, depth=depth)
    elif media_type == "multipart/alternative" and part.is_multipart():
        _read_alternatives(body, _children(part), depth=depth)
    elif part.is_multipart() and media_type.startswith("multipart/"):
        for child in _children(part):
            _read_part(body, child, depth=depth)
    elif _is_text(part, media_type):
        _keep_text(body, part)
    else:
        _attach(body, part, media_type)


def _children(part: Part) -> list[Part]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []


def _is_text(part: Part, media_type: str) -> bool:
    """Tell whether the part is to be read as the mail's own text; unnamed and not attached."""
    if media_type.startswith("multipart/"):  # declared, but without a boundary that works
        return True
    if media_type not in ("text/plain", "text/html"):
        return False
    disposition = header(part, "content-disposition")
    return not (disposition and (_name(part) or disposition.lower().startswith("attachment")))


def _keep_text(body: Body, part: Part) -> None:
    text = _text_of(body, part)
    if text:
        body.texts.append(text)


def _read_alternatives(body: Body, parts: list[Part], *, depth: int) -> None:
    """Keep the plain text, unless it is empty or only points to the HTML; attachments of both."""
    plain = [one for one in parts if one.get_content_type() == "text/plain"]
    rich = [one for one in parts if one.get_content_type() == "text/html" or one.is_multipart()]
    others = [one for one in parts if one not in plain and one not in rich]
    text = "\n\n".join(filter(None, (_text_of(body, one) for one in plain)))
    inner = Body()
    if rich and (not text or _may_be_stub(text)):
        _read_part(inner, rich[-1], depth=depth)
    else:
        for one in rich:
            _attachments_only(inner, one)
    better = "\n\n".join(inner.texts)
    body.texts.extend(filter(None, [better if len(better) > 2 * len(text) else text]))
    body.forwarded += inner.forwarded
    body.cut_from_bytes = max(body.cut_from_bytes, inner.cut_from_bytes)
    body.attachments += inner.attachments
    for one in others:
        if _name(one) or one.get_content_type() == _CALENDAR:
            _attach(body, one, one.get_content_type())


def _may_be_stub(text: str) -> bool:
    return len(text) <= _STUB_CHARS_MAX and _STUB.search(text) is not None


def _attachments_only(body: Body, part: Part) -> None:
    """Walk a version of the text that was not chosen for what else hangs on it."""
    for one in part.walk():
        media_type = one.get_content_type()
        if not (one.is_multipart() or _is_text(one, media_type)):
            _attach(body, one, media_type)


def _read_forwarded(body: Body, part: Part, *, depth: int) -> None:
    """Keep a mail inside the mail as text under its own short head."""
    for inner in _children(part):
        if depth >= FORWARDED_DEPTH_MAX:
            body.attachments.append(_named(inner, "message/rfc822"))
            continue
        found = Body()
        _read_part(found, inner, depth=depth + 1)
        head = ["Forwarded message"]
        for name in ("From", "Date", "To", "Subject"):
            value = words(header(inner, name))
            head += [f"{name}: {value}"] if value else []
        text = "\n\n".join(["\n".join(head), *found.texts])
        body.forwarded += [text, *found.forwarded]
        body.cut_from_bytes = max(body.cut_from_bytes, found.cut_from_bytes)
        body.attachments += found.attachments


def _attach(body: Body, part: Part, media_type: str) -> None:
    if media_type in _SIGNATURES:
        return
    found = _named(part, media_type, size_bytes=_size_bytes(part))
    if _is_document(found):
        text = squeeze(printable(decode(payload_bytes(part), _charset(part))))
        found = replace(found, text=text or None)
    body.attachments.append(found)


def _is_document(found: Attachment) -> bool:
    known = found.media_type in _TEXT_TYPES or found.media_type == _CALENDAR
    return known and found.size_bytes <= ATTACHMENT_BYTES_MAX


def _named(part: Part, media_type: str, *, size_bytes: int = 0) -> Attachment:
    name = _name(part)
    if not name:
        name = "invite.ics" if media_type == _CALENDAR else "unnamed"
    if media_type == "application/octet-stream":
        media_type = _TYPE_OF_SUFFIX.get(PurePosixPath(name).suffix.lower(), media_type)
    return Attachment(name=name, media_type=media_type, size_bytes=size_bytes)


def _name(part: Part) -> str:
    """Return the file name, decoded, without the folders a program may have put before it."""
    name = words(part.get_filename() or "").replace("\\", "/")
    return one_line(name.rpartition("/")[2])[:255]


def _text_of(body: Body, part: Part) -> str:
    """Return the readable text of a text part; notes in `body` if some was left out."""
    html = part.get_content_type() == "text/html"
    raw = payload_bytes(part)
    limit = HTML_BYTES_MAX if html else TEXT_BYTES_MAX
    full_bytes = len(raw) + _dropped(part)
    charset = _charset(part)
    if html and not charset:
        declared = _META_CHARSET.search(raw[:4096])
        charset = declared[1].decode("ascii") if declared else ""
    text = decode(raw[:limit], charset)
    if html:
        text = from_html(text)
    elif _is_flowed(part):
        text = unwrap_flowed(text)
    text = squeeze(printable(text))
    if full_bytes > limit or len(text) > TEXT_BYTES_MAX:
        body.cut_from_bytes = max(body.cut_from_bytes, full_bytes)
        text = text[:TEXT_BYTES_MAX]
    return text


def _is_flowed(part: Part) -> bool:
    return "flowed" in header(part, "content-type").lower()


def _charset(part: Part) -> str:
    value = part.get_param("charset", "")
    return value[2] if isinstance(value, tuple) else str(value or "")


def payload_bytes(part: Part) -> bytes:
    """Return the part's payload with its transfer encoding undone."""
    payload = part.get_payload()
    if not isinstance(payload, str):
        return b""
    raw = payload.encode("utf-8", "surrogateescape")
    encoding = _encoding(part)
    if encoding == "base64":
        return from_base64(raw)
    if encoding == "quoted-printable":
        return from_quoted_printable(raw)
    return raw


def _encoding(part: Part) -> str:
    return header(part, "content-transfer-encoding").strip().lower()


def _dropped(part: Part) -> int:
    value = header(part, DROPPED).strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 12 else 0  # noqa: PLR2004  a terabyte


def _size_bytes(part: Part) -> int:
    """Return how large the attached file is, without decoding base64."""
    payload = part.get_payload()
    if not isinstance(payload, str):
        return 0
    if _encoding(part) == "base64":
        return base64_size_bytes(payload, dropped=_dropped(part))
    return len(payload_bytes(part)) + _dropped(part)
