"""What a space holds, read through the store and the public API, in the terms of the model.

Must not know what it should hold.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import NotFound
from simonides.model.item import Item
from simonides.ports.models import Clock
from simonides.ports.space import Reader
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.crash import words
from simonides_bench.crash.state import State
from simonides_bench.testing.hashing import HashingEmbedder

SPACE = "s"
"""The space of every trial."""

EMBEDDER = HashingEmbedder(32)

NOT_WHOLE = "(not whole)"
"""Stands for the word of an item whose parts do not belong together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is there: (version, word) by id, earlier versions by (id, version), and what is beside.

    `births` are the revisions of present items by id; `receipts` the ids of those that are kept.
    """

    present: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    births: Mapping[str, int] = field(default_factory=dict)
    archive: Mapping[tuple[str, int], str] = field(default_factory=dict)
    engaged: Mapping[str, int] = field(default_factory=dict)
    backgrounds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    receipts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for besides what is present: all that there might be."""

    states: tuple[State, ...]
    collections: tuple[str, ...]
    receipts: tuple[str, ...] = ()

    @property
    def versions(self) -> set[tuple[str, int]]:
        """Every (id, version) that one of the states knows."""
        present = {
            (one, kept.version) for state in self.states for one, kept in state.present.items()
        }
        return present.union(*(state.archive for state in self.states))


def open_memory(home: Path, *, durability: str = "full", clock: Clock | None = None) -> Memory:
    """Return the memory of a trial."""
    settings = Settings(timezone="UTC", durability=durability, detect_language=False)
    return Memory(home, space=SPACE, settings=settings, embedder=EMBEDDER, clock=clock)


def read_found(home: Path, wanted: Wanted) -> Found:
    """Return what the space of a home holds; nothing where there is no space.

    Raises:
        StoreError: It cannot be read.
    """
    store = SQLiteStore(home)
    try:
        with store.open_any(SPACE).read() as reader:
            return _read(reader, wanted)
    except NotFound:
        return Found()
    finally:
        store.close()


def _read(reader: Reader, wanted: Wanted) -> Found:
    keys = {row.id: row.key for row in reader.item_rows(0)}
    items = {one.id: one for one in reader.items(list(keys.values())).values()}
    ids = {one for one, _ in wanted.versions} | set(keys)
    engaged = reader.engagements(sorted(ids))
    return Found(
        present={one: (items[one].version, _word(items.get(one))) for one in keys},
        births={one: items[one].revision for one in keys},
        archive=_archive(reader, wanted.versions, present=items),
        engaged={one: engagement.count for one, engagement in engaged.items()},
        backgrounds={one: _backgrounds(reader, one) for one in wanted.collections},
        receipts=frozenset(one for one in wanted.receipts if reader.receipt(one) is not None),
    )


def _word(item: Item | None) -> str:
    return (item and words.word_of(item)) or NOT_WHOLE


def _archive(
    reader: Reader, versions: Iterable[tuple[str, int]], *, present: Mapping[str, Item]
) -> dict[tuple[str, int], str]:
    """Return the words of those versions that are kept and not present."""
    archived = {}
    for item_id, number in versions:
        if item_id in present and present[item_id].version == number:
            continue
        item = reader.version(item_id, number)
        if item is not None:
            archived[item_id, number] = _word(item)
    return archived


def _backgrounds(reader: Reader, collection: str) -> frozenset[str]:
    shown = reader.backgrounds(collection, limit=1000)
    return frozenset(one.text.split()[0] for one, _terms in shown)
