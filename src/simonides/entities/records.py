"""Name records: what the owner says of an entity's names, kept as an ordinary item.

A record names one entity, how it is shown, what else it is called, and which other entities are the
same. Being an item, it has versions, is exported, erased and asked for as of a time like any other;
searches leave it out unless its source is asked for. Must not know how items are kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from simonides.model.item import Item, Kind, Role
from simonides.model.stored import EntityKind, Mention

SOURCE, COLLECTION = "entity", "entities"
"""The source and the collection of the items that name records are kept as."""

NAMES_KEY, SAME_KEY = "_names", "_same"
"""The metadata keys of a record: its names, the shown one first, and the ids that are the same."""

_KINDS = frozenset(kind.value for kind in EntityKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRecord:
    """The names of an entity, the shown one first, and the ids of entities that are the same."""

    entity: str
    names: tuple[str, ...]
    same: tuple[str, ...] = ()


def record_item(record: NameRecord) -> Item:
    """Return the item that keeps a record; one that is written anew is its next version."""
    shown, *others = record.names
    called = f"also called {', '.join(others)}" if others else ""
    same = f"the same as {', '.join(record.same)}" if record.same else ""
    return Item(
        kind=Kind.DOCUMENT,
        source=SOURCE,
        source_id=record.entity,
        collection=COLLECTION,
        title=shown,
        content="; ".join(filter(None, (record.entity, called, same))),
        metadata={NAMES_KEY: list(record.names), SAME_KEY: list(record.same)},
    )


def record_id(entity: str) -> str:
    """Return the id of the item that keeps an entity's record."""
    return Item(source=SOURCE, source_id=entity, content="-").id


def is_record(item: Item) -> bool:
    """Return whether an item keeps a name record."""
    return item.source == SOURCE and item.collection == COLLECTION


def record_of(item: Item) -> NameRecord | None:
    """Return the record that an item keeps; None if it is none, or malformed."""
    names = _texts(item.metadata.get(NAMES_KEY))
    if not is_record(item) or kind_of(item.source_id) is None or not names:
        return None
    same = [one for one in _texts(item.metadata.get(SAME_KEY)) if kind_of(one) is not None]
    return NameRecord(entity=item.source_id, names=tuple(names), same=tuple(same))


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def kind_of(entity: str) -> EntityKind | None:
    """Return the kind of an entity by its id; None if it is no id."""
    kind, _, own = entity.partition(":")
    return EntityKind(kind) if kind in _KINDS and own else None


def record_mentions(item: Item) -> tuple[Mention, ...]:
    """Return a record's mentions: its entity by each name, and those that are the same."""
    record = record_of(item)
    if record is None:
        return ()
    pairs = [
        *((record.entity, name) for name in record.names),
        *((one, one) for one in record.same),
    ]
    return tuple(sorted(_mentions(pairs), key=lambda one: (one.entity, one.role, one.name)))


def _mentions(pairs: Iterable[tuple[str, str]]) -> Iterable[Mention]:
    for entity, name in dict.fromkeys(pairs):
        kind = kind_of(entity)
        if kind is not None:
            called = name.partition(":")[2].lstrip("~") if name == entity else name
            yield Mention(entity=entity, kind=kind, name=called, role=Role.MENTIONED)
