"""Where spaces are kept: one package per backend, each an adapter of `ports.SpaceStore`.

What a space does besides being read is loaded when it is first used (`storage.writer.run`), so that
a search waits for none of it.
"""

from typing import TYPE_CHECKING

from simonides.lazy_modules import load_when_used

if TYPE_CHECKING:
    from simonides.storage import compaction as compaction
    from simonides.storage import dump as dump
    from simonides.storage import erase as erase
    from simonides.storage import leases as leases
    from simonides.storage import proposals as proposals
    from simonides.storage import requests as requests
    from simonides.storage import restore_export as restore_export
    from simonides.storage import side_tables as side_tables
    from simonides.storage import writer as writer

LOADED_WHEN_USED = frozenset(
    ("compaction", "dump", "erase", "leases", "proposals", "requests", "restore_export",
     "side_tables", "writer")
)  # fmt: skip

__getattr__ = load_when_used(__name__, LOADED_WHEN_USED)
