"""The SQLite store's statements, by name.

Must not know what the statements mean.
"""

from collections.abc import Mapping
from types import MappingProxyType

from simonides.storage import statements as layout

_LOADED = layout.load(__package__, "queries.sql")

QUERIES: Mapping[str, str] = MappingProxyType({n: sql for n, (sql, _) in _LOADED.items()})
"""Every statement on the present by name."""

DESCRIPTIONS: Mapping[str, str] = MappingProxyType({n: said for n, (_, said) in _LOADED.items()})
"""What each statement returns or does, by name."""

STATEMENTS = layout.all_statements(__package__)
"""Every statement that a transaction runs by name; those of views as `past.items`."""


def statements(file: str) -> Mapping[str, str]:
    """Return the statements of one file by name."""
    return layout.statements(__package__, file)


DUMP = statements("dump.sql")
"""Those of an export."""
