"""Which hits replace others: what was said later of the same thing, and says that it changed.

Two items that say the same of different times are one statement and its replacement only where the
later one says so ("moved to 8 May", "no longer"): without, it may as well add to the earlier one
(measured: docs/explanation/ranking.md). Knows hits; must not change their order or scores.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from simonides.model.answer import Hit, Replacement
from simonides.model.item import Kind
from simonides.text.questions import says_changed
from simonides.text.statements import tells_own_change


def with_replacements(
    hits: Mapping[int, Hit], stands_for: Mapping[int, tuple[int, ...]]
) -> dict[int, Hit]:
    """Return the hits by slot, with what each replaces and what it is replaced by.

    `stands_for` are the slots of what an item stands for in the ranking: of the same matter.
    """
    marked = dict(hits)

    @cache
    def replaces(slot: int) -> bool:
        hit = hits[slot]
        if says_changed(f"{hit.title} {hit.passage}"):
            return True
        return hit.item.kind == Kind.MEMORY and tells_own_change(hit.item.content)

    for slot, others in stands_for.items():
        for other in others if slot in marked else ():
            if other in marked:
                old, new = _by_time(slot, other, hits)
                if hits[old].item.happened_at is not None and replaces(new):
                    _mark(marked, old, new)
    return marked


def _by_time(one: int, other: int, hits: Mapping[int, Hit]) -> tuple[int, int]:
    """Return the slots of two hits, the earlier one first; undated ones are before all others."""
    times = [(hits[slot].item.happened_at, slot) for slot in (one, other)]
    old, new = sorted(times, key=lambda at: (at[0] is not None, at[0]))
    return old[1], new[1]


def _mark(marked: dict[int, Hit], old: int, new: int) -> None:
    later, earlier = marked[new], marked[old]
    before, after = earlier.replaced_by, _replacement(later)
    if before is None or before.happened_at < after.happened_at:
        marked[old] = replace(earlier, replaced_by=after)
    marked[new] = replace(later, replaces=(*later.replaces, _replacement(earlier)))


def _replacement(hit: Hit) -> Replacement:
    assert hit.item.happened_at is not None  # noqa: S101  undated items replace nothing
    return Replacement(id=hit.id, happened_at=hit.item.happened_at)
