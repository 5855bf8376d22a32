"""The body of a parsed mail: its text, the mails forwarded in it and its attachments.

Knows MIME structures and how text is taken out of a part. Must not know quoting, threads or
items. Payloads are decoded only where their text is wanted.
"""

import re
from functools import partial

from simonides.importers.charset import base64_size_bytes, decode, decode_blocks, decode_transfer
from simonides.importers.contents import (
    CALENDAR,
    CALENDARS,
    FORWARDED,
    FORWARDED_DEPTH_MAX,
    TEXT_BYTES_MAX,
    Attachment,
    Body,
    find_media_type,
    forwarded_text,
    with_text,
)
from simonides.importers.formats import find_wrapped_reader
from simonides.importers.header import words
from simonides.importers.mime import MAIL_TYPES, MimePart, ParseBudget, parameters, parse
from simonides.importers.sealed import (
    PGP,
    SMIME,
    SMIME_TYPES,
    encrypted_note,
    kind_of,
    signed_content,
    without_pgp,
)
from simonides.text.clean import from_html, printable, squeeze
from simonides.text.mail import unwrap_flowed

HTML_BYTES_MAX = 4 << 20
"""Most bytes of one HTML part that are read; pictures inside it may take most of them."""

NAME_CHARS_MAX = 255
"""Longest file name kept; no file system allows longer ones."""

TNEF_TYPES = frozenset(["application/ms-tnef", "application/vnd.ms-tnef"])
"""Media types of a mail that Outlook wrapped, which is mostly called winmail.dat."""

_ENCODED_BYTES_PER_BYTE = 4
"""Quoted-printable needs three bytes for one, and ends its lines."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)


def name_of(part: MimePart) -> str:
    """Return the file name, decoded, without the folders a program may have put before it."""
    disposition = part.header("content-disposition")
    found = parameters(disposition).get("filename") or part.parameters.get("name", "")
    return words(found.replace("\\", "/")).rpartition("/")[2].strip()[:NAME_CHARS_MAX]


def text_of(part: MimePart) -> tuple[str, int]:
    """Return (the readable text, 0 or how many bytes it had before it was cut)."""
    is_html = part.media_type == "text/html"
    raw, full_bytes = _beginning(part, limit=HTML_BYTES_MAX if is_html else TEXT_BYTES_MAX)
    is_cut = full_bytes > len(raw)
    if is_html:
        text = printable(from_html(decode(raw, charset_of(part) or meta_charset(raw))))
    else:
        text = printable(decode(raw, charset_of(part)))
        if part.parameters.get("format", "").lower() == "flowed":
            text = unwrap_flowed(text, delsp=part.parameters.get("delsp", "").lower() == "yes")
    text = squeeze(text).strip()
    is_cut = is_cut or len(text) > TEXT_BYTES_MAX
    return text[:TEXT_BYTES_MAX], full_bytes if is_cut else 0


def charset_of(part: MimePart) -> str:
    """Return the declared character set; empty where there is none."""
    return part.parameters.get("charset", "")


def meta_charset(html: bytes) -> str:
    """Return the character set that a page declares in its head; empty for none."""
    match = _META_CHARSET.search(html[:4096])
    return match[1].decode("ascii", "ignore") if match else ""


def payload_bytes(part: MimePart) -> bytes:
    """Return the part's payload with its transfer encoding undone."""
    return decode_transfer(part.raw[part.start : part.end], part.encoding)


def _beginning(part: MimePart, *, limit: int) -> tuple[bytes, int]:
    """Return (at most `limit` bytes of the payload, how many it has in all).

    Of a payload that is far longer only the beginning is decoded, and its size is an estimate.
    """
    stop = part.start + _ENCODED_BYTES_PER_BYTE * limit
    if stop >= part.end:
        raw = payload_bytes(part)
        return raw[:limit], len(raw)
    raw = decode_transfer(part.raw[part.start : stop], part.encoding)[:limit]
    return raw, max(size_bytes_of(part), len(raw) + 1)


def size_bytes_of(part: MimePart) -> int:
    """Return how large the attached file is, without decoding base64."""
    if part.encoding == "base64":
        return base64_size_bytes(part.raw[part.start : part.end])
    return len(payload_bytes(part))


