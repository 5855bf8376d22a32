"""Files below a path, always in the same order, and the format of each.

Knows folders, Maildirs, hidden files, links, and the marks of each format. Must not know how a
format is read.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from simonides.errors import ImportFailed
from simonides.importers.charset import decode
from simonides.ports.importer import SourceFile

SAMPLE_BYTES = 8192
"""How much of a file is looked at."""

LOOKED_FOR = (
    "mail (.mbox, .eml, Maildir folders), notes (.md, .markdown, .txt), "
    "chats (.jsonl), or a folder of these"
)
"""What can be imported, in words for messages."""


class Format(StrEnum):
    """How a path is read."""

    FOLDER = "folder"
    MAILDIR = "maildir"
    MBOX = "mbox"
    EML = "eml"
    MARKDOWN = "markdown"
    CHAT = "chat"


_BY_SUFFIX = {
    ".mbox": Format.MBOX,
    ".eml": Format.EML,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".txt": Format.MARKDOWN,
    ".jsonl": Format.CHAT,
}

_MAIL_HEADER = re.compile(
    rb"^(?:From|To|Subject|Date|Message-ID|Received|Return-Path|Delivered-To|MIME-Version)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADER = re.compile(rb"(?:From |[!-9;-~]{1,76}[ \t]*:)")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def detect(path: Path) -> Format:
    """Return the format of the file or folder at `path`; of an empty file by its name alone.

    Raises:
        ImportFailed: There is nothing, or nothing that can be read; says what was looked for.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return Format.MAILDIR if is_maildir(path) else Format.FOLDER
        if not stat.S_ISREG(mode):
            raise ImportFailed(f"{path.name} is not a regular file")
        with path.open("rb") as stream:
            sample = stream.read(SAMPLE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFailed(f"can not be opened: {reason}") from error
    return _by_content(path.suffix.lower(), sample)


def is_maildir(path: Path) -> bool:
    """Return whether the folder holds mails the Maildir way."""
    return (path / "cur").is_dir() and (path / "new").is_dir()


def _by_content(suffix: str, sample: bytes) -> Format:
    named = _BY_SUFFIX.get(suffix)
    start = sample.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b'{"simonides_export":'):
        raise ImportFailed("an export of a whole space; import that file by itself")
    if named and not start:
        return named
    if named in (Format.MARKDOWN, Format.CHAT):
        if b"\0" in sample and not sample.startswith(_WIDE_MARKS):
            raise ImportFailed(f"binary, though it is called {suffix}")
        return named
    if start.startswith(b"From "):
        return Format.MBOX
    if _ANY_HEADER.match(start) and _MAIL_HEADER.search(sample):
        return Format.EML
    if named:
        raise ImportFailed(f"does not look like mail, though it is called {suffix}")
    raise ImportFailed(f"not a format that is read here; looked for {LOOKED_FOR}")


NOT_FOLLOWED = "a link to a folder, or out of the imported one; it is not followed"
"""Why a symbolic link is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedFile:
    """One file below the root, its format if its folder implies one, and why it is not read."""

    file: SourceFile
    format: Format | None = None
    problem: str = ""


class Folder(NamedTuple):
    """A folder to be walked: where it lies, and whether it is one of a Maildir's own."""

    path: Path
    where: str
    holds_mails: bool = False


def files_below(root: Path, *, source: str = "") -> Iterator[WalkedFile]:
    """Yield the files at `root`, folders in the order of their names.

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
        return self.file(path, where, mail_format=Format.EML)

    def file(
        self, path: Path, where: str, *, mail_format: Format | None = None, problem: str = ""
    ) -> WalkedFile:
        """Return one file as found."""
        size_bytes = 0 if problem else _size_bytes(path)
        file = SourceFile(path=path, where=where, size_bytes=size_bytes, source=self.source)
        return WalkedFile(file=file, format=mail_format, problem=problem)

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
