"""All that a space serves through the public API, as text: no flipped bit may change it unseen.

Must not know what the space should hold.
"""

import io
from collections.abc import Callable, Mapping, Sequence

from simonides.api.memory import Memory
from simonides.model.item import Item
from simonides_bench.crash import words

ITEMS_MAX = 1_000
"""More items than any trial keeps."""


def list_answers(memory: Memory, *, receipts: Sequence[str]) -> Mapping[str, str]:
    """Return every answer that a space gives, by the verb that gives it.

    Raises:
        SimonidesError: The space cannot answer, and says so.
    """
    items = tuple(memory.list(limit=ITEMS_MAX).items)
    answers: dict[str, Callable[[], object]] = {
        "list": lambda: items,
        "history": lambda: _of_each(items, memory.history),
        "engagement": lambda: _of_each(items, memory.engagement),
        "surrogates": lambda: _of_each(items, memory.surrogates.get),
        "search": lambda: memory.search(words.COMMON, limit=ITEMS_MAX).hits,
        "brief": lambda: memory.brief(words.COMMON).text,
        "entities": lambda: memory.entities(limit=ITEMS_MAX),
        "proposals": memory.proposals.list,
        "receipts": lambda: [memory.replay(one).text for one in receipts],
        "export": lambda: _export(memory),
    }
    return {verb: repr(answer()) for verb, answer in answers.items()}


def _of_each(items: Sequence[Item], verb: Callable[[str], object]) -> list[object]:
    return [verb(one.id) for one in items]


def _export(memory: Memory) -> bytes:
    """Return every line of an export: backgrounds, receipts, the archive, and all times."""
    stream = io.BytesIO()
    memory.export(stream)
    return stream.getvalue()
