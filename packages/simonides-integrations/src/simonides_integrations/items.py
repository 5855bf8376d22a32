"""What the integrations share: items by their source, and an item as a framework describes it."""

from collections.abc import Iterator
from typing import Any

from simonides import FilterLike, Item, Memory

NO_TEXT = "·"
"""The title, or the text, of what is kept without being found: an item must have one."""

PAGE = 1_000
"""Most items of one page, as `Memory` bounds them."""


def each_item(memory: Memory, wanted: FilterLike, *, as_of: int | None = None) -> Iterator[Item]:
    """Yield the items that pass a filter, newest first, page by page."""
    cursor = ""
    while True:
        page = memory.list(filter=wanted, limit=PAGE, cursor=cursor, as_of=as_of)
        yield from page.items
        cursor = page.cursor
        if not cursor:
            return


def described(item: Item) -> dict[str, Any]:
    """Return the fields of an item beside its text that are not empty."""
    fields = {
        "title": item.title,
        "kind": item.kind.value,
        "source": item.source,
        "author": item.author.name or item.author.address if item.author else "",
        "happened_at": item.happened_at.isoformat() if item.happened_at else "",
        **item.metadata,
    }
    return {name: value for name, value in fields.items() if value and not name.startswith("_")}
