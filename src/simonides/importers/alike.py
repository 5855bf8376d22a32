"""Whether two files or folders are states of one thing: a later export, or a copy somebody edited.

Knows bytes, lines and names. Must not know a format.
"""

from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import Path
from zipfile import BadZipFile, ZipFile, is_zipfile

SHARE_MIN = 0.5
"""States of one thing share half of what the smaller one has. Our own choice."""

BYTES_READ = 256 << 10
"""So much of a file is looked at, and so many names of a folder: a later export begins alike."""
NAMES_READ = 2_000
FILES_READ = 16
"""So many files that two folders have under one name are compared."""


def are_alike(one: Path, other: Path) -> bool:
    """Return whether two files, or two folders, share half of their lines, members or files."""
    try:
        if one.is_dir() and other.is_dir():
            return _are_folders_alike(one, other)
        return one.is_file() and other.is_file() and _share(_parts(one), _parts(other))
    except (OSError, BadZipFile):
        return False


def _are_folders_alike(one: Path, other: Path) -> bool:
    """Return whether half of the names are common, and half of the files of these names alike."""
    names, others = _names(one), _names(other)
    if not _share(names, others):
        return False
    common = sorted(names & others)[:FILES_READ]
    alike = sum(_share(_parts(one / name), _parts(other / name)) for name in common)
    return alike >= SHARE_MIN * len(common)


def _names(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in islice(files, NAMES_READ)}


def _parts(path: Path) -> set[bytes]:
    """Return the lines at the beginning of a file, or the names of what an archive holds."""
    if is_zipfile(path):
        with ZipFile(path) as archive:
            return {name.encode() for name in archive.namelist()[:NAMES_READ]}
    with path.open("rb") as stream:
        return {line.strip() for line in stream.read(BYTES_READ).splitlines()} - {b""}


def _share(some: AbstractSet[object], others: AbstractSet[object]) -> bool:
    """Return whether two sets share half of the smaller one; empty ones are alike."""
    return len(some & others) >= SHARE_MIN * min(len(some), len(others))
