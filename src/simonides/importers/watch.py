"""Folders that are kept current: what is new, changed, renamed or gone in them.

Knows the files of folders and the items that each gave. Events only say when to look: every look
compares all files with the last one, so that a lost event leaves nothing behind. Must not know a
format.
"""

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from simonides.errors import ImportFailed
from simonides.importers.extras import check_installed
from simonides.importers.folder import WalkedFile
from simonides.importers.moved import find_moved, present_place
from simonides.importers.roots import Names, files_of
from simonides.importers.run import import_steps, read_walked
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import withdraw
from simonides.model.import_report import ImportReport
from simonides.model.item import Item, Kind, Trust
from simonides.ports.importer import ImportEvent

ITEMS_AT_ONCE = 256
"""How many kept items are read at once when they are compared with the files."""

Changes = Iterable[Iterable[str | os.PathLike[str]]]
"""Sets of changed paths, each of which causes a look at the folders."""

Stamp = tuple[int, int, int, int]
"""What tells a file again under another name: device, inode, size, and time of last change."""


def changes_below(folders: Sequence[Path], *, stop: Event | None) -> Changes:
    """Return the changes below folders as the system reports them, until `stop` is set.

    Raises:
        ImportFailed: The extra is not installed.
    """
    check_installed("watchfiles", extra="watch", title="changes of folders")
    return _system_changes(folders, stop)


def _system_changes(folders: Sequence[Path], stop: Event | None) -> Iterator[set[str]]:
    """Yield sets of changed paths; the first one, often empty, once the system watches."""
    from watchfiles import watch

    is_first = True
    for found in watch(*folders, watch_filter=None, stop_event=stop, yield_on_timeout=True):
        if found or is_first:
            yield {path for _, path in found}
        is_first = False


def watch_folders(
    folders: Sequence[Path],
    opened: OpenSpace,
    *,
    source: str,
    trust: Trust | None,
    changes: Changes,
    names: Names,
) -> Iterator[ImportReport]:
    """Yield the report of a first import of `folders`, and of each change that did anything."""
    watched = _Watched(folders=folders, names=names, opened=opened, source=source, trust=trust)
    yield watched.first_look()
    for paths in changes:
        report = watched.look({os.fspath(path) for path in paths})
        if report.read or report.withdrawn:
            yield report


@dataclass(slots=True, kw_only=True)
class _File:
    """One file at the last look: its items, and whether it could be read to its end."""

    stamp: Stamp | None
    ids: set[str] = field(default_factory=set)
    is_whole: bool = True


@dataclass(slots=True, kw_only=True)
class _Watched:
    """The files of the last look by their place, and where the renamed ones first lay."""

    folders: Sequence[Path]
    names: Names
    opened: OpenSpace
    source: str
    trust: Trust | None
    files: dict[str, _File] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)

    def first_look(self) -> ImportReport:
        """Import everything, and withdraw what went away while nobody watched."""
        self.moved = find_moved(self.opened)
        report = self.look(set())
        return self._withdrawn(report, self._find_gone_before())

    def look(self, changed: Container[str]) -> ImportReport:
        """Import what is new or changed since the last look, and withdraw what is gone."""
        walked = self._walk()
        stamps = {where: _stamp(found.file.path) for where, found in walked.items()}
        gone = self._find_gone(walked)
        self._follow(gone, stamps)
        left = {where: self.files.pop(where) for where in gone}
        for where, found in walked.items():
            last = self.files.get(where)
            is_named = os.fspath(found.file.path) in changed
            if last is None or last.stamp != stamps[where] or is_named:
                left[where] = last or _File(stamp=None)
                self.files[where] = _File(stamp=stamps[where])
        report = import_steps(
            self._steps(found for where, found in walked.items() if where in left),
            self.opened,
            source=self.source,
            trust=self.trust,
        )
        return self._withdrawn(report, self._no_longer_held(left))

    def _walk(self) -> dict[str, WalkedFile]:
        """Return the files that are there; of a folder that is gone as a whole, none."""
        there = [folder for folder in self.folders if folder.is_dir()]
        return {
            found.file.where: found for found in files_of(there, self.names, source=self.source)
        }

    def _find_gone(self, walked: Mapping[str, WalkedFile]) -> list[str]:
        """Return the files of the last look that are gone.

        What lies below a folder that can not be opened, or below a watched one that is not there,
        as a drive that was taken out, is not known to be gone.
        """
        away = {self.names[folder] for folder in self.folders if not folder.is_dir()}
        known = walked.keys() | away
        return [where for where in self.files if _file_of(where, known) is None]

    def _follow(self, gone: Sequence[str], stamps: Mapping[str, Stamp | None]) -> None:
        """Note which of the new files are ones that are gone, under another name."""
        left = {self.files[where].stamp: where for where in gone}
        left.pop(None, None)
        for where, stamp in stamps.items():
            before = left.pop(stamp, None) if where not in self.files else None
            if before is not None and _root(before) == _root(where):
                self.moved[where] = self.moved.get(before, before)

    def _steps(self, found: Iterable[WalkedFile]) -> Iterator[ImportEvent]:
        """Yield what is read of these files, and note which items each gave."""
        for one in found:
            file = self.files[one.file.where]
            try:
                steps = read_walked(
                    one, moved=self.moved, scratch=self.opened.home.unpacking_path,
                    timezone=self.opened.timezone,
                )  # fmt: skip
            except ImportFailed as error:
                steps = iter([one.file.skip(str(error))])
            for step in steps:
                if step.item is not None:
                    file.ids.add(step.item.id)
                file.is_whole = file.is_whole and (step.item is not None or step.empty)
                yield step

    def _no_longer_held(self, left: Mapping[str, _File]) -> set[str]:
        """Return the items that no file holds any more; a file read in part keeps what it had."""
        lost: set[str] = set()
        for where, before in left.items():
            file = self.files.get(where)
            if file is not None and not file.is_whole:
                file.ids |= before.ids
            lost |= before.ids
        for file in self.files.values() if lost else ():
            lost -= file.ids
        return lost

    def _find_gone_before(self) -> list[str]:
        """Return the kept documents of the files of these folders that no file holds any more."""
        held = {one for file in self.files.values() for one in file.ids}
        space = self.opened.find()
        if space is None:
            return []
        source = self.source or "file"
        with space.read() as reader:
            keys = [
                row.key
                for row in reader.item_rows(0)
                if row.kind == Kind.DOCUMENT and row.source == source and row.id not in held
            ]
            return [
                item.id
                for at in range(0, len(keys), ITEMS_AT_ONCE)
                for item in reader.items(keys[at : at + ITEMS_AT_ONCE]).values()
                if self._is_gone(item)
            ]

    def _is_gone(self, item: Item) -> bool:
        """Return whether an item that no file gave came from one that is gone, or had it before."""
        place = present_place(item)
        if _root(place) not in {_root(where) for where in self.files} or "/" not in place:
            return False
        where = _file_of(place, self.files)
        return where is None or self.files[where].is_whole

    def _withdrawn(self, report: ImportReport, ids: Iterable[str]) -> ImportReport:
        gone = withdraw(sorted(ids), self.opened)
        return replace(report, withdrawn=report.withdrawn + len(gone))


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _root(where: str) -> str:
    return where.partition("/")[0]


def _file_of(place: str, files: Container[str]) -> str | None:
    """Return the file, or folder, among `files` that a place is or lies in."""
    ends = [len(place), *(at for at, letter in enumerate(place) if letter in "#/")]
    return next((place[:end] for end in sorted(ends, reverse=True) if place[:end] in files), None)
