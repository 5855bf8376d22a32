"""One record of a JSON file, and what bounds it.

Must not know how it is read, nor what it means.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PART_BYTES_MAX = 64 << 20
"""Most bytes of one record; a longer one ends the reading, so that memory stays bounded."""

FIELDS_MAX = 200
"""Most plain fields of an object that are kept for its list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One record, or why there is none at `place`."""

    value: Any = None
    place: str = ""
    problem: str = ""
    bytes_done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoped:
    """One record of a list, and the fields beside the list by dotted name: `channel.name`."""

    value: Any
    scope: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)
