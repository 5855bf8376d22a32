"""One record of a JSON file, and what bounds it.

Must not know how it is read, nor what it means.
"""

import json
from dataclasses import dataclass
from typing import Any

from simonides.model.coercion import NESTED_MAX, is_nested_deeper

PART_BYTES_MAX = 64 << 20
"""Most bytes of one record; a longer one ends the reading, so that memory stays bounded."""

TOO_DEEP = f"nested deeper than {NESTED_MAX} levels"
"""Why a record is passed over whose lists and objects lie too deep in each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """One record, or why there is none at `place`."""

    value: Any = None
    place: str = ""
    problem: str = ""
    bytes_done: int = 0


def loaded(text: str | bytes) -> Any:
    """Return the value of a JSON text that a stranger may have written.

    Raises:
        ValueError: It is malformed, or nested too deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:  # at a depth that differs from one Python to another
        raise ValueError(TOO_DEEP) from None
    if is_nested_deeper(value, NESTED_MAX):
        raise ValueError(TOO_DEEP)
    return value
