"""Durable file operations: creating, renaming and removing that survive a power cut.

A rename or a removal is in the folder, and survives a power cut only once the folder was synced.
Must not know what is kept in files, nor what they are called.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut, if the system supports it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(file: Path) -> None:
    """Make the bytes of a closed file survive a power cut."""
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def remove_durably(*files: Path) -> tuple[Path, ...]:
    """Remove files durably; return those that existed.

    Their folders are synced even where nothing was there any more: whoever removed it before may
    have been killed before the sync.

    Raises:
        OSError: The system refuses one; those before it are gone for good.
    """
    removed = []
    try:
        for one in files:
            with suppress(FileNotFoundError):
                one.unlink()
                removed.append(one)
    finally:
        _sync_folders(files)
    return tuple(removed)


def remove_folder_durably(folder: Path) -> None:
    """Remove a folder with all its contents durably.

    Raises:
        OSError: The system refuses it; a part may be gone.
    """
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    _sync_folders([folder])


def rename_durably(file: Path, name: Path) -> None:
    """Rename a file durably, replacing any file of that name."""
    file.replace(name)
    _sync_folders([file, name])


def link_durably(file: Path, name: Path) -> None:
    """Give a file a second name durably.

    Raises:
        FileExistsError: There is a file of that name.
    """
    os.link(file, name)
    sync_folder(name.parent)


def _sync_folders(files: Iterable[Path]) -> None:
    for folder in dict.fromkeys(one.parent for one in files):
        with suppress(FileNotFoundError):
            sync_folder(folder)
