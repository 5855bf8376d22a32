"""The composition root and the public classes: the only room that picks adapters.

Its modules are loaded when they are first used (`api.asking.search`), so that a command that only
counts items waits neither for the assistant nor for NumPy.
"""

from typing import TYPE_CHECKING

from simonides.lazy_modules import load_when_used

if TYPE_CHECKING:
    from simonides.api import agenda as agenda
    from simonides.api import aio as aio
    from simonides.api import asking as asking
    from simonides.api import background as background
    from simonides.api import briefs as briefs
    from simonides.api import chat as chat
    from simonides.api import entities as entities
    from simonides.api import keys as keys
    from simonides.api import maintenance as maintenance
    from simonides.api import memories as memories
    from simonides.api import owner as owner
    from simonides.api import surrogates as surrogates
    from simonides.api import threads as threads
    from simonides.api import transfer as transfer
    from simonides.api import versions as versions
    from simonides.api import writing as writing

LOADED_WHEN_USED = frozenset(
    ("agenda", "aio", "asking", "background", "briefs", "chat", "entities", "keys", "maintenance",
     "memories", "owner", "surrogates", "threads", "transfer", "versions", "writing")
)  # fmt: skip

__getattr__ = load_when_used(__name__, LOADED_WHEN_USED)
