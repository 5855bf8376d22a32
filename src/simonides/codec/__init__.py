"""Records to JSON and back, in one form for all interfaces. Knows types, and no interface.

Writing and schemas know every record, and are loaded when they are first used (`codec.write`).
"""

from typing import TYPE_CHECKING

from simonides.lazy_modules import load_when_used

if TYPE_CHECKING:
    from simonides.codec import schema as schema
    from simonides.codec import write as write

LOADED_WHEN_USED = frozenset(("schema", "write"))

__getattr__ = load_when_used(__name__, LOADED_WHEN_USED)
