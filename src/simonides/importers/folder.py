"""The files below a path, in an order that is always the same.

Knows folders, Maildirs, hidden files and links. Must not know how a file is read.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from simonides.importers.charset import decode
from simonides.importers.detect import Format, is_maildir
from simonides.importers.step import SourceFile

NOT_FOLLOWED = "a link to a folder, or out of the imported one; it is not followed"
"""Why a symbolic link is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One file below the root; its format where its place tells it; why it is not to be read."""

    file: SourceFile
    format: Format | None = None
    problem: str = ""


def files_below(root: Path, *, source: str = "") -> Iterator[Found]:
    """Yield what there is to read at `root`, folders in the order of their names.

    Hidden files are left out, and what a Maildir keeps beside its mails. Links to folders are not
    followed, links to files only where they stay below the root; those that are not are reported.
    """
    top = Path(os.path.realpath(root))
    walk = _Walk(top=top, source=source)
    where = _shown(root.name or top.name)
    if root.is_dir():
        yield from walk.folder(root, where)
    else:
        yield walk.file(root, where)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """One walk below the real path `top`."""

    top: Path
    source: str

    def folder(self, folder: Path, where: str) -> Iterator[Found]:
        """Yield the files below one folder."""
        if is_maildir(folder):
            yield from self._maildir(folder, where)
            return
        try:
            paths = _sorted(folder)
        except OSError as error:
            problem = f"the folder can not be opened: {error.strerror}"
            yield self.file(folder, where, problem=problem)
            return
        for path in paths:
            below = f"{where}/{_shown(path.name)}"
            if path.name.startswith("."):
                continue
            if path.is_symlink() and not self._stays_below(path):
                yield self.file(path, below, problem=NOT_FOLLOWED)
            elif path.is_dir():
                yield from self.folder(path, below)
            else:
                yield self.file(path, below)

    def _maildir(self, folder: Path, where: str) -> Iterator[Found]:
        """Yield the mails of a Maildir and of the Maildirs in it, such as `.Sent`."""
        for path in _sorted(folder):
            below = f"{where}/{_shown(path.name)}"
            if path.is_symlink() or not path.is_dir():
                continue
            if path.name in ("cur", "new"):
                for mail in _sorted(path):
                    if mail.is_file() and not mail.is_symlink() and mail.name[0] != ".":
                        name = f"{below}/{_shown(mail.name)}"
                        yield self.file(mail, name, mail_format=Format.EML)
            elif is_maildir(path):
                yield from self._maildir(path, below)

    def file(
        self, path: Path, where: str, *, mail_format: Format | None = None, problem: str = ""
    ) -> Found:
        """Return one file as found."""
        size_bytes = 0 if problem else _size_bytes(path)
        file = SourceFile(path=path, where=where, size_bytes=size_bytes, source=self.source)
        return Found(file=file, format=mail_format, problem=problem)

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
