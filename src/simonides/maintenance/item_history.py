"""The versions of an item: their changes, why each ended, and restoring one.

Knows how versions follow each other. Must not know how they are stored.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise

from simonides.errors import InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import keep
from simonides.model.item import Item, MemoryTraits, Status
from simonides.model.maintenance import Cause, Version
from simonides.ports.maintenance import VersionRow

_SET_BY_STORE = frozenset({"stored_at", "revision", "version"})
_FIELDS = tuple(one.name for one in fields(Item) if one.name not in _SET_BY_STORE)
_TRAITS = tuple(one.name for one in fields(MemoryTraits))


def history(item_id: str, opened: OpenSpace) -> tuple[Version, ...]:
    """Return every stored version of an item, oldest first.

    Raises:
        NotFound: Nothing is kept of such an item.
    """
    rows = _versions(item_id, opened)
    nexts: list[VersionRow | None] = [*rows[1:], None]
    changes = [(), *(list_changes(a.item, b.item) for a, b in pairwise(rows))]
    return tuple(
        _version(row, after, names) for row, after, names in zip(rows, nexts, changes, strict=True)
    )


def _versions(item_id: str, opened: OpenSpace) -> Sequence[VersionRow]:
    space = opened.find_of_any_embedder()
    if space is None:
        raise NotFound("item", item_id)
    with space.read() as reader:
        rows = reader.versions(item_id)
    if not rows:
        raise NotFound("item", item_id)
    return rows


def list_changes(before: Item, after: Item) -> tuple[str, ...]:
    """Return the names of the fields in which two versions differ, those of traits by their own."""
    names = []
    for name in _FIELDS:
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        if isinstance(old, MemoryTraits) and isinstance(new, MemoryTraits):
            names += [f"traits.{t}" for t in _TRAITS if getattr(old, t) != getattr(new, t)]
        else:
            names.append(name)
    return tuple(names)


def restore(item_id: str, opened: OpenSpace, *, version: int | None) -> Item:
    """Store an earlier version of an item as its newest one and return that.

    Terms and vectors are made anew: they are those of the same words, by the rules of today.

    Raises:
        NotFound: Nothing is kept of such an item, or of that version of it.
        Conflict: It was changed meanwhile; nothing was written.
        InvalidInput: The item is present and no version was named.
    """
    rows = _versions(item_id, opened)
    chosen = _choose(rows, item_id, version=version)
    present = rows[-1].item.version if rows[-1].died is None else 0
    item = replace(chosen.item, stored_at=None, revision=0, version=0)
    keep([item], opened, expected={item_id: present})
    with opened.space.read() as reader:
        kept = reader.item(item_id)
    if kept is None:
        raise NotFound("item", item_id)
    return kept


def _choose(rows: Sequence[VersionRow], item_id: str, *, version: int | None) -> VersionRow:
    if version is None:
        if rows[-1].died is None:
            there = f"item {item_id!r} is present as version {rows[-1].item.version}"
            raise InvalidInput("version", f"{there}; name the one to go back to")
        return rows[-1]
    found = [row for row in rows if row.item.version == version]
    if not found:
        kept = ", ".join(str(row.item.version) for row in rows)
        raise NotFound("version", f"{version} of {item_id}; kept are {kept}")
    return found[-1]


def _version(row: VersionRow, after: VersionRow | None, names: Sequence[str]) -> Version:
    item = row.item
    if item.stored_at is None:
        raise ValueError(f"version {item.version} of {item.id!r} says no time")
    return Version(
        version=item.version,
        born=item.revision,
        born_at=item.stored_at,
        died=row.died,
        died_at=row.died_at,
        cause=_cause(row, after),
        changed=tuple(names),
        item=item,
    )


def _cause(row: VersionRow, after: VersionRow | None) -> Cause | None:
    """Return why a version ended; only the next version knows what it did to this one."""
    if row.died is None:
        return None
    if row.cause == Cause.REPLACED and (after is None or after.item.revision != row.died):
        return Cause.WITHDRAWN
    says_so = after is not None and _is_superseded(after.item) and not _is_superseded(row.item)
    return Cause.SUPERSEDED if says_so and row.cause == Cause.REPLACED else Cause(row.cause)


def _is_superseded(item: Item) -> bool:
    return item.traits is not None and item.traits.status is Status.SUPERSEDED
