"""The statements of the lanes by name, and values as they take them.

Must not know what the statements mean.
"""

from collections.abc import Iterable
from typing import Any, cast

from simonides.storage import statements as layout

LANES = cast("dict[str, Any]", dict(layout.statements(__package__, "lanes.sql")))
"""Every statement of the lanes by name."""


MADE = (
    "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('lane_vectors') "
    "AND attname = 'embedding'"
)
"""Asks whether the server has pgvector, and so the lane its column of vectors."""


def as_halfvec(values: Iterable[int]) -> str:
    """Return a vector as pgvector reads it; whole numbers up to 2048 are kept exactly."""
    return f"[{','.join(map(str, values))}]"


_SIGNED = tuple(map(str, (*range(128), *range(-128, 0))))
"""The values of a kept vector by their bytes."""


def to_halfvec(vector: bytes) -> str:
    """Return a kept vector, a signed byte for each value, as pgvector reads it."""
    return f"[{','.join(map(_SIGNED.__getitem__, vector))}]"
