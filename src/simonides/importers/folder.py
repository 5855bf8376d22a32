"""Files below a path, always in the same order.

Knows folders, Maildirs, hidden files and links. Must not know how a format is read.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from simonides.importers.charset import decode
from simonides.importers.formats import format_named
from simonides.plugins import Importer
from simonides.ports.importer import SourceFile

HELD_BYTES_MAX = 128 << 20
"""Most bytes held for one folder or archive; lists of 200,000 people take half of it."""


@dataclass(slots=True)
class FolderNeighbours:
    """What was read of the neighbours in one container, as far as it can be held."""

    _held: dict[str, bytes | None] = field(default_factory=dict)
    _bytes_left: int = HELD_BYTES_MAX

    def read(self, where: str, read: Callable[[], bytes | None]) -> bytes | None:
        """Return the content at `where`, by calling `read` the first time."""
        if where in self._held:
            return self._held[where]
        raw = read()
        cost = len(raw or b"") + len(where)
        if cost <= self._bytes_left:
            self._bytes_left -= cost
            self._held[where] = raw
        return raw


def is_maildir(path: Path) -> bool:
    """Return whether the folder holds mails the Maildir way."""
    return (path / "cur").is_dir() and (path / "new").is_dir()


NOT_FOLLOWED = "a link to a folder, or out of the imported one; it is not followed"
"""Why a symbolic link is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedFile:
    """One file below the root, its format if its folder implies one, and why it is not read."""

    file: SourceFile
    importer: Importer | None = None
    problem: str = ""


class Folder(NamedTuple):
    """A folder to be walked: where it lies, and whether it is one of a Maildir's own."""

    path: Path
    where: str
    holds_mails: bool = False


def files_below(root: Path, *, source: str = "", name: str) -> Iterator[WalkedFile]:
    """Yield the files at `root`, which is known as `name`, folders in the order of their names.

    Hidden files are left out, and what a Maildir keeps beside its mails. Links to folders are not
    followed, links to files only where they stay below the root; those that are not are reported.
    """
    top = Path(os.path.realpath(root))
    walk = _Walk(top=top, name=name, source=source)
    if root.is_dir():
        yield from walk.files(root, name)
    else:
        yield walk.file(root, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """One walk below the real path `top`, which is known as `name`."""

    top: Path
    name: str
    source: str
    neighbours: FolderNeighbours = field(default_factory=FolderNeighbours)

    def files(self, folder: Path, where: str) -> Iterator[WalkedFile]:
        """Yield the files below a folder, however deep they lie.

        The folders that were begun stand in a list: calls in each other would end at some depth.
        """
        opened = [self._folder(folder, where)]
        while opened:
            found = next(opened[-1], None)
            if found is None:
                opened.pop()
            elif isinstance(found, WalkedFile):
                yield found
            else:
                opened.append(self._folder(found.path, found.where, holds_mails=found.holds_mails))

    def _folder(
        self, folder: Path, where: str, *, holds_mails: bool = False
    ) -> Iterator[WalkedFile | Folder]:
        """Yield the files in one folder, and the folders to be walked at their place."""
        try:
            look = self._in_maildir if is_maildir(folder) else self._in_folder
            look = self._mail if holds_mails else look
            paths = _sort(folder)
        except OSError as error:
            problem = f"the folder can not be opened: {error.strerror}"
            yield self.file(folder, where, problem=problem)
            return
        for path in paths:
            below = f"{where}/{show_name(path.name)}"
            try:
                found = look(path, below)
            except OSError as error:
                found = self.file(path, below, problem=f"can not be opened: {error.strerror}")
            if found is not None:
                yield found

    def _in_folder(self, path: Path, where: str) -> WalkedFile | Folder | None:
        """Return one entry of a folder as a file or folder; None for a hidden one."""
        if path.name.startswith("."):
            return None
        if path.is_symlink() and not self._stays_below(path):
            return self.file(path, where, problem=NOT_FOLLOWED)
        return Folder(path, where) if path.is_dir() else self.file(path, where)

    def _in_maildir(self, path: Path, where: str) -> WalkedFile | Folder | None:
        """Return one entry of a Maildir; None for files that are not mails."""
        if path.is_symlink() or not path.is_dir():
            return None
        if path.name in ("cur", "new"):
            return Folder(path, where, holds_mails=True)
        return Folder(path, where) if is_maildir(path) else None

    def _mail(self, path: Path, where: str) -> WalkedFile | Folder | None:
        """Return one mail of a Maildir; None for a hidden file."""
        if path.name.startswith("."):
            return None
        if path.is_symlink():
            return self.file(path, where, problem=NOT_FOLLOWED)
        if not path.is_file():
            return self.file(path, where, problem="not a file, though it lies among mails")
        return self.file(path, where, importer=format_named("eml"))

    def file(
        self, path: Path, where: str, *, importer: Importer | None = None, problem: str = ""
    ) -> WalkedFile:
        """Return one file as found."""
        size_bytes, modified_at = (0, None) if problem else _size_and_time(path)
        file = SourceFile(
            path=path,
            where=where,
            size_bytes=size_bytes,
            source=self.source,
            modified_at=modified_at,
            container=self,
        )
        return WalkedFile(file=file, importer=importer, problem=problem)

    def read(self, where: str, *, bytes_max: int) -> bytes | None:
        """Return another file of the walk, by its path below the root with the root's name."""
        return self.neighbours.read(where, partial(self._read, where, bytes_max))

    def _read(self, where: str, bytes_max: int) -> bytes | None:
        below = where.removeprefix(self.name).lstrip("/")
        path = Path(os.path.realpath(self.top / below))
        if not path.is_relative_to(self.top):
            return None
        try:
            with path.open("rb") as stream:
                raw = stream.read(bytes_max + 1)
        except OSError:
            return None
        return raw if len(raw) <= bytes_max else None

    def _stays_below(self, link: Path) -> bool:
        target = Path(os.path.realpath(link))
        return target.is_relative_to(self.top) and not target.is_dir()


def _sort(folder: Path) -> list[Path]:
    return sorted(folder.iterdir(), key=os.fsencode)


def _size_and_time(path: Path) -> tuple[int, datetime | None]:
    """Return (size in bytes, when it was last changed); of what can not be asked, nothing."""
    try:
        found = path.stat()
        return found.st_size, datetime.fromtimestamp(int(found.st_mtime), tz=UTC)
    except (OSError, ValueError, OverflowError):
        return 0, None


def show_name(name: str) -> str:
    """Return a file's name as text that can be kept, whatever bytes it is made of."""
    return decode(os.fsencode(name))
