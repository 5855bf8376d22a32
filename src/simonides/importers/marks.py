"""Marks that a mailbox puts on a mail: seen, answered, flagged, draft, spam, deleted.

Knows the names of mailboxes and Maildir files, the headers of mbox files and Gmail's labels. Must
not know the mail itself.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from unicodedata import normalize

from simonides.importers.mime import Fields
from simonides.model.metadata_keys import DRAFT_TAG
from simonides.text.vocabulary import word_file


class Mark(StrEnum):
    """What a mailbox knows of a mail that the mail does not say."""

    ANSWERED = "answered"
    DELETED = "deleted"
    DRAFT = DRAFT_TAG
    FLAGGED = "flagged"
    FORWARDED = "forwarded"
    SEEN = "seen"
    SPAM = "spam"


_LEFT_OUT = {
    Mark.SPAM: "lies in Spam; not imported",
    Mark.DELETED: "was deleted, or lies in the trash; not imported",
}
"""Why a mail with this mark is passed over: what a person threw away is not to come back."""

SHOWN_AS_TAGS = (Mark.DRAFT, Mark.FLAGGED)
"""Marks by which people look for mails."""

_MAILDIR = re.compile(r"[:;!]2,([A-Za-z]{0,52})$")
"""The end of a Maildir file's name; where a colon may not stand in names, another mark does."""

_LETTERS = {
    "maildir": {
        "D": Mark.DRAFT, "F": Mark.FLAGGED, "P": Mark.FORWARDED, "R": Mark.ANSWERED,
        "S": Mark.SEEN, "T": Mark.DELETED,
    },
    "status": {"R": Mark.SEEN},
    "x-status": {
        "A": Mark.ANSWERED, "D": Mark.DELETED, "F": Mark.FLAGGED, "T": Mark.DRAFT,
    },
}  # fmt: skip
"""Letters of Maildir (cr.yp.to/proto/maildir.html), and of the mbox headers of the UW IMAP server
that mutt, pine and Dovecot write."""

_MOZILLA = {
    1: Mark.SEEN,
    2: Mark.ANSWERED,
    4: Mark.FLAGGED,
    8: Mark.DELETED,
    0x1000: Mark.FORWARDED,
}
"""Bits of X-Mozilla-Status (Thunderbird, nsMsgMessageFlags.idl); a deleted mail stays in the file
until its folder is compacted."""

_HEX_CHARS_MAX = 8
_LABELS = {
    name: mark
    for key, mark in (("spam", Mark.SPAM), ("trash", Mark.DELETED), ("drafts", Mark.DRAFT))
    for name in word_file("mail")[key]
}
"""The folders that mail programs make by themselves, and Gmail's labels, in small letters."""

_SUFFIX = re.compile(r"\.(?:mbox|mbx|sbd)$", re.IGNORECASE)
"""Endings of mailboxes, and of Thunderbird's folders of them."""

_IMAP_RUN = re.compile("&([A-Za-z0-9+,]{0,200})-")
"""Other letters than ASCII in names of folders, as IMAP writes them (RFC 3501, section 5.1.3)."""


def reason_left_out(marks: Collection[Mark]) -> str:
    """Return why a mail with these marks is not imported; empty if it is."""
    return next((reason for mark, reason in _LEFT_OUT.items() if mark in marks), "")


def marks_of_file(where: str) -> frozenset[Mark]:
    """Return the marks of a file of one mail: of its mailbox, and in the name of a Maildir file."""
    match = _MAILDIR.search(where)
    own = _of_letters("maildir", match[1]) if match else frozenset()
    return own | marks_of_mailbox(posixpath.dirname(where))


def marks_of_mailbox(where: str) -> frozenset[Mark]:
    """Return the marks of all mails in a mailbox, by the names of the folders that it lies in.

    Of a name such as `.INBOX.Trash` the last part counts (Maildir++).
    """
    names = (_SUFFIX.sub("", one).rpartition(".")[2] for one in where.split("/"))
    return marks_of_labels(normalize("NFC", _IMAP_RUN.sub(_decode_run, one)) for one in names)


def _decode_run(run: re.Match[str]) -> str:
    base64 = run[1].replace(",", "/")
    return f"+{base64}-".encode().decode("utf-7", "replace") if base64 else "&"


def marks_of_fields(fields: Fields) -> frozenset[Mark]:
    """Return the marks in the headers that mail programs put into an mbox."""
    found = {
        mark
        for name in ("status", "x-status")
        for value in fields.get(name, ())
        for mark in _of_letters(name, value)
    }
    for value in fields.get("x-mozilla-status", ()):
        text = value.strip()
        if len(text) <= _HEX_CHARS_MAX and re.fullmatch("[0-9A-Fa-f]+", text):
            found |= marks_of_bits(_MOZILLA, int(text, 16))
    return frozenset(found)


def marks_of_labels(labels: Iterable[str]) -> frozenset[Mark]:
    """Return the marks for which mail programs have labels or folders of their own."""
    return frozenset(_LABELS[one.lower()] for one in labels if one.lower() in _LABELS)


def _of_letters(kind: str, letters: str) -> frozenset[Mark]:
    known = _LETTERS[kind]
    return frozenset(known[one] for one in letters if one in known)


def marks_of_bits(known: Mapping[int, Mark], bits: int) -> set[Mark]:
    """Return the marks whose bits are set."""
    return {mark for bit, mark in known.items() if bits & bit}
