"""Marks that a mailbox puts on a mail: seen, answered, flagged, draft, spam, deleted.

Knows the names of Maildir files, the headers of mbox files and Gmail's labels. Must not
know the mail itself.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from simonides.importers.mime import Fields
from simonides.text.vocabulary import word_file


class Mark(StrEnum):
    """What a mailbox knows of a mail that the mail does not say."""

    ANSWERED = "answered"
    DELETED = "deleted"
    DRAFT = "draft"
    FLAGGED = "flagged"
    FORWARDED = "forwarded"
    SEEN = "seen"
    SPAM = "spam"


LEFT_OUT = {
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
_LABELS = dict.fromkeys(word_file("mail")["spam"], Mark.SPAM)
_LABELS |= dict.fromkeys(word_file("mail")["trash"], Mark.DELETED)
"""Gmail's own folders as its exports name them, in small letters; nobody may call a label so."""


def marks_of_file(name: str) -> frozenset[Mark]:
    """Return the marks in the name of a Maildir file; none in any other name."""
    match = _MAILDIR.search(name)
    return _of_letters("maildir", match[1]) if match else frozenset()


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
    """Return the marks for which Gmail has labels of its own."""
    return frozenset(_LABELS[one.lower()] for one in labels if one.lower() in _LABELS)


def _of_letters(kind: str, letters: str) -> frozenset[Mark]:
    known = _LETTERS[kind]
    return frozenset(known[one] for one in letters if one in known)


def marks_of_bits(known: Mapping[int, Mark], bits: int) -> set[Mark]:
    """Return the marks whose bits are set."""
    return {mark for bit, mark in known.items() if bits & bit}
