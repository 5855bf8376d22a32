"""The signature below a mail as an item of its own: once for each sender and text.

Where and as what somebody works, and how to reach them, is said nowhere else. The mails themselves
do not repeat it. Must not know the store.
"""

import re
from collections.abc import Iterator

from simonides.importers.message import Message
from simonides.model.item import Item, Kind, Person, Role, short_hash
from simonides.text.mail import is_device_line, is_sign_off
from simonides.text.similarity import fold_words

SOURCE = "signature"
"""The source of the items that signatures become."""

CHARS_MAX = 2_000
"""Most characters of a signature that are kept; the mail has the rest."""

_FRAME = re.compile(r"[\W_]*")


def signatures_of(message: Message) -> Iterator[Item]:
    """Yield the signature of a mail, if it says more than who wrote the mail.

    It has no time: it holds for every mail that has it.
    """
    author = message.mail.author
    text = signature_text(message.signature)
    if author is None or not author.address or not _says_more(text, author):
        return
    own_id = short_hash(f"{author.name}\n{text}")
    yield Item(
        kind=Kind.DOCUMENT,
        source=SOURCE,
        source_id=f"{author.address}/{own_id}",
        title=f"Signature of {author.name or author.address}",
        content=text,
        people=(Person(name=author.name, address=author.address, role=Role.AUTHOR),),
    )


def signature_text(signature: str) -> str:
    """Return a signature without its closing formula, frames and the names of devices."""
    lines = (line.strip() for line in signature[:CHARS_MAX].split("\n"))
    return "\n".join(line for line in lines if not _is_empty(line))


def _is_empty(line: str) -> bool:
    return bool(_FRAME.fullmatch(line)) or is_sign_off(line) or is_device_line(line)


def _says_more(text: str, author: Person) -> bool:
    named = fold_words(f"{author.name} {author.address}")
    return not set(fold_words(text)).issubset(named)
