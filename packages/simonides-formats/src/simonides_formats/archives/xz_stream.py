"""Files that xz compressed, unpacked in bounded memory. The standard library's own has no bound.

Must not know archives.
"""

import io
import lzma
from typing import BinaryIO

from simonides.errors import ImportFailed

MEMORY_MAX = 256 << 20
"""Most memory of the decompressor: the highest level of xz takes 65 MB, a file may ask for 4 GB."""

TOO_MUCH_MEMORY = f"needs more than {MEMORY_MAX >> 20} MB of memory to be unpacked"

_BLOCK_BYTES = 64 << 10


def open_xz(raw: BinaryIO) -> io.BufferedReader:
    """Return the unpacked bytes of a stream."""
    return io.BufferedReader(_Unpacked(raw))


class _Unpacked(io.RawIOBase):
    """The bytes of all streams of a file; going back begins again."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._place, self._one, self._head = raw, 0, self._new(), b""

    @staticmethod
    def _new() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MEMORY_MAX)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, target: memoryview) -> int:  # type: ignore[override]
        found = self._next(len(target))
        target[: len(found)] = found
        self._place += len(found)
        return len(found)

    def _next(self, size: int) -> bytes:
        """Return the next bytes; none at the end."""
        while True:
            if self._one.eof and not self._begins_again():
                return b""
            packed, self._head = self._head, b""
            if self._one.needs_input and not packed:
                packed = self._raw.read(_BLOCK_BYTES)
                if not packed:
                    raise EOFError("the compressed file ends before its end is marked")
            found = self._decompress(packed, size)
            if found:
                return found

    def _begins_again(self) -> bool:
        """Return whether another stream follows, and begin with it."""
        rest = self._one.unused_data or self._raw.read(_BLOCK_BYTES)
        while rest and not rest.strip(b"\0"):  # padding between streams
            rest = self._raw.read(_BLOCK_BYTES)
        if not rest:
            return False
        self._one = self._new()
        self._head = rest.lstrip(b"\0")
        return True

    def _decompress(self, packed: bytes, size: int) -> bytes:
        try:
            return self._one.decompress(packed, size)
        except lzma.LZMAError as error:
            if "Memory usage limit" in str(error):
                raise ImportFailed(TOO_MUCH_MEMORY) from error
            raise

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        place += self._place if whence == io.SEEK_CUR else 0
        if place < self._place:
            self._raw.seek(0)
            self._place, self._one, self._head = 0, self._new(), b""
        while self._place < place and (found := self._next(min(place - self._place, 1 << 20))):
            self._place += len(found)
        return self._place

    def tell(self) -> int:
        return self._place
