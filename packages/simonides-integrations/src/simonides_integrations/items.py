"""What the integrations share: bounds, what a text asks, and how an item is described."""

from typing import Any

from simonides import Item

NO_TEXT = "·"
"""The title, or the text, of what is kept without being found: an item must have one."""

PAGE = 1_000
"""Most items of one page, as `Memory` bounds them."""

QUESTION_CHARS = 8_000
"""Most characters of a text that are asked, as the server does with messages."""


def question_of(text: str) -> str:
    """Return the question of a text, without blanks around it: of a longer text the end.

    Frameworks ask with whatever a user or a model wrote: what is pasted into it stands before.
    """
    return text.strip()[-QUESTION_CHARS:].strip()


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
