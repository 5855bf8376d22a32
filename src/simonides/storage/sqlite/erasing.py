"""The journal of erasures of spaces: the next process finishes an interrupted one.

Before the first file goes, a record of the erasure is durable, `<home>/erasing/<random>`; it goes
last. Whoever erases holds it, so that others let it be until that process has ended. It says the
name of the space and which one of that name it was, and nothing of what was in it.

Knows records and who holds them. Must not know how a space is emptied, nor which files it has.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from simonides.disk import hold_abandoned, make_held_file, remove_durably, sync_folder
from simonides.storage.names import is_name
from simonides.storage.sqlite.connection import make_folder
from simonides.storage.sqlite.error_mapping import as_disk_error
from simonides.storage.sqlite.file_names import ERASING


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One erasure of a space: its name and uuid, which is empty if the file has none."""

    space: str
    uuid: str = ""


class ErasureRecord:
    """The record of one running erasure. It stays if the erasure fails half-way."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def withdraw(self) -> None:
        """Remove it: the erasure is done, or nothing of it was begun."""
        remove_durably(self._path)


@contextmanager
def record_erasure(home: Path, erasure: Erasure) -> Iterator[ErasureRecord]:
    """Keep a durable record of an erasure, held for the length of a `with` block.

    Raises:
        StoreFull: It cannot be written; nothing was begun.
    """
    folder = home / ERASING
    make_folder(folder)
    try:
        descriptor, path = make_held_file(folder, prefix="")
    except OSError as error:
        raise as_disk_error(error, file=folder) from error
    try:
        try:
            os.write(descriptor, json.dumps(asdict(erasure)).encode())
            os.fsync(descriptor)
            sync_folder(folder)
        except OSError as error:
            remove_durably(path)
            raise as_disk_error(error, file=path) from error
        yield ErasureRecord(path)
    finally:
        os.close(descriptor)


def list_unfinished(home: Path) -> list[Path]:
    """Return the records of erasures that go on, or were broken off."""
    try:
        return sorted((home / ERASING).iterdir())
    except OSError:
        return []


def erasures_of(home: Path) -> tuple[str, ...]:
    """Return the names of the spaces whose erasure is running or was interrupted."""
    found = (_read(path) for path in list_unfinished(home))
    return tuple(sorted({one.space for one in found if one is not None}))


@contextmanager
def take_up(path: Path) -> Iterator[Erasure | None]:
    """Hold a record of another process; None if that process is still erasing.

    One that was torn while it was written is of an erasure that had not begun, and goes.
    """
    with hold_abandoned(path) as is_free:
        erasure = _read(path) if is_free else None
        if is_free and erasure is None:
            remove_durably(path)
        yield erasure


def _read(path: Path) -> Erasure | None:
    try:
        said = json.loads(path.read_bytes())
        erasure = Erasure(space=said["space"], uuid=said["uuid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_whole = isinstance(erasure.uuid, str) and isinstance(erasure.space, str)
    return erasure if is_whole and is_name(erasure.space) else None
