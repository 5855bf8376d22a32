"""Private files: folders of mode 0700 and files of 0600, whatever the umask is.

The one place that makes folders and plain files of a home, whoever is first to need one. Must not
know what is kept in files.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from simonides.disk.durable import sync_folder

FOLDER_MODE, FILE_MODE = 0o700, 0o600
"""Only the owner may enter, read or write: what lies in a home is as private as mail."""

_OTHERS = 0o077
"""What others than the owner may do."""

_DEPTH_MAX = 2
"""Folders below a home: `spaces`, `uploads`, and one for each upload."""


def make_private_folder(folder: Path) -> None:
    """Make a private folder, and its parents, durably.

    One that is there already stays as it is.

    Raises:
        OSError: The system did not allow it.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    try:
        folder.mkdir(mode=FOLDER_MODE)
    except FileExistsError:  # another process was faster, or it is a file
        if not folder.is_dir():
            raise
        return
    folder.chmod(FOLDER_MODE)  # an umask may have taken the owner's own rights away
    sync_folder(folder.parent)


def new_private_file(path: Path) -> BinaryIO:
    """Return a new private file, open for writing.

    Raises:
        OSError: There is one of that name, or the system did not allow it.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        make_private(path)
        return os.fdopen(descriptor, "wb")
    except BaseException:
        os.close(descriptor)
        raise


def make_private(path: Path) -> None:
    """Make an existing file private."""
    path.chmod(FILE_MODE)


def open_to_others(home: Path) -> list[Path]:
    """Return the parts of a home that others than its owner may enter, read or write."""
    return sorted(one for one in (home, *_below(home, _DEPTH_MAX)) if _is_open(one))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    try:
        found = list(folder.iterdir())
    except OSError:
        return
    for one in found:
        yield one
        if depth and one.is_dir() and not one.is_symlink():
            yield from _below(one, depth - 1)


def _is_open(path: Path) -> bool:
    if os.name != "posix":
        return False
    try:
        return bool(stat.S_IMODE(path.lstat().st_mode) & _OTHERS) and not path.is_symlink()
    except OSError:  # gone meanwhile
        return False
