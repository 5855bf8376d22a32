"""A disk in memory that forgets, when the power goes, whatever was not synced.

Knows files, folders, names and what a sync promises (POSIX: data by a sync of the file, names by
one of the folder). Must not know SQLite beyond its calls.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum

from simonides_bench.fault_vfs import Call, What

_SECTOR_BYTES = 512
"""The least that a device writes as a whole; a write may end at any multiple of it, or anywhere."""


class Keep(StrEnum):
    """What is left of the writes that were not synced when the power went."""

    ALL = "all"
    """Every one: the plain prefix of what was done."""
    NONE = "none"
    """Not one."""
    HALF = "half"
    """Each or not, at random: they reached the disk in another order than they were made."""
    TORN = "torn"
    """The same, but a write may be there in part, and what else it was to fill may be junk."""


class Did(StrEnum):
    """What was done to a file, a folder or a name."""

    CREATE = "create"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    SYNC_FOLDER = "sync_folder"
    RENAME = "rename"
    LINK = "link"
    UNLINK = "unlink"
    MAKE_FOLDER = "make_folder"
    REMOVE_FOLDER = "remove_folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change on a disk: of the file or folder `path`, named relative to one root with `/`.

    `to` is the second name of a rename or a link; `offset` is where `data` is written, or the size
    after a truncation.
    """

    did: Did
    path: str
    to: str = ""
    offset: int = 0
    data: bytes = b""


_OF_SQLITE = {
    What.OPEN: Did.CREATE,
    What.WRITE: Did.WRITE,
    What.TRUNCATE: Did.TRUNCATE,
    What.SYNC: Did.SYNC,
    What.DELETE: Did.UNLINK,
}


def changes_of(call: Call, *, path: str) -> list[Change]:
    """Return what one of SQLite's calls changes on the file `path`."""
    did = _OF_SQLITE.get(call.what)
    if did is None:
        return []
    change = Change(did=did, path=path, offset=call.offset, data=call.data)
    return [change, Change(did=Did.SYNC_FOLDER, path=parent(path))] if call.folder_too else [change]


def parent(path: str) -> str:
    """Return the folder that a path lies in; the root is the empty path."""
    return path.rpartition("/")[0]


@dataclass(slots=True)
class _File:
    """The bytes that are safe, and the changes that are not. A folder has neither."""

    safe: bytearray = field(default_factory=bytearray)
    pending: list[Change] = field(default_factory=list)
    is_folder: bool = False

    def sync(self) -> None:
        for change in self.pending:
            _apply(self.safe, change)
        self.pending.clear()

    def cut_power(self, keep: Keep, draw: random.Random) -> bytes:
        """Return what a power cut leaves."""
        content = bytearray(self.safe)
        for change in self.pending:
            one = _survivor(change, keep, draw)
            if one is not None:
                _apply(content, one)
        return bytes(content)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Naming:
    """A change of names: `gone` no longer names anything, `path` names `file`."""

    gone: str = ""
    path: str = ""
    file: _File | None = None

    @property
    def folder(self) -> str:
        """The folder whose sync makes it durable; of a move between two, the one it went to."""
        return parent(self.path or self.gone)

    def apply(self, names: dict[str, _File]) -> None:
        names.pop(self.gone, None)
        if self.file is not None:
            names[self.path] = self.file


