"""Spaces as SQLite files, one each, through apsw.

Must not be imported before a space is needed: it loads SQLite. What only maintenance needs is
loaded when that is first used (`sqlite.repair.repair`).
"""

from typing import TYPE_CHECKING

from simonides.lazy_modules import load_when_used
from simonides.storage.sqlite.store import SQLiteStore

if TYPE_CHECKING:
    from simonides.storage.sqlite import backup as backup
    from simonides.storage.sqlite import compaction as compaction
    from simonides.storage.sqlite import delete_space as delete_space
    from simonides.storage.sqlite import erase as erase
    from simonides.storage.sqlite import integrity as integrity
    from simonides.storage.sqlite import repair as repair

__all__ = ["SQLiteStore"]

LOADED_WHEN_USED = frozenset(
    ("backup", "compaction", "delete_space", "erase", "integrity", "repair")
)  # fmt: skip

__getattr__ = load_when_used(__name__, LOADED_WHEN_USED)
