"""Values of metadata in words."""

from collections.abc import Mapping
from typing import Any


def write_value(value: Any) -> str:
    """Return a value as people write it: `ann, bo`, `name: Ann; age: 3`, `yes`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {write_value(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(write_value, value))
    return "" if value is None else str(value)
