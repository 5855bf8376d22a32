"""Readers of every file format: `read(path)` turns whatever lies there into items, in a stream.

Know the formats, `model` and `text`. Must not know a store, an index or an embedder: they only
hand out items, which derive their ids from source and source id, so reading twice is harmless.
"""

from simonides.importers.formats import detect
from simonides.importers.run import read
from simonides.ports.importer import ImportEvent

__all__ = ["ImportEvent", "detect", "read"]
