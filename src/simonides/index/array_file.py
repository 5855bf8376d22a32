"""Arrays on disk: one file of a head and named arrays, complete or ignored.

Layout: 8 bytes magic · 8 bytes length of the head · head (JSON) · 16 bytes BLAKE2b of all before ·
the arrays, one after another. The head tells each array's name, type, shape and CRC-32. Arrays are
checked as they are read, each into memory of its own, so that no second copy of them is ever held.

A CRC sees every burst of at most 32 wrong bits and misses other damage once in 4 · 10⁹: enough for
what is disposable, and five times as fast as a cryptographic hash, which took half of the time to
open a large space.
Must not know what the arrays mean.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

MAGIC = b"SIMOIDX7"
DIGEST_BYTES = 16
_LENGTH_BYTES = 8

Array = npt.NDArray[Any]
Head = dict[str, Any]
Arrays = dict[str, Array]


def write(file: BinaryIO, head: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write a head, whose key `arrays` is set here, and its arrays, which must be contiguous."""
    told = [
        [name, a.dtype.str, list(a.shape), zlib.crc32(_bytes_of(a))] for name, a in arrays.items()
    ]
    body = json.dumps({**head, "arrays": told}, ensure_ascii=False).encode()
    start = MAGIC + len(body).to_bytes(_LENGTH_BYTES, "little") + body
    file.write(start + _digest(start))
    file.writelines(_bytes_of(array) for array in arrays.values())


def read(path: Path, *, fits: Callable[[Head], bool]) -> tuple[Head, Arrays] | None:
    """Return the head and arrays if the file is complete and its head `fits`; else None."""
    try:
        with path.open("rb") as file:
            head = _read_head(file)
            if head is None or not fits(head):
                return None
            arrays = _read_arrays(file, head)
            return None if arrays is None or file.read(1) else (head, arrays)
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


def _read_arrays(file: BufferedReader, head: Head) -> Arrays | None:
    arrays: Arrays = {}
    for name, dtype, shape, checksum in head["arrays"]:
        array = np.empty(shape, dtype=dtype)
        raw = _bytes_of(array)
        if file.readinto(raw) != raw.nbytes or zlib.crc32(raw) != checksum:
            return None
        arrays[name] = array
    return arrays


def _bytes_of(array: Array) -> memoryview:
    """Return the array's own bytes, to be read or written in place."""
    return array.reshape(-1).view(np.uint8).data


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=DIGEST_BYTES).digest()
