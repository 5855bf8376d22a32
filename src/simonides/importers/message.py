"""One mail as an item, and the files attached to it.

Knows how a parsed mail becomes records. Must not know which file the mail came from.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from simonides.errors import ImportFailed, InvalidInput
from simonides.importers.body import body_of
from simonides.importers.contents import TEXT_BYTES_MAX, Attachment, Body
from simonides.importers.header import (
    LABEL_HEADERS,
    PEOPLE_MAX,
    first,
    further_authors,
    ids,
    labels,
    message_id,
    people,
    read_sent_time,
    thread,
    words,
)
from simonides.importers.marks import (
    SHOWN_AS_TAGS,
    Mark,
    marks_of_fields,
    marks_of_labels,
    reason_left_out,
)
from simonides.importers.mime import Fields, ParseBudget, parse
from simonides.model.bounds import ITEM_TEXTS, NAME
from simonides.model.item import Item, Kind, short_hash
from simonides.model.metadata_keys import AUTOMATIC_KEY
from simonides.text.mail import says_forwarded, split_reply

NO_SUBJECT = "(no subject)"
"""Title of a mail that has neither a subject nor a text."""

SUBJECT_CHARS_MAX = ITEM_TEXTS["title"].chars_max
"""Longest subject; a longer one is cut and reported, so that it does not cost the mail."""

ATTACHMENTS_MAX = 200
"""Most attachments named in a mail's metadata, and most documents made of one mail."""

FURTHER_FROM_MAX = 10
"""Most further From headers kept in a mail's metadata."""

_EXPECTED = ("from", "to", "subject", "date", "message-id", "received", "mime-version")

