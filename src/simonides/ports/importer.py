"""One step of an import, and the file it was read from.

Knows how readers report. Must not know any format.
"""

import posixpath
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from simonides.model.import_report import Skipped
from simonides.model.item import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEvent:
    """One item, or one skipped part, and the progress of the import.

    Exactly one of `item` and `skipped` is set; `where` names the file it was read from.
    `bytes_done` never falls and never exceeds `bytes_total`, the size of all that is to be read.
    A skipped part that is `empty` was read and holds nothing: all of its file is known.
    """

    where: str = ""
    item: Item | None = None
    skipped: Skipped | None = None
    bytes_done: int = 0
    bytes_total: int = 0
    empty: bool = False


class Container(Protocol):
    """The folder or archive that a file lies in."""

    def read(self, where: str, *, bytes_max: int) -> bytes | None:
        """Return the file at `where` (as in `SourceFile.where`); None if there is none that small.

        Never leaves the imported root.
        """
        ...


class Allowance(Protocol):
    """What may still be unpacked and extracted out of a mail or archive and all that lies in it."""

    @property
    def left(self) -> int:
        """How many bytes or characters are left; below 0 once too many were asked for."""
        ...

    def take(self, size: int) -> None:
        """Count so many more.

        Raises:
            ImportFailed: They are too many.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file to read.

    `path` holds its bytes: the file itself, or a temporary copy of a member of an archive.
    `where` is its path below the imported root, with slashes and the root's own name: it names
    the file in reports and is the source id of documents. `source` overrides the reader's own.
    `modified_at` is when it was last changed, if known. `container` gives formats of many files
    (Slack, Notion) the others; `depth` counts the archives and mails that it lies in, whose common
    `allowance` what is unpacked out of it is taken from. That lies below `scratch`, or in the
    system's temporary folder. `zone_rules` bounds the rules of time zones that all calendars of the
    mail around it may bring together. `timezone` is the user's own: that of times
    which name none, and in which times in UTC are shown where a calendar names no zone.
    """

    path: Path
    where: str
    size_bytes: int
    source: str = ""
    modified_at: datetime | None = None
    container: Container | None = None
    depth: int = 0
    scratch: Path | None = None
    allowance: Allowance | None = None
    zone_rules: Allowance | None = None
    timezone: str = ""

    def neighbour(self, relative: str, *, bytes_max: int = 64 << 20) -> bytes | None:
        """Return another file of the same container, its path relative to this file's folder."""
        if self.container is None:
            return None
        folder = posixpath.dirname(self.where)
        return self.container.read(
            posixpath.normpath(posixpath.join(folder, relative)), bytes_max=bytes_max
        )

    def keep(self, item: Item, *, bytes_done: int) -> ImportEvent:
        """Return the event of an `item`, `bytes_done` bytes into this file."""
        return ImportEvent(
            where=self.where, item=item, bytes_done=bytes_done, bytes_total=self.size_bytes
        )

    def skip(
        self, reason: str, *, part: str = "", bytes_done: int = 0, empty: bool = False
    ) -> ImportEvent:
        """Return the event of a skipped `part` of this file (or all of it), with the reason."""
        place = f"{self.where}: {part}" if part else self.where
        return ImportEvent(
            where=self.where,
            skipped=Skipped(where=place, reason=reason),
            bytes_done=bytes_done,
            bytes_total=self.size_bytes,
            empty=empty,
        )
