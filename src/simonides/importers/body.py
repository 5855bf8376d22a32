"""What a parsed mail holds: its text, the mails forwarded in it and its attachments.

Knows MIME structures and how text is taken out of a part. Must not know quoting, threads or
items. Payloads are decoded only where their text is wanted.
"""

import re
from dataclasses import dataclass, field, replace
from email.message import Message
from pathlib import PurePosixPath

from simonides.importers.header import header, words
from simonides.importers.part import Part, name_of, plain_text_of, size_bytes_of, text_of

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
_STUB_RATIO = 2


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
    return not (disposition and (name_of(part) or disposition.lower().startswith("attachment")))


def _keep_text(body: Body, part: Part) -> None:
    text, cut_from_bytes = text_of(part)
    body.cut_from_bytes = max(body.cut_from_bytes, cut_from_bytes)
    if text:
        body.texts.append(text)


def _read_alternatives(body: Body, parts: list[Part], *, depth: int) -> None:
    """Keep the plain text, unless it is empty or only points to the HTML; attachments of both."""
    plain, rich = Body(), Body()
    versions = [one for one in parts if one.get_content_type() == "text/html" or one.is_multipart()]
    for one in parts:
        if one.get_content_type() == "text/plain":
            _keep_text(plain, one)
        elif one not in versions and (name_of(one) or one.get_content_type() == _CALENDAR):
            _attach(plain, one, one.get_content_type())
    text = "\n\n".join(plain.texts)
    if versions and (not text or _may_be_stub(text)):
        _read_part(rich, versions[-1], depth=depth)
    else:
        for one in versions:
            _attachments_only(rich, one)
    is_better = len("\n\n".join(rich.texts)) > _STUB_RATIO * len(text)
    body.texts += rich.texts if is_better else plain.texts
    _add_rest(body, rich)
    _add_rest(body, plain)


def _add_rest(body: Body, found: Body) -> None:
    """Add all but the texts."""
    body.forwarded += found.forwarded
    body.attachments += found.attachments
    body.cut_from_bytes = max(body.cut_from_bytes, found.cut_from_bytes)


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
        body.forwarded.append(text)
        _add_rest(body, found)


def _attach(body: Body, part: Part, media_type: str) -> None:
    if media_type in _SIGNATURES:
        return
    found = _named(part, media_type, size_bytes=size_bytes_of(part))
    if _is_document(found):
        found = replace(found, text=plain_text_of(part) or None)
    body.attachments.append(found)


def _is_document(found: Attachment) -> bool:
    known = found.media_type in _TEXT_TYPES or found.media_type == _CALENDAR
    return known and found.size_bytes <= ATTACHMENT_BYTES_MAX


def _named(part: Part, media_type: str, *, size_bytes: int = 0) -> Attachment:
    name = name_of(part)
    if not name:
        name = "invite.ics" if media_type == _CALENDAR else "unnamed"
    if media_type == "application/octet-stream":
        media_type = _TYPE_OF_SUFFIX.get(PurePosixPath(name).suffix.lower(), media_type)
    return Attachment(name=name, media_type=media_type, size_bytes=size_bytes)
