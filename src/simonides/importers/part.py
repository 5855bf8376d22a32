"""One record of an export, or why it cannot be read.

Must not know a format.
"""

from dataclasses import dataclass
from typing import Any

PART_BYTES_MAX = 64 << 20
"""Most bytes of one record; a longer one ends the reading, so that memory stays bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One record, or why there is none at `place`."""

    value: Any = None
    place: str = ""
    problem: str = ""
    bytes_done: int = 0
