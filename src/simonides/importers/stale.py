"""Parts that a file no longer has: the last pages of a document that became shorter.

Knows which parts of which files were read. Must not know a format.
"""

from collections.abc import Container
from dataclasses import dataclass, field

from simonides.importers.file_item import session_of
from simonides.index.open_space import OpenSpace
from simonides.ports.importer import ImportEvent


@dataclass(slots=True, kw_only=True)
class PartsRead:
    """The files of one import that may have several parts, and those that were not read whole.

    `source` is what their items have where none was read.
    """

    source: str
    _sources: dict[str, str] = field(default_factory=dict)
    _broken: set[str] = field(default_factory=set)

    def add(self, step: ImportEvent) -> None:
        """Note one step of the import."""
        item = step.item
        if step.empty:
            self._sources.setdefault(step.where, self.source)
        elif item is None:
            self._broken.add(step.where)
        elif item.source_id.startswith(step.where) and (item.session or "format" in item.metadata):
            self._sources[step.where] = item.source

    def stale(self, opened: OpenSpace, *, read: Container[str]) -> list[str]:
        """Return the ids of the parts that are kept of these files, and are not among those `read`.

        A file that could not be read to its end loses none.
        """
        sessions = {
            session_of(where): (where, source)
            for where, source in self._sources.items()
            if where not in self._broken
        }
        space = opened.find() if sessions else None
        if space is None:
            return []
        with space.read() as reader:
            found = sorted(row for session in sessions for row in reader.documents_of(session))
            kept = reader.items([key for key, item_id in found if item_id not in read]).values()
        return [
            item.id
            for item in kept
            for where, source in [sessions[item.session]]
            if item.source == source and item.source_id.startswith(f"{where}#")
        ]
