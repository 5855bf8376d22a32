"""A mail made of Outlook's properties.

Knows which property says what of a mail. Must not know the files that properties are kept in.
"""

from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime

from simonides.importers.charset import decode
from simonides.importers.contents import (
    FORWARDED,
    FORWARDED_DEPTH_MAX,
    TEXT_BYTES_MAX,
    Attachment,
    Body,
    find_media_type,
    forwarded_text,
    with_text,
)
from simonides.importers.header import one_line
from simonides.importers.marks import Mark
from simonides.importers.mime import Fields, ParseBudget, parse
from simonides.text.clean import from_html, printable, squeeze
from simonides_formats.mail import mapi
from simonides_formats.mail.mapi import MapiAttachment, MapiMessage, Value, charset_of
from simonides_formats.mail.rtf import text_of_rtf, unpack

_RECIPIENTS = {1: "to", 2: "cc", 3: "bcc"}
_AUTHOR_ADDRESSES = (mapi.SENT_SMTP, mapi.SENT_ADDRESS, mapi.SENDER_SMTP, mapi.SENDER_ADDRESS)
_NAMES = (mapi.ATTACH_LONG_NAME, mapi.ATTACH_NAME, mapi.DISPLAY_NAME)
_READ, _UNSENT = 1, 8


def text(values: Mapping[int, Value], *names: int) -> str:
    """Return the first of these properties that is a text with a word in it."""
    for name in names:
        found = values.get(name)
        if isinstance(found, str) and found.strip("\0 \r\n\t"):
            return found
    return ""


def marks_of(message: MapiMessage) -> frozenset[Mark]:
    """Return the marks that Outlook's flags put on a mail."""
    flags = message.values.get(mapi.MESSAGE_FLAGS)
    if not isinstance(flags, int):
        return frozenset()
    found = {_READ: Mark.SEEN, _UNSENT: Mark.DRAFT}
    return frozenset(mark for bit, mark in found.items() if flags & bit)


def fields_of(message: MapiMessage) -> Fields:
    """Return the headers of a mail: as it was sent with, and else made of its properties."""
    values = message.values
    sent = text(values, mapi.HEADERS)
    fields = dict(parse(sent.encode("utf-8", "replace").lstrip(), ParseBudget()).fields)
    made = {
        "subject": [_subject(text(values, mapi.SUBJECT))],
        "from": [_author(values)],
        "date": [_date(values)],
        "message-id": [text(values, mapi.MESSAGE_ID)],
        "in-reply-to": [text(values, mapi.IN_REPLY_TO)],
        "references": [text(values, mapi.REFERENCES)],
    }
    for recipient in message.recipients:
        kind = _RECIPIENTS.get(int(str(recipient.get(mapi.RECIPIENT_TYPE, 1) or 0)) & 3, "to")
        made.setdefault(kind, []).append(
            _person(
                text(recipient, mapi.DISPLAY_NAME),
                _address(recipient, mapi.SMTP_ADDRESS, mapi.ADDRESS),
            )
        )
    for name, stated in made.items():
        if not any(one.strip() for one in fields.get(name, ())):
            fields[name] = [
                one.encode().decode("ascii", "surrogateescape") for one in stated if one
            ]
    return {name: found for name, found in fields.items() if found}


def _subject(stated: str) -> str:
    """Return a subject without the two marks that tell how long its prefix (`Re: `) is."""
    return one_line(stated[2:] if stated.startswith("\x01") else stated)


def _author(values: Mapping[int, Value]) -> str:
    """Return who a mail is from: whom it was sent for, else who sent it."""
    name = text(values, mapi.SENT_NAME, mapi.SENDER_NAME)
    return _person(
        name,
        _address(values, mapi.SENT_SMTP, mapi.SENT_ADDRESS, mapi.SENDER_SMTP, mapi.SENDER_ADDRESS),
    )


def _address(values: Mapping[int, Value], *names: int) -> str:
    """Return the first of these that is an address of mail; Exchange has some of its own."""
    found = (one_line(text(values, name)) for name in names)
    return next((one for one in found if "@" in one and " " not in one), "")


def _person(name: str, address: str) -> str:
    """Return a person as a header names them."""
    name = one_line(name).strip("'\"")
    if not name or name.lower() == address.lower():
        return f"<{address}>" if address else ""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}" <{address}>' if address else f'"{quoted}"'


def _date(values: Mapping[int, Value]) -> str:
    for name in (mapi.CLIENT_SUBMIT_TIME, mapi.DELIVERY_TIME, mapi.CREATED_AT):
        when = values.get(name)
        if isinstance(when, datetime):
            return format_datetime(when)
    return ""


def body_of_mapi(message: MapiMessage, budget: ParseBudget, *, depth: int = 0) -> Body:
    """Return the text, the forwarded mails and the attachments of a mail."""
    body = Body()
    found = _text(message.values)
    if len(found) > TEXT_BYTES_MAX:
        body.cut_from_bytes = len(found.encode())
        budget.lose("", f"its text is cut; it has {body.cut_from_bytes} bytes")
    own = budget.take_text(found[:TEXT_BYTES_MAX], part="")
    body.texts += [own] if own else []
    for number, attachment in enumerate(message.attachments, start=1):
        if not budget.take_part():
            break
        _attach(body, attachment, budget, number=number, depth=depth)
    return body


def _text(values: Mapping[int, Value]) -> str:
    """Return the text of a mail: the plain one, else that of its HTML or its rich text."""
    plain = squeeze(printable(text(values, mapi.BODY))).strip()
    if plain:
        return plain
    html = values.get(mapi.HTML)
    if isinstance(html, bytes):
        html = decode(html, charset_of(values.get(mapi.INTERNET_CODEPAGE)))
    if isinstance(html, str) and html.strip():
        return squeeze(printable(from_html(html))).strip()
    rich = values.get(mapi.RTF)
    return text_of_rtf(unpack(rich)) if isinstance(rich, bytes) else ""


def _attach(
    body: Body, attachment: MapiAttachment, budget: ParseBudget, *, number: int, depth: int
) -> None:
    inner, values = attachment.message, attachment.values
    if inner is not None and depth < FORWARDED_DEPTH_MAX:
        found = body_of_mapi(inner, budget, depth=depth + 1)
        body.forwarded.append(forwarded_text(FORWARDED, fields_of(inner), found))
        body.add_rest(found)
        return
    name = one_line(text(values, *_NAMES)) or "unnamed"
    name = name.replace("\\", "/").rpartition("/")[2][:255]
    stated = text(values, mapi.ATTACH_TYPE).strip().lower() or "application/octet-stream"
    size = values.get(mapi.ATTACH_SIZE)
    file = Attachment(
        name=name,
        media_type=find_media_type(name, stated),
        size_bytes=size if isinstance(size, int) and size > 0 else 0,
        part=str(number),
        blocks=attachment.data,
    )
    body.attachments.append(with_text(file, budget))
