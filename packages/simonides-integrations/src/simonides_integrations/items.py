"""What the integrations share: bounds, what a text asks, whose an item is, how it is described."""

from collections.abc import Iterable
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
    sources = {one: _source(memory, one) for one in ids}
    return [one for one, found in sources.items() if found == source]


def check_not_others(memory: Memory, ids: Iterable[str], *, source: str) -> None:
    """Refuse to write over an item of another source: the ids of a space are for all of them.

    Raises:
        InvalidInput: An item of another source has one of these ids.
    """
    for one in ids:
        found = _source(memory, one)
        if found not in (None, source):
            problem = f"an item of source {found!r} has the id {one!r}; take another"
            raise InvalidInput("ids", problem)


def _source(memory: Memory, name: str) -> str | None:
    try:
        return memory.get(name).source
    except NotFound:
        return None


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
