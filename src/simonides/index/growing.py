"""Arrays that grow at their end without moving what readers hold, and arrays on disk.

A file of arrays is whole, or as good as none. Layout: 8 bytes magic · 8 bytes length of the head ·
head (JSON) · 16 bytes BLAKE2b of all before · the arrays, one after another. The head gives each
array's name, type, shape, CRC-32 and the rows of room behind it; each begins at a multiple of 64
bytes, and what lies between is zero. Arrays are checked as they are read: each into memory of its
own, so that no second copy of them is ever held, or mapped, so that processes share the pages that
they do not write. Room lets a mapped array grow a while where it is.

A CRC sees every burst of at most 32 wrong bits and misses other damage once in 4 · 10⁹: enough for
what is disposable, and five times as fast as a cryptographic hash, which took half of the time to
open a large space. Must not know what the arrays mean.
"""

import hashlib
import json
import math
import mmap
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

_SMALLEST = 64
"""Rows reserved at first; from there capacity grows by an eighth: little is held in vain."""


class Growing:
    """An append-only array; `rows(n)` is a view of the first n rows and never changes below n."""

    __slots__ = ("_buffer", "_length")

    def __init__(self, dtype: npt.DTypeLike, *, width: int = 0) -> None:
        shape = (_SMALLEST, width) if width else (_SMALLEST,)
        self._buffer: npt.NDArray[Any] = np.zeros(shape, dtype=dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, rows: npt.ArrayLike) -> None:
        """Append `rows`, whose shape is (n,) or (n, width)."""
        added = np.asarray(rows, dtype=self._buffer.dtype)
        end = self._length + len(added)
        if end > len(self._buffer):
            self._reserve(end)
        self._buffer[self._length : end] = added
        self._length = end

    def adopt(self, rows: npt.NDArray[Any], *, length: int | None = None) -> None:
        """Take over an array of the same type without copying it: its first rows, or all."""
        self._buffer, self._length = rows, len(rows) if length is None else length

    def rows(self, count: int) -> npt.NDArray[Any]:
        """Return a view of the first `count` rows."""
        return self._buffer[:count]

    @property
    def nbytes(self) -> int:
        """Bytes reserved."""
        return int(self._buffer.nbytes)

    def _reserve(self, rows: int) -> None:
        """Move to a larger buffer; readers keep the one they have."""
        first_fill = self._length == 0
        capacity = rows if first_fill else max(rows + _SMALLEST, len(self._buffer) * 9 // 8)
        larger = np.zeros((capacity, *self._buffer.shape[1:]), dtype=self._buffer.dtype)
        larger[: self._length] = self._buffer[: self._length]
        self._buffer = larger


class Codes:
    """Small integers for repeated texts: a column of codes, and the text of each code.

    Code 0 stands for None.
    """

    __slots__ = ("_code_of", "column", "values")

    def __init__(self) -> None:
        self._code_of: dict[str | None, int] = {None: 0}
        self.values: list[str | None] = [None]
        self.column = Growing(np.int32)

    def extend(self, texts: list[str | None]) -> None:
        """Append one row per text."""
        known = self._code_of
        self.column.extend([known[t] if t in known else self._code(t) for t in texts])

    def restore(
        self, values: list[str | None], codes: npt.NDArray[Any], *, length: int | None = None
    ) -> None:
        """Copy another column: its values in order, and its rows."""
        self.values = list(values)
        self._code_of = {text: code for code, text in enumerate(values)}
        self.column.adopt(codes, length=length)

    def code(self, text: str | None) -> int:
        """Return the code of `text`, or -1 if no row ever had it."""
        return self._code_of.get(text, -1)

    def holding(self, texts: Iterable[str | None], *, count: int) -> npt.NDArray[np.bool_]:
        """Return bool[count]: the rows among the first `count` with one of `texts`."""
        wanted = np.zeros(len(self.values), dtype=bool)
        for text in texts:
            code = self.code(text)
            if 0 <= code < len(wanted):  # one that a writer adds just now is in no row read here
                wanted[code] = True
        return np.asarray(wanted[self.column.rows(count)])

    def _code(self, text: str | None) -> int:
        code = self._code_of.get(text)
        if code is None:
            code = len(self.values)
            self.values.append(text)
            self._code_of[text] = code
        return code


MAGIC = b"SIMOIDXB"
DIGEST_BYTES = 16
_LENGTH_BYTES = 8

ALIGNED_BYTES = 64
"""Where arrays begin: a line of the processor's cache, which every type of number divides."""

ROOM_SHARE = 8
"""Behind a growing array there is room for an eighth more, by which `Growing` grows as well."""

Array = npt.NDArray[Any]
Head = dict[str, Any]
Arrays = dict[str, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowPlace:
    """Where an array lies in a file: its first byte, its bytes, and those of the room behind it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    checksum: int
    start: int
    size: int
    room: int


def write(
    file: BinaryIO,
    head: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    growing: Collection[str] = (),
) -> None:
    """Write a head, whose key `arrays` is set here, and its arrays, which must be contiguous.

    Those that are `growing` get room behind them; it takes no place on a disk that knows holes.
    """
    described = [
        [name, a.dtype.str, list(a.shape), zlib.crc32(_bytes_of(a)),
         len(a) // ROOM_SHARE if name in growing else 0]
        for name, a in arrays.items()
    ]  # fmt: skip
    body = json.dumps({**head, "arrays": described}, ensure_ascii=False).encode()
    start = MAGIC + len(body).to_bytes(_LENGTH_BYTES, "little") + body
    file.write(start + _digest(start))
    end = len(start) + DIGEST_BYTES
    for place in _places(described, end):
        file.seek(place.start)
        file.write(_bytes_of(arrays[place.name]))
        end = place.start + place.size + place.room
    file.truncate(end)


def _places(described: list[Any], start: int) -> Iterator[_RowPlace]:
    """Yield where the arrays lie that a head tells of, the first of them behind `start`."""
    for name, dtype, shape, checksum, room_rows in described:
        start += -start % ALIGNED_BYTES
        row = math.prod(shape[1:]) * np.dtype(dtype).itemsize
        place = _RowPlace(
            name=name, dtype=dtype, shape=tuple(shape), checksum=checksum, start=start,
            size=shape[0] * row, room=room_rows * row,
        )  # fmt: skip
        yield place
        start += place.size + place.room


def read(
    path: Path, *, fits: Callable[[Head], bool], maps: bool = False
) -> tuple[Head, Arrays] | None:
    """Return the head and arrays if the file is complete and its head `fits`; else None.

    With `maps`, arrays are mapped with the room behind them: an array may have more rows than its
    shape in the head says. The file must then not be written in place as long as they are used.
    """
    try:
        with path.open("rb") as file:
            head = _read_head(file)
            if head is None or not fits(head):
                return None
            start = file.tell()
            places = list(_places(head["arrays"], start))
            end = places[-1].start + places[-1].size + places[-1].room if places else start
            if file.seek(0, 2) != end:
                return None
            arrays = _map(file, places) if maps else _read_arrays(file, start, places)
            return None if arrays is None else (head, arrays)
    except OSError:
        return None


def read_head(path: Path) -> Head | None:
    """Return the head of a file; None without a complete one.

    Raises:
        OSError: The file is not there, or cannot be read.
    """
    with path.open("rb") as file:
        return _read_head(file)


def _read_head(file: BufferedReader) -> Head | None:
    begin = file.read(len(MAGIC) + _LENGTH_BYTES)
    if len(begin) < len(MAGIC) + _LENGTH_BYTES or not begin.startswith(MAGIC):
        return None
    length = int.from_bytes(begin[len(MAGIC) :], "little")
    if length > file.seek(0, 2) - len(begin):  # a wrong length must not ask for that much memory
        return None
    file.seek(len(begin))
    body = file.read(length)
    if file.read(DIGEST_BYTES) != _digest(begin + body):
        return None
    return dict(json.loads(body))


def _read_arrays(file: BufferedReader, start: int, places: list[_RowPlace]) -> Arrays | None:
    arrays: Arrays = {}
    file.seek(start)
    for place in places:
        array = np.empty(place.shape, dtype=place.dtype)
        raw = _bytes_of(array)
        between = file.read(place.start - file.tell())
        if file.readinto(raw) != raw.nbytes or zlib.crc32(raw) != place.checksum:
            return None
        if (between + file.read(place.room)).strip(b"\0"):
            return None
        arrays[place.name] = array
    return arrays


def _map(file: BufferedReader, places: list[_RowPlace]) -> Arrays | None:
    """Return arrays on the pages of a file; a page that is written is the process's own."""
    arrays: Arrays = {}
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    for place in places:
        raw = np.frombuffer(pages, np.uint8)[place.start :][: place.size + place.room]
        if zlib.crc32(raw[: place.size].data) != place.checksum:
            return None
        rows = raw.view(place.dtype).reshape(-1, *place.shape[1:]) if len(raw) else None
        arrays[place.name] = np.empty(place.shape, place.dtype) if rows is None else rows
    return arrays


def _bytes_of(array: Array) -> memoryview:
    """Return the array's own bytes, to be read or written in place."""
    return array.reshape(-1).view(np.uint8).data


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=DIGEST_BYTES).digest()
