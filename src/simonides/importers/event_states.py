"""What a mailed state of an event may change: who may send it, and which times it keeps.

Knows how events name their makers and how a mail's copy names its sender. Must not know the store,
nor calendars. The sender of a mail is who its `From` says: whoever can forge that is not kept out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from simonides.model.event_makers import addresses, senders
from simonides.model.item import Item, Kind, derive_id
from simonides.model.metadata_keys import SENT_BY_KEY, TIME_ZONE_KEY

NO_TITLE = "(no title)"
"""Title of an entry without a summary."""

_TIMES = (
    "starts_at", "ends_at", "all_day", TIME_ZONE_KEY, "location",
    "_recurrence", "_recurrence_problem", "_recurrence_id", "_zone_rules", "_time_zone",
)  # fmt: skip
"""What a cancellation need not repeat."""


def describe_sender(mail: Item) -> dict[str, list[str]]:
    """Return the metadata by which an event that came with this mail names its sender."""
    return {SENT_BY_KEY: sorted(addresses(mail))}


def ids_ruled(item: Item) -> Iterator[str]:
    """Yield the ids of the events that a state changes: its own, and that of its series."""
    yield item.id
    uid = item.metadata.get("_uid")
    if isinstance(uid, str) and uid and uid != item.source_id:
        yield derive_id(replace(item, id="", source_id=uid))


def refusal(item: Item, makers: frozenset[str]) -> str:
    """Return why a mailed state of an event of others is not kept."""
    by = ", ".join(sorted(senders(item) or ())) or "an unknown sender"
    return f"an invitation by {by} for an event of {', '.join(sorted(makers)) or 'nobody else'}"


def lacks_times(item: Item) -> bool:
    """Return whether the item cancels a whole event without saying when that was to be."""
    stated = item.metadata
    return item.kind is Kind.EVENT and stated.get("status") == "cancelled" and not (
        stated.get("starts_at") or stated.get("_recurrence_id")
    )  # fmt: skip


def with_times(item: Item, earlier: Item) -> Item:
    """Return a cancellation with the times and the place of the state before it."""
    kept: Mapping[str, Any] = earlier.metadata
    first, _, rest = item.content.partition("\n")
    said = earlier.content.partition("\n")[0]
    if said.startswith("When: ") and first == "Cancelled":
        first = f"Cancelled; it was to be on {said.removeprefix('When: ')}"
    return replace(
        item,
        title=earlier.title if item.title == NO_TITLE else item.title,
        content=f"{first}\n{rest}" if rest else first,
        happened_at=earlier.happened_at,
        metadata={name: kept[name] for name in _TIMES if name in kept} | dict(item.metadata),
    )