class Disk:
    """Files by path, and what a power cut would leave of them.

    Data and names are lost apart. Of the names in one folder that are not synced yet, the first few
    of the changes survive, in their order, as on a file system that keeps a journal of them; data
    in any order at all. What lies in a folder whose own name is lost is lost with it.
    """

    def __init__(self, files: Mapping[str, bytes], folders: Iterable[str] = ()) -> None:
        self._files = {path: _File(bytearray(content)) for path, content in files.items()}
        self._files |= {path: _File(is_folder=True) for path in folders}
        self._safe_names = dict(self._files)
        self._renamed: list[_Naming] = []
        self._folders = {path for path, file in self._files.items() if file.is_folder}
        """Every folder that was ever there: what is in one that was removed is gone with it."""

    def take(self, done: Call | Change) -> None:
        """Do what was done; what is done to a file that was never seen is passed over.

        A call of SQLite's is taken as one on a file of that name in the root.
        """
        for change in changes_of(done, path=done.name) if isinstance(done, Call) else (done,):
            self._take(change)

    def _take(self, change: Change) -> None:
        match change.did:
            case Did.CREATE | Did.MAKE_FOLDER if change.path not in self._files:
                made = _File(is_folder=change.did is Did.MAKE_FOLDER)
                if made.is_folder:
                    self._folders.add(change.path)
                self._name(_Naming(path=change.path, file=made))
            case Did.WRITE | Did.TRUNCATE if change.path in self._files:
                self._files[change.path].pending.append(change)
            case Did.SYNC if change.path in self._files:
                self._files[change.path].sync()
            case Did.RENAME if self._are_one(change.path, change.to):
                pass  # rename(2) does nothing where both are names of one file
            case Did.RENAME | Did.LINK if change.path in self._files:
                gone = change.path if change.did is Did.RENAME else ""
                self._name(_Naming(gone=gone, path=change.to, file=self._files[change.path]))
            case Did.UNLINK | Did.REMOVE_FOLDER:
                self._name(_Naming(gone=change.path))
            case Did.SYNC_FOLDER:
                self._sync_names(change.path)

    def _are_one(self, path: str, to: str) -> bool:
        return path in self._files and self._files[path] is self._files.get(to)

    def _sync_names(self, folder: str) -> None:
        for one in self._renamed:
            if one.folder == folder:
                one.apply(self._safe_names)
        self._renamed = [one for one in self._renamed if one.folder != folder]

    @property
    def unsynced(self) -> int:
        """How many changes a power cut might take."""
        return len(self._renamed) + sum(len(one.pending) for one in self._files.values())

    def after_power_cut(self, keep: Keep, draw: random.Random) -> dict[str, bytes]:
        """Return the files as they are found when the power is back."""
        names = self._names_left(keep, draw)
        return {
            path: names[path].cut_power(keep, draw)
            for path in sorted(names)
            if not names[path].is_folder and _is_reached(path, names, self._folders)
        }

    def _names_left(self, keep: Keep, draw: random.Random) -> dict[str, _File]:
        names = dict(self._safe_names)
        left = Counter(one.folder for one in self._renamed)
        if keep in (Keep.HALF, Keep.TORN):
            left = Counter({folder: draw.randint(0, left[folder]) for folder in sorted(left)})
        elif keep is Keep.NONE:
            left = Counter()
        for one in self._renamed:
            if left[one.folder] > 0:
                left[one.folder] -= 1
                one.apply(names)
        return names

    def _name(self, naming: _Naming) -> None:
        self._renamed.append(naming)
        naming.apply(self._files)


def _is_reached(path: str, names: Mapping[str, _File], folders: AbstractSet[str]) -> bool:
    """Return whether every folder above a file is there; of those never seen made, all are."""
    above = parent(path)
    while above:
        if above not in names and above in folders:
            return False
        above = parent(above)
    return True


def _apply(content: bytearray, change: Change) -> None:
    _grow(content, change.offset)
    if change.did is Did.TRUNCATE:
        del content[change.offset :]
        return
    content[change.offset : change.offset + len(change.data)] = change.data


def _grow(content: bytearray, size: int) -> None:
    """Fill up with zeros, as a file system does with what was never written."""
    if len(content) < size:
        content.extend(bytes(size - len(content)))


def _survivor(change: Change, keep: Keep, draw: random.Random) -> Change | None:
    """Return what is left of one change that was not synced; None if nothing is."""
    if keep is Keep.ALL:
        return change
    if keep is Keep.NONE or draw.random() < 0.5:  # noqa: PLR2004  half of them
        return None
    if keep is Keep.HALF or change.did is not Did.WRITE or draw.random() < 0.5:  # noqa: PLR2004
        return change
    return _tear(change, draw)


def _tear(change: Change, draw: random.Random) -> Change:
    """Return the first part of a write, with or without junk where the rest belongs."""
    stop = draw.randrange(len(change.data) + 1)
    if draw.random() < 0.5:  # noqa: PLR2004  half of them at the end of a sector
        stop -= stop % _SECTOR_BYTES
    rest = len(change.data) - stop
    junk = draw.randbytes(rest) if draw.random() < 0.5 else b""  # noqa: PLR2004
    return replace(change, data=change.data[:stop] + junk)
