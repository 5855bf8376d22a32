"""All items of a memory that pass a filter, page by page. Must not know what they are for."""

from collections.abc import Iterator

from simonides.api.memory import Memory
from simonides.model.bounds import LIMIT
from simonides.model.filter import FilterLike
from simonides.model.item import Item


def each_item(
    memory: Memory, wanted: FilterLike | None = None, *, as_of: int | None = None
) -> Iterator[Item]:
    """Yield the items that pass a filter, newest first."""
    cursor = ""
    while True:
        page = memory.list(filter=wanted, limit=LIMIT.high, cursor=cursor, as_of=as_of)
        yield from page.items
        cursor = page.cursor
        if not cursor:
            return
