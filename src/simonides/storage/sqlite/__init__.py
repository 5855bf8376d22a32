"""Spaces as SQLite files, one each, through apsw.

Must not be imported before a space is needed: it loads SQLite.
"""

from simonides.storage.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]