_FAULTS = (ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What a mistake of a reader here or in the standard library raises: it costs one mail only."""

_NOT_THE_MAIL = b"\xef\xbb\xbf \t\r\n"
"""What may stand before the first header: a byte order mark and blank lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A mail, and its attachments in their order, of which nothing is read but plain text.

    `signature` is what stands below its words, as it is part of the mail's quoted text.
    """

    mail: Item
    signature: str = ""
    attachments: tuple[Attachment, ...] = ()


def read_message(
    raw: bytes,
    *,
    source: str = "",
    envelope: str = "",
    size_bytes: int = 0,
    budget: ParseBudget | None = None,
    marks: frozenset[Mark] = frozenset(),
) -> Message:
    """Return the mail in `raw` with its attachments.

    Args:
        raw: The message from its first header on, without an mbox's own line.
        source: Overrides the source, which is `gmail` where Gmail's headers are, else `mail`.
        envelope: The mbox line before it, as a last resort for the date.
        size_bytes: Its full size, where `raw` does not hold all of it.
        budget: What the mail may hold; what was left out of it is noted there.
        marks: What its mailbox says of it, beside the mail's own headers.

    Raises:
        ImportFailed: It has no mail headers, is spam or deleted, or says what no item can hold;
            says which.
    """
    budget = budget or ParseBudget()
    with as_import_failure():
        message = parse(raw.lstrip(_NOT_THE_MAIL), budget)
        if not any(name in message.fields for name in _EXPECTED):
            raise ImportFailed(f"no mail headers; looked for {', '.join(_EXPECTED)}")
        gmail = marks_of_labels(labels(message.fields, LABEL_HEADERS[:1]))
        marks |= marks_of_fields(message.fields) | gmail
        if reason := reason_left_out(marks):
            raise ImportFailed(reason)
        body = body_of(message, budget)
        if size_bytes > len(raw):
            body.cut_from_bytes = size_bytes
            budget.lose("", f"only {len(raw)} of {size_bytes} bytes are read")
        name = partial(_hash, raw)
        known = Known(marks=marks, own_hash=name, source=source, envelope=envelope)
        return message_of(message.fields, body, known, budget)


@contextmanager
def as_import_failure() -> Iterator[None]:
    """Turn whatever one mail may raise into the one error that costs no other mail."""
    try:
        yield
    except InvalidInput as error:
        raise ImportFailed(str(error)) from error
    except _FAULTS as error:
        raise ImportFailed(f"can not be read as a mail: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a mail beside its headers and body, as `read_message` has it.

    `own_hash` gives an id to a mail that has none.
    """

    marks: frozenset[Mark]
    own_hash: Callable[[], str]
    source: str = ""
    envelope: str = ""


def message_of(fields: Fields, body: Body, known: Known, budget: ParseBudget) -> Message:
    """Return a mail as an item with its attachments; what is cut is noted in the budget."""
    parts_are_cut = body.cut_from_bytes > 0
    mail, signature = _mail(fields, body, known)
    if body.cut_from_bytes and not parts_are_cut:
        budget.lose("", f"its text is cut; it has {body.cut_from_bytes} bytes")
    _note_what_is_cut(mail, body, budget)
    return Message(
        mail=mail, signature=signature, attachments=tuple(body.attachments[:ATTACHMENTS_MAX])
    )


def _note_what_is_cut(mail: Item, body: Body, budget: ParseBudget) -> None:
    """Note the people, attachments and headers that were left out of the records."""
    for other in mail.metadata.get("_further_from", ()):
        budget.lose("", f"a second From header is not taken for an author: {other[:80]}")
    if len(mail.title) >= SUBJECT_CHARS_MAX:
        budget.lose("", f"its subject is cut after {SUBJECT_CHARS_MAX} characters")
    names = (*mail.tags, *chain.from_iterable((one.name, one.address) for one in mail.people))
    if max(map(len, names), default=0) >= NAME.chars_max:
        budget.lose("", f"a name, address or label is cut to {NAME.chars_max} characters")
    if len(body.attachments) > ATTACHMENTS_MAX:
        budget.lose("", f"more than {ATTACHMENTS_MAX} attachments; the rest is left out")
    if max(Counter(one.role for one in mail.people).values(), default=0) >= PEOPLE_MAX:
        budget.lose("", f"{PEOPLE_MAX} people in one header; any more are left out")


def _hash(raw: bytes) -> str:
    """Return a name for a mail without an id, the same in every kind of mailbox."""
    return short_hash(raw.replace(b"\r\n", b"\n").strip().decode("latin-1"))


def _mail(fields: Fields, body: Body, known: Known) -> tuple[Item, str]:
    """Return a mail as an item, and its signature."""
    own_id = message_id(first(fields, "message-id"))
    source_id = own_id or known.own_hash()
    is_gmail = "x-gm-thrid" in fields or "x-gmail-labels" in fields
    when, about_date = read_sent_time(fields, known.envelope)
    title = words(first(fields, "subject"))[:SUBJECT_CHARS_MAX]
    content, quoted, signature = _parts(body, is_forward=says_forwarded(title))
    notes = {
        "_message_id": own_id,
        "_in_reply_to": next(iter(ids(first(fields, "in-reply-to"))), ""),
        AUTOMATIC_KEY: _automatic(fields),
        "list_id": _list_name(words(first(fields, "list-id"))),
        "attachments": [attachment_entry(one) for one in body.attachments[:ATTACHMENTS_MAX]],
        "encrypted": body.encrypted,
        "signed": body.signed,
        "_marks": sorted(mark.value for mark in known.marks),
        **about_date,
        "_cut_from_bytes": body.cut_from_bytes,
        "_further_from": further_authors(fields)[:FURTHER_FROM_MAX],
    }
    mail = Item(
        kind=Kind.EMAIL,
        source=known.source or ("gmail" if is_gmail else "mail"),
        source_id=source_id,
        title=title if title or content else NO_SUBJECT,
        content=content,
        quoted=quoted,
        people=people(fields),
        happened_at=when,
        session=thread(fields, source_id),
        tags=tuple(
            dict.fromkeys([*labels(fields), *(m.value for m in SHOWN_AS_TAGS if m in known.marks)])
        ),
        metadata={name: value for name, value in notes.items() if value},
    )
    return mail, signature


def _parts(body: Body, *, is_forward: bool) -> tuple[str, str, str]:
    """Return the author's words with forwarded mails, the quoted text, and the signature in it."""
    parts = split_reply("\n\n".join(body.texts), is_forward=is_forward)
    own = "\n\n".join(filter(None, [parts.own.strip(), *body.forwarded]))
    signature = parts.signature.strip()
    quoted = "\n\n".join(filter(None, [parts.quoted.strip(), signature]))
    if max(len(own), len(quoted)) > TEXT_BYTES_MAX:
        body.cut_from_bytes = body.cut_from_bytes or len(own.encode()) + len(quoted.encode())
    return own[:TEXT_BYTES_MAX], quoted[:TEXT_BYTES_MAX], signature


def _automatic(fields: Fields) -> str:
    """Return how a mail says that no person wrote it; empty where none of its headers does.

    A newsletter can be unsubscribed from (RFC 2369), or says its precedence (RFC 2076).
    """
    submitted = words(first(fields, "auto-submitted")).partition(";")[0].strip().lower()
    if submitted in ("auto-replied", "auto-generated"):
        return submitted
    precedence = words(first(fields, "precedence")).lower()
    if precedence == "auto_reply":
        return "auto-replied"
    return "bulk" if precedence in ("bulk", "junk") or "list-unsubscribe" in fields else ""


def _list_name(value: str) -> str:
    """Return the id inside a List-Id's brackets, or all of it where there are none."""
    before, bracket, after = value.partition("<")
    return after.rstrip("> ") if bracket else before


def attachment_entry(attachment: Attachment) -> dict[str, Any]:
    """Return the record of an attachment in a mail's metadata."""
    return {
        "name": attachment.name,
        "media_type": attachment.media_type,
        "size_bytes": attachment.size_bytes,
    }
