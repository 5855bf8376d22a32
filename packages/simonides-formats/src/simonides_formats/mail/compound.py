"""Compound files ([MS-CFB]): the folders and streams that old Office files and .msg are made of.

Knows sectors, chains and the directory. Must not know what is in a stream. What is damaged reads as
if it were not there; chains are followed no further than the file has sectors.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from simonides.errors import ImportFailed

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
"""The first bytes of every compound file."""

ENTRIES_MAX = 100_000
"""Most streams and storages that are read."""

DEPTH_MAX = 64
"""How deep storages may lie in each other."""

READ_TIMES_MAX = 16
"""How many times its size is read of a file at most, since its streams may lie on each other."""

HEADER_BYTES = 512
"""How long the header is, with the places of the first sectors."""

_HEADER = struct.Struct("<8s16xHHHHH6xIIIIIIIIII")
_ENTRY = struct.Struct("<64sHBBIII36xIQ")
_DIFAT_AT, _DIFAT_IN_HEADER = 76, 109
_NO_ENTRY, _LAST_SECTOR = 0xFFFFFFFF, 0xFFFFFFFA
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_SHIFTS = (9, 12)
_MINI_BYTES = 64


@dataclass(slots=True, kw_only=True)
class Storage:
    """A folder of a compound file: its streams and folders by their names."""

    file: "CompoundFile"
    streams: dict[str, tuple[int, int]] = field(default_factory=dict)
    storages: dict[str, "Storage"] = field(default_factory=dict)

    def read(self, name: str) -> bytes | None:
        """Return a stream; None where there is none of that name."""
        place = self.streams.get(name)
        return None if place is None else self.file.stream(*place)


class CompoundFile:
    """A compound file, read from its bytes.

    Raises:
        ImportFailed: It is none, or its header says what can not be.
    """

    def __init__(self, raw: bytes) -> None:
        if len(raw) < HEADER_BYTES or not raw.startswith(MAGIC):
            raise ImportFailed("not a compound file")
        self.raw = raw
        fields = _HEADER.unpack_from(raw)
        self.shift = fields[4]
        if self.shift not in _SHIFTS:
            raise ImportFailed(f"a compound file with sectors of 2^{self.shift} bytes")
        _, _, first, _, self.cutoff, mini, _, difat, _ = fields[6:15]
        self.fat = self._fat(difat)
        self.mini_fat = _numbers(b"".join(self._chain(mini)))
        self.mini = b""
        self._left = READ_TIMES_MAX * len(raw)
        self.root = self._tree(b"".join(self._chain(first)))

    def stream(self, start: int, size: int) -> bytes:
        """Return the bytes of a stream; small ones lie in a stream of their own."""
        self._left -= size
        if self._left < 0:
            return b""
        if size >= self.cutoff:
            return b"".join(self._chain(start, size))[:size]
        found = []
        for _ in range(-(-size // _MINI_BYTES)):
            if start >= len(self.mini_fat):
                break
            found.append(self.mini[start * _MINI_BYTES : (start + 1) * _MINI_BYTES])
            start = self.mini_fat[start]
        return b"".join(found)[:size]

    def _sector(self, number: int) -> bytes:
        begin = (number + 1) << self.shift
        return self.raw[begin : begin + (1 << self.shift)]

    def _fat(self, difat: int) -> tuple[int, ...]:
        """Return which sector follows each sector."""
        listed = list(struct.unpack_from(f"<{_DIFAT_IN_HEADER}I", self.raw, _DIFAT_AT))
        seen: set[int] = set()
        while difat < _LAST_SECTOR and difat not in seen:
            seen.add(difat)
            more = _numbers(self._sector(difat))
            if not more:
                break
            listed += more[:-1]
            difat = more[-1]
        whole = dict.fromkeys(one for one in listed if one < _LAST_SECTOR)
        return _numbers(b"".join(self._sector(one) for one in whole))

    def _chain(self, start: int, size: int | None = None) -> Iterator[bytes]:
        """Yield the sectors of a chain, no more than `size` bytes need, and none twice."""
        left = len(self.fat) if size is None else -(-size >> self.shift)
        seen: set[int] = set()
        while start < len(self.fat) and start not in seen and len(seen) < left:
            seen.add(start)
            yield self._sector(start)
            start = self.fat[start]

    def _tree(self, raw: bytes) -> Storage:
        """Return the root with all that is in it."""
        count = min(len(raw) // _ENTRY.size, ENTRIES_MAX)
        entries = [_ENTRY.unpack_from(raw, number * _ENTRY.size) for number in range(count)]
        root = Storage(file=self)
        if not entries or entries[0][2] != _ROOT:
            raise ImportFailed("a compound file without a directory")
        self.mini = b"".join(self._chain(entries[0][7], entries[0][8]))
        seen: set[int] = set()
        waiting = [(entries[0][6], root, 0)]
        while waiting:
            number, storage, depth = waiting.pop()
            if number >= count or number in seen or depth > DEPTH_MAX:
                continue
            seen.add(number)
            name, size, kind, _, left, right, child, start, length = entries[number]
            shown = name[: max(min(size, 64) - 2, 0)].decode("utf-16-le", "replace")
            waiting += [(left, storage, depth), (right, storage, depth)]
            if kind == _STREAM:
                storage.streams[shown] = (start, min(length, len(self.raw)))
            elif kind == _STORAGE:
                storage.storages[shown] = Storage(file=self)
                waiting.append((child, storage.storages[shown], depth + 1))
        return root


def _numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])
