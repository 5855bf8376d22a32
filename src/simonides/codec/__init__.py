"""Records to JSON and back, in one form for all interfaces. Knows types, and no interface.

Writing and schemas know every record, and are loaded when they are first used (`codec.write`).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.codec import schema as schema
    from simonides.codec import write as write

LOADED_WHEN_USED = frozenset(("schema", "write"))


def __getattr__(name: str) -> object:
    """Return a module of this room, loaded now."""
    if name not in LOADED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
