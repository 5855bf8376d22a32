"""The files below a path, in an order that is always the same.

Knows folders, Maildirs, hidden files and links. Must not know how a file is read.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from simonides.importers.charset import decode
from simonides.importers.detect import Format, is_maildir
from simonides.ports.importer import SourceFile

NOT_FOLLOWED = "a link to a folder, or out of the imported one; it is not followed"
"""Why a symbolic link is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """One file below the root; its format where its place tells it; why it is not to be read."""

    file: SourceFile
    format: Format | None = None
    problem: str = ""


class Folder(NamedTuple):
    """A folder to be walked: where it lies, and whether it is one of a Maildir's own."""

    path: Path
    where: str
    holds_mails: bool = False


def files_below(root: Path, *, source: str = "") -> Iterator[FoundFile]:
    """Yield what there is to read at `root`, folders in the order of their names.

    Hidden files are left out, and what a Maildir keeps beside its mails. Links to folders are not
    followed, links to files only where they stay below the root; those that are not are reported.
    """
    top = Path(os.path.realpath(root))
    walk = _Walk(top=top, source=source)
    where = _shown(root.name or top.name)
    if root.is_dir():
        yield from walk.files(root, where)
    else:
        yield walk.file(root, where)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """One walk below the real path `top`."""

    top: Path
    source: str

    def files(self, folder: Path, where: str) -> Iterator[FoundFile]:
        """Yield the files below a folder, however deep they lie.

        The folders that were begun stand in a list: calls in each other would end at some depth.
        """
        opened = [self._folder(folder, where)]
        while opened:
            found = next(opened[-1], None)
            if found is None:
                opened.pop()
            elif isinstance(found, FoundFile):
                yield found
            else:
                opened.append(self._folder(found.path, found.where, holds_mails=found.holds_mails))

    def _folder(
        self, folder: Path, where: str, *, holds_mails: bool = False
    ) -> Iterator[FoundFile | Folder]:
        """Yield the files in one folder, and the folders to be walked at their place."""
        try:
            look = self._in_maildir if is_maildir(folder) else self._in_folder
            look = self._mail if holds_mails else look
            paths = _sorted(folder)
        except OSError as error:
            problem = f"the folder can not be opened: {error.strerror}"
            yield self.file(folder, where, problem=problem)
            return
        for path in paths:
            below = f"{where}/{_shown(path.name)}"
            try:
                found = look(path, below)
            except OSError as error:
                found = self.file(path, below, problem=f"can not be opened: {error.strerror}")
            if found is not None:
                yield found

    def _in_folder(self, path: Path, where: str) -> FoundFile | Folder | None:
        """Return what one entry of a folder is; None for a hidden one."""
        if path.name.startswith("."):
            return None
        if path.is_symlink() and not self._stays_below(path):
            return self.file(path, where, problem=NOT_FOLLOWED)
        return Folder(path, where) if path.is_dir() else self.file(path, where)

    def _in_maildir(self, path: Path, where: str) -> FoundFile | Folder | None:
        """Return what one entry of a Maildir is; None for what it keeps beside its mails."""
        if path.is_symlink() or not path.is_dir():
            return None
        if path.name in ("cur", "new"):
            return Folder(path, where, holds_mails=True)
        return Folder(path, where) if is_maildir(path) else None

    def _mail(self, path: Path, where: str) -> FoundFile | Folder | None:
        """Return one mail of a Maildir; None for a hidden file."""
        if path.name.startswith("."):
            return None
        if path.is_symlink():
            return self.file(path, where, problem=NOT_FOLLOWED)
        if not path.is_file():
            return self.file(path, where, problem="not a file, though it lies among mails")
        return self.file(path, where, mail_format=Format.EML)

    def file(
        self, path: Path, where: str, *, mail_format: Format | None = None, problem: str = ""
    ) -> FoundFile:
        """Return one file as found."""
        size_bytes = 0 if problem else _size_bytes(path)
        file = SourceFile(path=path, where=where, size_bytes=size_bytes, source=self.source)
        return FoundFile(file=file, format=mail_format, problem=problem)

    def _stays_below(self, link: Path) -> bool:
        target = Path(os.path.realpath(link))
        return target.is_relative_to(self.top) and not target.is_dir()


def _sorted(folder: Path) -> list[Path]:
    return sorted(folder.iterdir(), key=os.fsencode)


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _shown(name: str) -> str:
    """Return a file's name as text that can be kept, whatever bytes it is made of."""
    return decode(os.fsencode(name))
