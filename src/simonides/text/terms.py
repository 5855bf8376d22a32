"""Terms as numbers: 64 bits of a hash each, and the packed list of a chunk's terms; memo tables.

There is no dictionary of terms anywhere: what is stored of a word is a number from which it
cannot be read back, so that no word outlives its text. Whoever asks of each run of visible
characters (as `str.split` has it) only what the run says by itself may keep the answers in a
`MemoTable`: most words recur. Must not know how terms are found.
"""

import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_RUNS_MAX = 1 << 16
_CHARS_MAX = 40
"""A longer run is an address or a figure that hardly comes again."""

Value = TypeVar("Value")


class MemoTable(dict[str, Value], Generic[Value]):
    """A cache from a run to its value; emptied when it is full, and by an erasure.

    `compute` must depend on the run alone. Tables are made once and stay: one a module or language.
    """

    def __init__(self, compute: Callable[[str], Value]) -> None:
        super().__init__()
        self._compute = compute
        _TABLES.append(self)

    def __missing__(self, run: str) -> Value:
        value = self._compute(run)
        if len(run) <= _CHARS_MAX:
            if len(self) >= _RUNS_MAX:
                self.clear()
            self[run] = value
        return value


_TABLES: list[dict[str, Any]] = []


def clear_tables() -> None:
    """Clear all memo tables of this process; only speed is lost."""
    for table in _TABLES:
        table.clear()


COUNT_MAX = 255
"""A count is one byte; BM25 is flat long before."""

BYTES_PER_TERM = 9
KEY_BYTES = 8


def _hash(term: str) -> int:
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
    return int.from_bytes(digest, "little")


_KEYS = MemoTable(_hash)


def term_key(term: str) -> int:
    """Return the term's key in [0, 2⁶⁴): the first 8 bytes of its BLAKE2b, little endian.

    Two of a million different terms share a key with probability 3·10⁻⁸.
    """
    return _KEYS[term]


def key_bytes(term: str) -> bytes:
    """Return the term's key as 8 bytes, little endian, for `pack_all`."""
    return _KEYS[term].to_bytes(KEY_BYTES, "little")


def pack_all(chunks: Sequence[bytes]) -> list[bytes]:
    """Return the terms of several chunks, packed as by `pack`; each is given as its terms' keys.

    Those are 8 bytes a term, as often as it occurs, in any order. All are counted at once, which
    takes a tenth of the time of one by one.

    Raises:
        ValueError: The length of one is no multiple of 8.
    """
    import numpy as np  # heavy: 100 ms

    rests = [len(one) for one in chunks if len(one) % KEY_BYTES]
    if rests:
        raise ValueError(f"keys take {KEY_BYTES} bytes each, got {rests[0]} bytes")
    keys = np.frombuffer(bytearray(b"".join(chunks)), dtype="<u8")
    stops = np.cumsum([len(one) // KEY_BYTES for one in chunks], dtype=np.intp)
    for start, stop in pairwise((0, *stops.tolist())):
        keys[start:stop].sort()
    begins = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    begins[stops[stops < len(keys)]] = True
    firsts = np.flatnonzero(begins)
    counts = np.minimum(np.diff(firsts, append=len(keys)), COUNT_MAX)
    ends = np.searchsorted(firsts, stops).tolist()
    return _cut(keys[firsts].tobytes(), counts.astype(np.uint8).tobytes(), ends)


def _cut(keys: bytes, counts: bytes, ends: Sequence[int]) -> list[bytes]:
    """Return keys and counts by chunk; `ends` are the numbers of terms up to each end."""
    return [
        keys[KEY_BYTES * start : KEY_BYTES * end] + counts[start:end]
        for start, end in pairwise((0, *ends))
    ]


def pack(counts: Mapping[str, int]) -> bytes:
    """Return the terms of a chunk as bytes: n keys as uint64, rising, then n counts as uint8.

    All little endian, 9 bytes a term. Counts must be positive; above 255 they stay at 255.
    """
    by_key = dict(zip(map(_KEYS.__getitem__, counts), counts.values(), strict=True))
    keys = sorted(by_key)
    numbers = list(map(by_key.__getitem__, keys))
    if keys and max(numbers) > COUNT_MAX:
        numbers = [min(number, COUNT_MAX) for number in numbers]
    packed = array("Q", keys)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes() + bytes(numbers)


def unpack(blob: bytes) -> "tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]":
    """Return (keys uint64[n] rising, counts uint8[n]) as read-only views of packed terms.

    Raises:
        ValueError: The length is no multiple of 9.
    """
    import numpy as np  # heavy: 100 ms

    n, rest = divmod(len(blob), BYTES_PER_TERM)
    if rest:
        raise ValueError(f"packed terms take 9 bytes each, got {len(blob)} bytes")
    keys = np.frombuffer(blob, dtype="<u8", count=n)
    return keys, np.frombuffer(blob, dtype=np.uint8, count=n, offset=8 * n)
