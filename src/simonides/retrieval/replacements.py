"""Which hits replace others: what was said later of the same thing, and says that it changed.

Two items that say the same of different times are one statement and its replacement only where the
later one says so ("moved to 8 May", "no longer"): without, it may as well add to the earlier one
(measured: docs/explanation/ranking.md). Knows hits; must not change their order or scores.
"""

from collections.abc import Mapping
from dataclasses import replace

from simonides.model.answer import Hit, Replacement
from simonides.text.change_words import says_changed


def with_replacements(
    hits: Mapping[int, Hit], stands_for: Mapping[int, tuple[int, ...]]
) -> dict[int, Hit]:
    """Return the hits by slot, with what each replaces and what it is replaced by.

    `stands_for` are the slots of what an item stands for in the ranking: of the same matter.
    """
    marked = dict(hits)
    for slot, others in stands_for.items():
        for other in others:
            if slot in marked and other in marked:
                _mark(marked, slot, other)
    return marked


def _mark(marked: dict[int, Hit], one: int, other: int) -> None:
    """Mark the later of two hits as the replacement of the earlier, if it says so."""
    times = {slot: marked[slot].item.happened_at for slot in (one, other)}
    old, new = sorted((one, other), key=lambda slot: (times[slot] is not None, times[slot]))
    later, earlier = marked[new], marked[old]
    if times[old] is None or not says_changed(f"{later.title} {later.passage}"):
        return
    before, after = earlier.replaced_by, _replacement(later)
    if before is None or before.happened_at < after.happened_at:
        marked[old] = replace(earlier, replaced_by=after)
    marked[new] = replace(later, replaces=(*later.replaces, _replacement(earlier)))


def _replacement(hit: Hit) -> Replacement:
    assert hit.item.happened_at is not None  # noqa: S101  undated items replace nothing
    return Replacement(id=hit.id, happened_at=hit.item.happened_at)
