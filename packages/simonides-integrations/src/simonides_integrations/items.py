"""What the integrations share: bounds, what a text asks, whose an item is, how it is described."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from simonides import Item, Memory
from simonides.errors import InvalidInput, NotFound

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


def own_ids(memory: Memory, ids: Iterable[str], *, source: str) -> list[str]:
    """Return those of these ids under which an item of this source is kept."""
    return [one for one, found in _sources(memory, ids) if found == source]


def ids_to_replace(memory: Memory, ids: Iterable[str], *, source: str) -> list[str]:
    """Return those of these ids under which an item of this source is kept, and none of another.

    The ids of a space are for all sources.

    Raises:
        InvalidInput: An item of another source has one of these ids.
    """
    kept = list(_sources(memory, ids))
    for one, found in kept:
        if found != source:
            problem = f"an item of source {found!r} has the id {one!r}; take another"
            raise InvalidInput("ids", problem)
    return [one for one, _ in kept]


def _sources(memory: Memory, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the ids under which an item is kept, each with its source."""
    for one in dict.fromkeys(ids):
        with suppress(NotFound):
            yield one, memory.get(one).source


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