_OWN_TYPES = frozenset(["text/plain", "text/html", "text/enriched", "text/richtext"])
_HEADS = {
    "text/rfc822-headers": "Headers of a message",
    "message/delivery-status": "Delivery report",
    "message/global-delivery-status": "Delivery report",
    "message/disposition-notification": "Receipt",
    "message/feedback-report": "Feedback report",
    "message/partial": "Piece of a message",
}
"""What stands above the text of a part that a program added."""
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


def body_of(message: MimePart, budget: ParseBudget) -> Body:
    """Return the text, forwarded mails and attachments of `message`, in their order.

    What the budget does not allow, and what can not be read, is noted there.
    """
    reader = _BodyReader(budget)
    reader.read(message, depth=0)
    return reader.body


def _is_text(part: MimePart) -> bool:
    """Return whether the part is to be read as the mail's own text; unnamed and not attached."""
    if part.media_type.startswith("multipart/"):  # declared, but without a boundary that works
        return True
    if part.media_type not in _OWN_TYPES:
        return False
    disposition = part.header("content-disposition")
    return not (disposition and (name_of(part) or disposition.lower().startswith("attachment")))


class _BodyReader:
    """The reader of one mail, or of one version of its text."""

    def __init__(self, budget: ParseBudget) -> None:
        self.budget = budget
        self.body = Body()

    def read(self, part: MimePart, *, depth: int) -> None:
        """Take in one part and all below it."""
        media_type = part.media_type
        if media_type in MAIL_TYPES:
            self._read_mail_inside(part, depth=depth)
        elif media_type.startswith("message/"):
            self._read_notice(part)
        elif media_type == "multipart/encrypted" and part.parts:
            self._note_encrypted(part, kind_of(part))
        elif media_type in SMIME_TYPES:
            self._read_smime(part, depth=depth)
        elif media_type == "multipart/alternative" and part.parts:
            self._read_alternatives(part.parts, depth=depth)
        elif part.parts:
            if media_type == "multipart/signed":
                self.body.signed = kind_of(part)
            for child in part.parts:
                self.read(child, depth=depth)
        elif _is_text(part):
            self._keep_text(part)
        else:
            self._attach(part, depth=depth)

    def _note_encrypted(self, part: MimePart, kind: str) -> None:
        """Say in the mail and in the report that a part can not be read."""
        self.body.encrypted = kind
        self.body.forwarded.append(encrypted_note(kind))
        self.budget.lose(part.number, f"encrypted with {kind}; not read")

    def _read_smime(self, part: MimePart, *, depth: int) -> None:
        """Read what was signed; name what was encrypted."""
        content = signed_content(payload_bytes(part))
        if content is None or depth >= FORWARDED_DEPTH_MAX:
            self._note_encrypted(part, SMIME)
            return
        self.body.signed = SMIME
        self.read(parse(content, self.budget), depth=depth + 1)

    def _keep_text(self, part: MimePart) -> None:
        text = self._text(part)
        if text:
            self.body.texts.append(text)

    def _text(self, part: MimePart) -> str:
        """Return the text of a part, as much of it as may be kept."""
        text, cut_from_bytes = text_of(part)
        if cut_from_bytes:
            self.body.cut_from_bytes = max(self.body.cut_from_bytes, cut_from_bytes)
            self.budget.lose(part.number, f"its text is cut; it has {cut_from_bytes} bytes")
        text, is_encrypted, is_signed = without_pgp(text)
        if is_encrypted:
            self.body.encrypted = PGP
            self.budget.lose(part.number, f"encrypted with {PGP}; not read")
        self.body.signed = PGP if is_signed else self.body.signed
        return self.budget.take_text(text, part=part.number)

    def _read_alternatives(self, parts: list[MimePart], *, depth: int) -> None:
        """Keep the plain text, unless it is empty or only points to the HTML.

        Attachments of both are kept.
        """
        plain, rich = _BodyReader(self.budget), _BodyReader(self.budget)
        versions = [one for one in parts if one.media_type == "text/html" or one.parts]
        for one in parts:
            if one.media_type == "text/plain":
                plain._keep_text(one)
            elif one not in versions and (name_of(one) or one.media_type == CALENDAR):
                plain._attach(one, depth=depth)
        text = "\n\n".join(plain.body.texts)
        if versions and (not text or _may_be_stub(text)):
            rich.read(versions[-1], depth=depth)
        else:
            for one in versions:
                rich._attachments_only(one)
        is_better = len("\n\n".join(rich.body.texts)) > _STUB_RATIO * len(text)
        self.body.texts += rich.body.texts if is_better else plain.body.texts
        self.body.add_rest(rich.body)
        self.body.add_rest(plain.body)

    def _attachments_only(self, part: MimePart) -> None:
        """Keep the attachments of a version of the text that was not chosen."""
        for one in part.walk():
            if not (one.parts or _is_text(one)):
                self._attach(one, depth=FORWARDED_DEPTH_MAX)

    def _read_mail_inside(self, part: MimePart, *, depth: int) -> None:
        """Keep a mail inside the mail as text under its own short head."""
        if depth >= FORWARDED_DEPTH_MAX:
            reason = f"a mail inside of {FORWARDED_DEPTH_MAX} others; only its name is kept"
            self.budget.lose(part.number, reason)
        if depth >= FORWARDED_DEPTH_MAX or not part.parts:
            self._only_name(part)
            return
        for inner in part.parts:
            self._forward(inner, head=_HEADS.get(part.media_type, FORWARDED), depth=depth)

    def _forward(self, inner: MimePart, *, head: str, depth: int) -> None:
        """Keep a mail as text of this one, below a head of its own."""
        found = _BodyReader(self.budget)
        found.read(inner, depth=depth + 1)
        self.body.forwarded.append(forwarded_text(head, inner.fields, found.body))
        self.body.add_rest(found.body)

    def _read_notice(self, part: MimePart) -> None:
        """Keep a program's report about a mail, or a piece of a mail, under a heading."""
        if part.media_type == "message/external-body":
            self.budget.lose(part.number, "its text lies elsewhere (message/external-body)")
            self._only_name(part)
            return
        head = _HEADS.get(part.media_type) or words(f"Attached {part.media_type}")
        if part.media_type == "message/partial":
            stated = [words(part.parameters.get(name, "?"))[:9] for name in ("number", "total")]
            head = f"{head} {stated[0]} of {stated[1]}"
            self.budget.lose(part.number, "a piece of a longer mail; pieces are not put together")
        text = self._text(part)
        if text:
            self.body.forwarded.append(f"{head}\n\n{text}")

    def _attach(self, part: MimePart, *, depth: int) -> None:
        if part.media_type in _SIGNATURES:
            return
        name, media_type = read_file_name(part)
        if name.lower().endswith(".eml") and depth < FORWARDED_DEPTH_MAX:
            inner = parse(payload_bytes(part).lstrip(), self.budget)
            if "from" in inner.fields or "subject" in inner.fields:
                self._forward(inner, head=FORWARDED, depth=depth)
                return
        if media_type in TNEF_TYPES or name.lower() == "winmail.dat":
            payload = payload_bytes(part)
            read = find_wrapped_reader(payload)
            found = read(payload, self.budget, depth) if read else None
            if found is not None:
                self.body.texts += [] if self.body.texts else found.texts
                self.body.add_rest(found)
                return
        file = Attachment(
            name=name,
            media_type=media_type,
            size_bytes=size_bytes_of(part),
            part=part.number,
            blocks=partial(decode_blocks, part.raw, part.start, part.end, part.encoding),
        )
        self.body.attachments.append(with_text(file, self.budget, charset=charset_of(part)))

    def _only_name(self, part: MimePart) -> None:
        name, media_type = read_file_name(part)
        self.body.attachments.append(Attachment(name=name, media_type=media_type, size_bytes=0))


def _may_be_stub(text: str) -> bool:
    return len(text) <= _STUB_CHARS_MAX and _STUB.search(text) is not None


def read_file_name(part: MimePart) -> tuple[str, str]:
    """Return the file name and the media type of an attached file."""
    name, media_type = name_of(part), part.media_type
    if not name:
        name = "invite.ics" if media_type in CALENDARS else "unnamed"
    return name, find_media_type(name, media_type)
