"""Change some fields of an item: a read and a write that rests on it, and no update is lost.

The version that was read must still be present when its successor is committed. Where another
was written meanwhile, the change is made anew on top of that one.
"""

from collections.abc import Mapping
from typing import Any

from simonides.errors import Conflict, InvalidInput, NotFound, StoreBusy
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import keep
from simonides.model.compose import recompose
from simonides.model.item import Item
from simonides.ports.space import Space

TRIES_MAX = 100
"""How often a change is made anew because others were faster; each time one of them got through."""


def change(
    item_id: str,
    fields: Mapping[str, Any],
    opened: OpenSpace,
    *,
    if_version: int | None = None,
) -> Item:
    """Return the item with some fields replaced, as it was committed; the same where nothing is.

    Raises:
        NotFound: No item has that id.
        Conflict: Another version is present than `if_version`; nothing was written.
        StoreBusy: Others changed it again and again.
        InvalidInput: A field is unknown, fixed or out of range.
    """
    _check_version(if_version)
    space = opened.find()
    if space is None:
        raise NotFound("item", item_id)
    for _ in range(TRIES_MAX):
        present = _present(item_id, space)
        if if_version is not None and present.version != if_version:
            raise Conflict(item_id, expected=if_version, found=present.version)
        changed = recompose(present, **fields)
        if changed == present:
            return present
        try:
            return _replaced(present, changed, opened)
        except Conflict:
            if if_version is not None:
                raise
    raise StoreBusy(f"item {item_id!r} was changed by others {TRIES_MAX} times meanwhile; retry")


def _present(item_id: str, space: Space) -> Item:
    with space.read() as reader:
        found = reader.item(item_id)
    if found is None:
        raise NotFound("item", item_id)
    return found


def _replaced(present: Item, changed: Item, opened: OpenSpace) -> Item:
    """Commit a successor of what is present and return it as it was kept."""
    keep([changed], opened, expected={present.id: present.version})
    with opened.space.read() as reader:
        kept = reader.version(present.id, present.version + 1) or reader.item(present.id)
    if kept is None:
        raise NotFound("item", present.id)
    return kept


def _check_version(version: int | None) -> None:
    if version is None:
        return
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput("if_version", f"must be a whole number from 1 on, got {version!r}")
