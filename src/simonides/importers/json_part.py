"""One record of a JSON file, and what bounds it.

Must not know how it is read, nor what it means.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simonides.model.coercion import NESTED_MAX, is_nested_deeper

PART_BYTES_MAX = 64 << 20
"""Most bytes of one record; a longer one ends the reading, so that memory stays bounded."""

TOO_DEEP = f"nested deeper than {NESTED_MAX} levels"
"""Why a record is passed over whose lists and objects lie too deep in each other."""

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
