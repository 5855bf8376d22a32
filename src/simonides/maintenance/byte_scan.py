"""Search for many short byte sequences at once, in files and in texts.

Runs as a program of its own, too: whoever opens and closes a space's file inside a process that has
the space open takes that process's locks away. Knows bytes. Must not know what they mean.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

PIECE_BYTES = 16
"""The longest piece: about three words, of which another text hardly ever has the same."""

PIECE_BYTES_MIN = 8
"""The shortest: the width of what is compared at once."""

SLICE_BYTES = 16 << 20
"""Of a file in memory at once."""

_HALF = 8
_TABLE = 1 << 16
_PADDING = 2 * _HALF
"""Zeros behind what is looked through, so that its last bytes can be read in words."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Byte sequences of 8 to 16 bytes, prepared for a search of all at once.

    heads: uint64[n] rising, the first 8 bytes; tails: uint64[n], what follows; masks: uint64[n],
    which bits of it count; sizes and order: int64[n], how long each is and the place in which it
    was given.
    """

    heads: npt.NDArray[np.uint64]
    tails: npt.NDArray[np.uint64]
    masks: npt.NDArray[np.uint64]
    sizes: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    tables: tuple[Mask, ...]

    def __len__(self) -> int:
        return len(self.order)


def pieces(given: Sequence[bytes]) -> Pieces:
    """Return byte sequences prepared for a search.

    Raises:
        ValueError: One is shorter than 8 bytes or longer than 16.
    """
    for one in given:
        if not PIECE_BYTES_MIN <= len(one) <= PIECE_BYTES:
            raise ValueError(f"a piece has 8 to 16 bytes, got {len(one)}")
    padded = b"".join(one.ljust(PIECE_BYTES, b"\0") for one in given)
    covers = b"".join((b"\xff" * len(one)).ljust(PIECE_BYTES, b"\0") for one in given)
    words = np.frombuffer(padded, dtype="<u8").reshape(-1, 2)
    masks = np.frombuffer(covers, dtype="<u8").reshape(-1, 2)
    order = np.argsort(words[:, 0], kind="stable")
    heads = words[order, 0]
    return Pieces(
        heads=heads,
        tails=words[order, 1],
        masks=masks[order, 1],
        sizes=np.array([len(one) for one in given], dtype=np.int64)[order],
        order=order.astype(np.int64),
        tables=tuple(_table(heads, part) for part in range(4)),
    )


def _table(heads: npt.NDArray[np.uint64], part: int) -> Mask:
    """Return bool[65536]: the possible values of two bytes at the head of a piece."""
    table = np.zeros(_TABLE, dtype=bool)
    table[(heads >> np.uint64(16 * part)) & np.uint64(_TABLE - 1)] = True
    return table


def find_in(data: bytes, wanted: Pieces) -> Mask:
    """Return bool[n]: the pieces, in the given order, that occur in `data`."""
    found = np.zeros(len(wanted), dtype=bool)
    if len(wanted):
        raw = np.frombuffer(data + bytes(_PADDING), dtype=np.uint8)
        for shift in range(_HALF):
            _look(raw, shift, wanted, found)
    return found


def _look(raw: npt.NDArray[np.uint8], shift: int, wanted: Pieces, found: Mask) -> None:
    """Mark the pieces that begin `shift` bytes after a multiple of 8."""
    count = (len(raw) - shift) // _HALF - 1
    words = raw[shift : shift + (count + 1) * _HALF].view("<u8")
    may_be = wanted.tables[0][words[:count] & np.uint64(_TABLE - 1)]
    for part in (1, 2, 3):
        may_be &= wanted.tables[part][
            (words[:count] >> np.uint64(16 * part)) & np.uint64(_TABLE - 1)
        ]
    places = np.flatnonzero(may_be)
    heads, tails = words[places], words[places + 1]
    first = np.searchsorted(wanted.heads, heads, side="left")
    last = np.searchsorted(wanted.heads, heads, side="right")
    for nth in range(int((last - first).max(initial=0))):
        known = first + nth < last
        candidates = first[known] + nth
        same = ((tails[known] ^ wanted.tails[candidates]) & wanted.masks[candidates]) == 0
        ends = shift + _HALF * places[known] + wanted.sizes[candidates]
        same &= ends <= len(raw) - _PADDING
        found[wanted.order[candidates[same]]] = True


def scan(files: Iterable[str], wanted: Pieces) -> dict[str, object]:
    """Return the size of each existing file in bytes, and the pieces found in it.

    What cannot be read is named as that.
    """
    sizes: dict[str, int] = {}
    places: dict[str, list[int]] = {}
    unread: list[str] = []
    for name in files:
        try:
            with Path(name).open("rb") as file:
                found, size = _scan_file(file, wanted)
        except FileNotFoundError:
            continue
        except OSError:
            unread.append(name)
            continue
        sizes[name] = size
        if found.any():
            places[name] = [int(n) for n in np.flatnonzero(found)]
    return {"sizes": sizes, "found": places, "unread": unread}


def _scan_file(file: BinaryIO, wanted: Pieces) -> tuple[Mask, int]:
    found = np.zeros(len(wanted), dtype=bool)
    size, overlap = 0, b""
    while data := file.read(SLICE_BYTES):
        size += len(data)
        found |= find_in(overlap + data, wanted)
        overlap = data[-(PIECE_BYTES - 1) :]
    return found, size


def main() -> None:
    """Read the names of files and pieces (hexadecimal) as JSON; write what `scan` finds as JSON."""
    request = json.load(sys.stdin)
    wanted = pieces([bytes.fromhex(one) for one in request["pieces"]])
    json.dump(scan(request["files"], wanted), sys.stdout)


if __name__ == "__main__":
    main()
