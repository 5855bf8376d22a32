"""How many of the words that a mail shows can be found: of files of mail, by the reader of Python.

What a mail shows is its text part, or else its HTML, as the standard library takes it apart. A word
is found in the mail itself, or only in another item of the same file (a quote is), or nowhere.
"""

import mailbox
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from simonides.errors import ImportFailed
from simonides.importers import read
from simonides.importers.quoted import mail_ids_around, missing_of
from simonides.model.item import Item, Kind
from simonides.text.clean import from_html

LOST_SHOWN = 20
"""So many of the words that are found nowhere are named, the most frequent."""

_WORD = re.compile(r"[^\W_]+")
_FILES = (".eml", ".mbox", ".emlx")


def run(*, paths: Iterable[Path], on_progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Return how many words of the mails in files, and in folders of files, are found, and where.

    `own` is the share of them that is found in the mail, `elsewhere` the share that only another
    item of the file has, `lost` the share that nothing has. `worst` names the files that lose most.
    """
    files = [file for path in paths for file in _files(path)]
    counts, lost, worst = Counter[str](), Counter[str](), Counter[str]()
    for number, file in enumerate(files, start=1):
        for own, other, gone in _mails(file):
            counts += Counter(mails=1, own=own, elsewhere=other, lost=len(gone))
            lost.update(gone)
            worst[str(file)] += len(gone)
        on_progress(number, len(files))
    words = counts["own"] + counts["elsewhere"] + counts["lost"]
    shares = {name: counts[name] / words if words else 0.0 for name in ("own", "elsewhere", "lost")}
    return {
        "files": len(files),
        "mails": counts["mails"],
        "words": words,
        **shares,
        "lost_words": dict(lost.most_common(LOST_SHOWN)),
        "worst": {name: count for name, count in worst.most_common(LOST_SHOWN) if count},
    }


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(one for one in path.rglob("*") if one.suffix.lower() in _FILES)


def _mails(file: Path) -> Iterator[tuple[int, int, list[str]]]:
    """Yield of each mail how many words are found in it, how many elsewhere, and the lost ones."""
    items = list(_items(file))
    items += _missing_quotes(items)
    own_words = {one.source_id: _words(_text(one)) for one in items}
    everywhere = frozenset(word for words in own_words.values() for word in words)
    for message in _messages(file):
        shown = _words(_show(message))
        own = own_words.get(_id_of(message), frozenset())
        missing = shown - own
        gone = sorted(missing - everywhere)
        yield len(shown) - len(missing), len(missing) - len(gone), gone


def _items(file: Path) -> Iterator[Item]:
    """Yield what an import reads of a file: nothing of one that it passes over."""
    with suppress(ImportFailed):
        yield from (event.item for event in read(file) if event.item is not None)


def _missing_quotes(items: list[Item]) -> list[Item]:
    """Return the items that an import makes of what mails quote of mails that are not there."""
    by_id = {one.id: one for one in items}
    signatures = [one.content for one in items if one.source == "signature"]
    return [
        made
        for mail in items
        if mail.kind is Kind.EMAIL
        for made in missing_of(
            mail, [by_id[one] for one in mail_ids_around(mail) if one in by_id], signatures
        )
    ]


def _messages(file: Path) -> Iterator[EmailMessage]:
    raw = file.read_bytes()
    if not raw.startswith(b"From "):
        yield message_from_bytes(raw, policy=policy.default)
        return
    with closing(mailbox.mbox(file, create=False)) as box:
        for key in box.iterkeys():
            yield message_from_bytes(box.get_bytes(key), policy=policy.default)


def _id_of(message: EmailMessage) -> str:
    return str(message.get("message-id", "")).strip().strip("<>")


def _show(message: EmailMessage) -> str:
    """Return the text that a mail shows; empty where the standard library cannot read it."""
    try:
        part = message.get_body(preferencelist=("plain", "html"))
        text = str(part.get_content()) if part else ""
    except (LookupError, ValueError, AttributeError):
        return ""
    return from_html(text) if part and part.get_content_subtype() == "html" else text


def _text(item: Item) -> str:
    names = (f"{one.name} {one.address}" for one in item.people)
    return " ".join((item.title, item.content, *names))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
