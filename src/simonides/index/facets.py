"""Facet keys of items: tags, entities by role, and names."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from simonides.entities.directory import Words, name_words
from simonides.index.columns import tags_of
from simonides.index.postings import Segment, build
from simonides.model.item import Role
from simonides.model.stored import EntityKind
from simonides.ports.space import ItemRow, MentionRow
from simonides.text.terms import term_key
from simonides.text.unicode_version import fold_case


def tag_key(tag: str) -> int:
    """Return the key of items with a tag, letter case ignored."""
    return term_key(f"tag\x1f{fold_case(tag)}")


def entity_key(entity: str) -> int:
    """Return the key of items that mention an entity in any role."""
    return term_key(f"entity\x1f{entity}")


def author_key(entity: str) -> int:
    """Return the key of items that an entity wrote or said."""
    return term_key(f"author\x1f{entity}")


def shared_key() -> int:
    """Return the key of items that several wrote: they are nobody's own words."""
    return term_key("author\x1f")


def part_key(entity: str) -> int:
    """Return the key of items in which an entity takes part, as author, recipient or attendee."""
    return term_key(f"part\x1f{entity}")


def assignee_key(entity: str = "") -> int:
    """Return the key of items assigned to an entity; without one, to anybody."""
    return term_key(f"assignee\x1f{entity}")


def name_key(entity: str, name: Words) -> int:
    """Return the key of items that name a person by this whole name."""
    return term_key("\x1f".join(("name", entity, *name)))


def facet_segment(
    rows: Sequence[ItemRow], mentions: Iterable[MentionRow], *, first: int
) -> Segment:
    """Return the facet postings of items `rows` (slots from `first`) with their `mentions`."""
    named = list(mentions)
    shared = _shared_items(named)
    tags = [
        [*map(tag_key, tags_of(row)), *([shared_key()] if row.key in shared else ())]
        for row in rows
    ]
    own = [_mention_keys(one.entity, one.kind, one.name, one.role) for one in named]
    keys = np.array([row.key for row in rows], dtype=np.int64)
    slots = np.searchsorted(keys, np.array([one.item_key for one in named], dtype=np.int64))
    counts = np.array([*map(len, tags), *map(len, own)], dtype=np.int64)
    owners = np.concatenate((np.arange(len(rows)), slots)).astype(np.uint32) + np.uint32(first)
    pairs = np.fromiter(chain(*tags, *own), dtype=np.uint64, count=int(counts.sum()))
    return _segment(pairs, np.repeat(owners, counts), first=first, stop=first + len(rows))


def _shared_items(mentions: Iterable[MentionRow]) -> set[int]:
    """Return the keys of the items that several people wrote."""
    authors = {(one.item_key, one.entity) for one in mentions if one.role == Role.AUTHOR}
    counted = Counter(key for key, _ in authors)
    return {key for key, count in counted.items() if count > 1}


@lru_cache(maxsize=1 << 14)
def _mention_keys(entity: str, kind: str, name: str, role: str) -> tuple[int, ...]:
    keys = [entity_key(entity)]
    if kind == EntityKind.PERSON:
        keys.append(name_key(entity, name_words(name)))
    if role != Role.MENTIONED:
        keys.append(part_key(entity))
    if role == Role.AUTHOR:
        keys.append(author_key(entity))
    if role == Role.ASSIGNEE:
        keys += [assignee_key(entity), assignee_key()]
    return tuple(keys)


def forget_names() -> None:
    """Clear the name cache of this process; only speed is lost."""
    _mention_keys.cache_clear()


def _segment(
    by_key: npt.NDArray[np.uint64], by_slot: npt.NDArray[np.uint32], *, first: int, stop: int
) -> Segment:
    """Return the segment of pairs of key and slot, each pair once."""
    order = np.lexsort((by_slot, by_key))
    by_key, by_slot = by_key[order], by_slot[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (by_key[1:] != by_key[:-1]) | (by_slot[1:] != by_slot[:-1])
    return build(
        first=first,
        stop=stop,
        keys=by_key[fresh],
        docs=by_slot[fresh],
        counts=np.ones(int(fresh.sum()), dtype=np.uint8),
    )
