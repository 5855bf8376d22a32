"""What the integrations share: items by their source, and an item as a framework describes it."""

from typing import Any

from simonides import Item

NO_TEXT = "·"
"""The title, or the text, of what is kept without being found: an item must have one."""

PAGE = 1_000
"""Most items of one page, as `Memory` bounds them."""


def describe(item: Item) -> dict[str, Any]:
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
