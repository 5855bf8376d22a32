"""What a home must hold once a step was acknowledged, in plain Python.

Knows texts, keys and files by what was asked for. Must not know how anything is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.model.item import Item, Kind, Person
from simonides.model.stored import EmbedderIdentity
from simonides_bench.crash import words
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.testing.hashing import HashingEmbedder

SPACE = "s"

HOME, OUT = "home", "out"
"""The folders below the root of a trial: the home, and where files from outside are and go."""

BULK_WORDS = 8_400
"""Words of a bulky text: with windows of four words it passes the 2,000 chunks from which a space
has an index snapshot (`view.snapshot.CHUNKS_MIN`)."""

_FILLER = 20_000_000
"""Where the words of bulky texts begin; no other text comes that far."""


class NarrowEmbedder(HashingEmbedder):
    """Reads four words at once, so that a short text makes many chunks."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What is stored with the vectors."""
        return replace(super().identity, model="testing-hash-narrow/1", window_words=4)


EMBEDDER = NarrowEmbedder(8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What holds: the words of items by id, erased words, keys, and files.

    `erased` words were erased completely: no byte of them may be in the home. `keys` says of each
    whole key whether it lets its bearer in. `copies` are backups and exports by path, with the
    items that each holds; `exact` are files by path with their whole content. Where
    `has_set_aside`, a repair may have set aside a file that holds erased words.
    """

    items: Mapping[str, str] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()
    keys: Mapping[str, bool] = field(default_factory=dict)
    copies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    exact: Mapping[str, bytes] = field(default_factory=dict)
    has_set_aside: bool = False

    def without(self, ids: tuple[str, ...]) -> "Facts":
        """Return the facts after items were erased."""
        gone = frozenset(word for one, word in self.items.items() if one in ids)
        kept = {one: word for one, word in self.items.items() if one not in ids}
        return replace(self, items=kept, erased=self.erased | gone)

    def with_items(self, items: Mapping[str, str]) -> "Facts":
        """Return the facts after items were added; what is said anew is no longer erased."""
        erased = self.erased - frozenset(items.values())
        return replace(self, items={**self.items, **items}, erased=erased)

    @property
    def all_words(self) -> frozenset[str]:
        """The words of everything that was ever kept."""
        return self.erased | frozenset(self.items.values())


def text_of(word: str) -> str:
    """Return the content of the item made from one word."""
    lines = [f"{word} at the {words.COMMON}."]
    if word.startswith(words.BULKY):
        lines += [words.word(_FILLER + n) for n in range(BULK_WORDS)]
    return "\n".join(lines)


def item_of(item_id: str, word: str) -> Item:
    """Return the item made from an id and a word; the word is also a person's name."""
    return Item(kind=Kind.DOCUMENT, id=item_id, language="en", title=f"About {word}",
                content=text_of(word), people=(Person(name=word.capitalize()),))  # fmt: skip


def word_of(found: Item) -> str:
    """Return the word of an item that was read back; empty if it is not whole."""
    word = found.content.partition(" ")[0]
    wanted = item_of(found.id, word) if word else None
    same = wanted is not None and (found.content, found.title) == (wanted.content, wanted.title)
    return word if same else ""


def open_memory(root: Path, **rest: Any) -> Memory:
    """Return the memory over the home below `root`."""
    settings = Settings(timezone="UTC", detect_language=False)
    return Memory(root / HOME, space=SPACE, settings=settings, embedder=EMBEDDER,
                  clock=SteadyClock(), **rest)  # fmt: skip
