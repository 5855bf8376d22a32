"""Proposals from JSON.

Must not know where the JSON came from: errors name the field, the door adds the place.
"""

from collections.abc import Mapping
from typing import Any

from simonides.codec.read import read_item
from simonides.errors import InvalidInput
from simonides.model.coercion import refuse_unknown
from simonides.model.item import MemoryTraits
from simonides.model.memories import ProposedMemory

_FIELDS = ("text", "evidence", "traits", "happened_at", "note")


def read_proposed(record: Any, *, timezone: str = "") -> ProposedMemory:
    """Return the proposed memory that a JSON object describes.

    `text` is what is to be remembered and `evidence` the ids of the items it was read out of;
    `traits`, `happened_at` and `note` may be left out. A time without a zone is in `timezone`.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    if not isinstance(record, Mapping):
        raise InvalidInput("proposal", f"must be an object, got {type(record).__name__}")
    refuse_unknown(record, _FIELDS)
    text, evidence = record.get("text"), record.get("evidence", [])
    if not isinstance(text, str):
        raise InvalidInput("text", f"must be text, got {type(text).__name__}")
    if not isinstance(evidence, list):
        raise InvalidInput("evidence", f"must be a list of ids, got {type(evidence).__name__}")
    given = {name: record[name] for name in ("traits", "happened_at") if record.get(name)}
    item = read_item({"title": "what is proposed", **given}, timezone=timezone)
    return ProposedMemory(
        text=text,
        evidence=tuple(evidence),
        traits=item.traits or MemoryTraits(),
        happened_at=item.happened_at,
        note=record.get("note") or "",
    )
