"""A disk in memory that forgets, when the power goes, whatever was not synced.

Knows files, names and what a sync promises (POSIX: data by a sync of the file, names by one of
the folder). Must not know SQLite beyond its calls.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from simonides.store.sqlite.watched import Call, What

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


@dataclass(slots=True)
class _File:
    """The bytes that are safe, and the changes that are not."""

    safe: bytearray = field(default_factory=bytearray)
    pending: list[Call] = field(default_factory=list)

    def sync(self) -> None:
        for call in self.pending:
            _apply(self.safe, call)
        self.pending.clear()

    def left(self, keep: Keep, draw: random.Random) -> bytes:
        """Return what a power cut leaves."""
        content = bytearray(self.safe)
        for call in self.pending:
            one = _survivor(call, keep, draw)
            if one is not None:
                _apply(content, one)
        return bytes(content)


class Disk:
    """Files by name, and what a power cut would leave of them.

    Data and names are lost apart. Of names not synced yet, the first few of the changes survive,
    in their order, as on a file system that keeps a journal of them; data in any order at all.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = {name: _File(bytearray(content)) for name, content in files.items()}
        self._safe_names = dict(self._files)
        self._renamed: list[tuple[str, _File | None]] = []

    def take(self, call: Call) -> None:
        """Do what a call did."""
        if call.what is What.OPEN and call.name not in self._files:
            self._name(call.name, _File())
        elif call.what is What.DELETE:
            self._name(call.name, None)
        elif call.what in (What.WRITE, What.TRUNCATE):
            self._files[call.name].pending.append(call)
        elif call.what is What.SYNC:
            self._files[call.name].sync()
        if call.folder_too:
            self._rename(self._safe_names, len(self._renamed))
            self._renamed.clear()

    @property
    def unsynced(self) -> int:
        """How many changes a power cut might take."""
        return len(self._renamed) + sum(len(one.pending) for one in self._files.values())

    def after_power_cut(self, keep: Keep, draw: random.Random) -> dict[str, bytes]:
        """Return the files as they are found when the power is back."""
        names = dict(self._safe_names)
        all_of_them = len(self._renamed)
        by_keep = {Keep.ALL: all_of_them, Keep.NONE: 0}
        self._rename(names, by_keep.get(keep, draw.randint(0, all_of_them)))
        return {name: names[name].left(keep, draw) for name in sorted(names)}

    def _name(self, name: str, file: _File | None) -> None:
        self._renamed.append((name, file))
        if file is None:
            self._files.pop(name, None)
        else:
            self._files[name] = file

    def _rename(self, names: dict[str, _File], count: int) -> None:
        for name, file in self._renamed[:count]:
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file


def _apply(content: bytearray, call: Call) -> None:
    if call.what is What.TRUNCATE:
        _grow(content, call.offset)
        del content[call.offset :]
        return
    _grow(content, call.offset)
    content[call.offset : call.offset + len(call.data)] = call.data


def _grow(content: bytearray, size: int) -> None:
    """Fill up with zeros, as a file system does with what was never written."""
    if len(content) < size:
        content.extend(bytes(size - len(content)))


def _survivor(call: Call, keep: Keep, draw: random.Random) -> Call | None:
    """Return what is left of one change that was not synced; None if nothing is."""
    if keep is Keep.ALL:
        return call
    if keep is Keep.NONE or draw.random() < 0.5:  # noqa: PLR2004  half of them
        return None
    if keep is Keep.HALF or call.what is not What.WRITE or draw.random() < 0.5:  # noqa: PLR2004
        return call
    return _torn(call, draw)


def _torn(call: Call, draw: random.Random) -> Call:
    """Return the first part of a write, with or without junk where the rest belongs."""
    stop = draw.randrange(len(call.data) + 1)
    if draw.random() < 0.5:  # noqa: PLR2004  half of them at the end of a sector
        stop -= stop % _SECTOR_BYTES
    rest = len(call.data) - stop
    junk = draw.randbytes(rest) if draw.random() < 0.5 else b""  # noqa: PLR2004
    return Call(what=What.WRITE, name=call.name, offset=call.offset, data=call.data[:stop] + junk)
