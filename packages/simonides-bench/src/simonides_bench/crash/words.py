"""The texts that a trial keeps: each version of each item has a word that no other text holds.

So a search for the word says whether that version is found. Must not know of spaces or files.
"""

from typing import Any
from zlib import crc32

from simonides.model.item import Item, Kind, Person

COMMON = "harbour"
"""Stands in every item."""

_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aou"
_SYLLABLES = [c + v for c in _CONSONANTS for v in _VOWELS]
_SYLLABLE_COUNT = 5
_LINES = ("The boats lay still and the nets hung out to dry along the wall.",
          "Two men carried the ropes up the steps and talked of the weather.",
          "Nobody had seen the ferry since the storm of the week before.")  # fmt: skip

LONG, BULKY = "x", "q"
"""How words begin that stand for a text of several chunks, and for one that fills many pages."""

BULK_CHARS = 400_000
"""Characters of a bulky text: a dozen of them pass the length at which the log is folded in."""


def word(number: int, *, lead: str = "") -> str:
    """Return the word of a number: one word a number, and no stem of another.

    `lead` is how it begins: `LONG`, `BULKY` or neither.
    """
    syllables = []
    for _ in range(_SYLLABLE_COUNT):
        number, place = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return lead + "".join(reversed(syllables))


def fields(own: str) -> dict[str, Any]:
    """Return the fields of the text made from one word, the same every time."""
    return {
        "title": f"About {own}",
        "content": "\n".join([f"{own} at the {COMMON}.", *_more(own)]),
        "tags": (f"tag-{own}",),
        "people": (Person(name=own.capitalize()),),
        "metadata": {"word": own, "sum": crc32(own.encode())},
        "quoted": (f"> {own} " * (BULK_CHARS // (len(own) + 3))) if own[0] == BULKY else "",
    }


def item(item_id: str, own: str) -> Item:
    """Return the item made from an id and a word."""
    return Item(kind=Kind.DOCUMENT, id=item_id, language="en", **fields(own))


def _more(own: str) -> list[str]:
    """Return the lines of a long text: no other one has them in this order."""
    if own[0] != LONG:
        return []
    turn = crc32(own.encode()) % len(_LINES)
    return [_LINES[(turn + i) % len(_LINES)] for i in range(30)]


def is_of(found: Item, own: str) -> bool:
    """Return whether an item that was read back is whole: all that belongs to its word."""
    return all(getattr(found, name) == value for name, value in fields(own).items())


def word_of(found: Item) -> str:
    """Return the word of an item that was read back; empty if it is not whole."""
    own = found.content.partition(" ")[0]
    return own if own and is_of(found, own) else ""
