"""How many empty check boxes a note has, in its metadata: what tells a list of what is to do.

Knows the text of an item. Must not know where it came from, nor what asks for it.
"""

from dataclasses import replace

from simonides.model.item import Item, Kind
from simonides.model.metadata_keys import OPEN_TASKS_KEY
from simonides.text.markdown import list_open_boxes


def count_open_tasks(item: Item) -> Item:
    """Return a note (a memory or document) with the number of its empty check boxes."""
    if OPEN_TASKS_KEY in item.metadata:  # a file may say its own
        return item
    count = _count(item)
    return replace(item, metadata={**item.metadata, OPEN_TASKS_KEY: count}) if count else item


def drop_count(item: Item) -> Item:
    """Return an item without the number of its empty check boxes, as its text may change."""
    if OPEN_TASKS_KEY not in item.metadata or item.metadata[OPEN_TASKS_KEY] != _count(item):
        return item
    others = {name: one for name, one in item.metadata.items() if name != OPEN_TASKS_KEY}
    return replace(item, metadata=others)


def _count(item: Item) -> int:
    is_note = item.kind in (Kind.MEMORY, Kind.DOCUMENT)
    return len(list_open_boxes(item.content)) if is_note else 0
