"""Outlook data files ([MS-PST]), the lower half: blocks, and the nodes that they make up.

Knows pages, the two trees of nodes and blocks, and how blocks are hidden and packed. Must not know
what is in a node. What is damaged reads as if it were not there. Pages and blocks are read from the
file one by one, so that memory does not grow with it.
"""

import struct
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import BinaryIO, NamedTuple

from simonides.errors import ImportFailed

MAGIC = b"!BDN"
"""The first bytes of every Outlook data file."""

NODE_BYTES_MAX = 96 << 20
"""Most bytes of one node that are read: a mail's properties, or one attachment."""

DEPTH_MAX = 8
"""Levels of a tree; three hold more than any file has."""

SUBNODES_MAX = 10_000
"""Most nodes below one node that are read."""

PAGES_MAX = 1 << 20
"""Most pages of a tree; files of 50 GB have fewer."""

READ_TIMES_MAX = 32
"""How many times its size is read of a file at most, since its nodes may lie on each other."""

READ_BYTES_MIN = 64 << 20
"""So much is read of a small file, which is read several times for a few mails."""

_VERSIONS_OLD, _VERSION, _VERSION_LARGE_PAGES = (14, 15), 23, 36
_NODES_AT, _BLOCKS_AT, _HIDDEN_AT = 0xE0, 0xF0, 0x201
_HEADER_BYTES = 564
_PLAIN, _PERMUTED = 0, 1
_INTERNAL = 2
_OFFSET_MAX = 2**63 - 1
"""The largest place that a file can have."""

_BLOCK_BYTES_MAX = 65_536
_BRANCH, _NODE, _BLOCK = struct.Struct("<QQQ"), struct.Struct("<QQQI"), struct.Struct("<QQHH")
_SUBNODE, _SUBBRANCH = struct.Struct("<QQQ"), struct.Struct("<QQ")
_LIST, _SUBLIST = 1, 2

PERMUTATION = bytes.fromhex(
    "47f1b4e60b6a7248854e9eebe2f89453e0bba002e85a09abdbe3bac67cc310dd39059630f5376082"
    "8cc9134a6b1df3fb8f2697ca911701c4322d6e3195ffd923d1005e79dc443b1a28c5615720903d83"
    "b943be67d2464276c06d5b7eb20f16293ca903540dda5ddff6b7c762cd8d06d3695c86d614f7a566"
    "75acb1e94521700c879f74a4224c6fbf1f56aa2eb3783350b0a392bccf191ca763cb1e4d3e4b1b9b"
    "4fe7f0eead3ab55904ea40552551e57a893868527bfc27aed7bdfa07f4cc8e5fef359c842b15d577"
    "3449b6120a7f7188fd9d18417d93d8582ccefe24afdeb836c8a180a69998a82f0e816573e4c2a28a"
    "d4e111d0088b2af2ed9a643fc16cf9ec"
)
"""How bytes of blocks were changed for others ([MS-PST], 5.1); it hides nothing from anyone."""


class Node(NamedTuple):
    """A node: its number, its data and its subnodes by their blocks, and the node above it."""

    number: int
    data: int
    below: int
    parent: int


class _Place(NamedTuple):
    """Where a block lies, and its size in the file and when it is unpacked."""

    offset: int
    size: int
    full_size: int


class NodeFile:
    """An Outlook data file that is open for reading.

    Raises:
        ImportFailed: It is none, or of a kind that is not read; says which program converts it.
    """

    def __init__(self, stream: BinaryIO, *, size_bytes: int) -> None:
        self._stream = stream
        self._left = READ_TIMES_MAX * size_bytes + READ_BYTES_MIN
        header = stream.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(MAGIC):
            raise ImportFailed("not an Outlook data file")
        version = int.from_bytes(header[10:12], "little")
        if version in _VERSIONS_OLD:
            raise _unread("of Outlook 97 to 2002")
        if version not in (_VERSION, _VERSION_LARGE_PAGES):
            raise _unread(f"of version {version}")
        if header[_HIDDEN_AT] not in (_PLAIN, _PERMUTED):
            raise _unread("encrypted")
        self.has_large_pages = version == _VERSION_LARGE_PAGES
        self._is_hidden = header[_HIDDEN_AT] == _PERMUTED
        self._nodes_at = int.from_bytes(header[_NODES_AT : _NODES_AT + 8], "little")
        self._blocks_at = int.from_bytes(header[_BLOCKS_AT : _BLOCKS_AT + 8], "little")
        self._page = lru_cache(maxsize=512)(self._read_page)

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes in the order of their numbers."""
        for raw in self._leaves(self._nodes_at):
            number, data, below, parent = _NODE.unpack_from(raw)
            yield Node(number & 0xFFFFFFFF, data, below, parent)

    def _leaves(self, root: int) -> Iterator[bytes]:
        """Yield the entries of a tree's lowest pages, page by page."""
        waiting, seen = [(root, DEPTH_MAX)], set[int]()
        while waiting and len(seen) < PAGES_MAX:
            offset, depth = waiting.pop()
            if offset in seen or depth < 0:
                continue
            seen.add(offset)
            level, entries = self._page(offset)
            if level == 0:
                yield from entries
            else:
                below = [_BRANCH.unpack_from(one)[2] for one in entries]
                waiting += [(one, depth - 1) for one in reversed(below)]

    def _read_page(self, offset: int) -> tuple[int, list[bytes]]:
        """Return the level of a page, 0 for the lowest, and its entries."""
        size, at = (4096, 4056) if self.has_large_pages else (512, 488)
        page = self._at(offset, size)
        if len(page) < size:
            return 0, []
        if self.has_large_pages:
            count, _, width, level = struct.unpack_from("<HHBB", page, at)
        else:
            count, _, width, level = struct.unpack_from("<BBBB", page, at)
        if width < _BLOCK.size or level > DEPTH_MAX or (level and width < _BRANCH.size):
            return 0, []
        ends = range(width, min(count * width, at) + 1, width)
        return level, [page[end - width : end].ljust(_NODE.size, b"\0") for end in ends]

    def _at(self, offset: int, size: int) -> bytes:
        """Return the bytes at a place; none where no file can have one."""
        if offset > _OFFSET_MAX:
            return b""
        self._stream.seek(offset)
        return self._stream.read(size)

    def _place(self, block: int) -> _Place | None:
        """Return where a block lies, by its number without the mark that means nothing."""
        wanted, offset = block & ~1, self._blocks_at
        for _ in range(DEPTH_MAX):
            level, entries = self._page(offset)
            if level == 0:
                found = (_BLOCK.unpack_from(one) for one in entries)
                return next((_Place(*rest) for key, *rest in found if key & ~1 == wanted), None)
            below = None
            for one in entries:
                key, _, place = _BRANCH.unpack_from(one)
                if key & ~1 > wanted:
                    break
                below = place
            if below is None:
                return None
            offset = below
        return None

    def _raw(self, block: int) -> bytes:
        """Return the bytes of one block, unpacked, and as they were before they were changed."""
        place = self._place(block) if block else None
        if place is None or place.size > _BLOCK_BYTES_MAX:
            return b""
        self._left -= max(place.size, place.full_size)
        if self._left < 0:
            raise ImportFailed("its mails lie on each other; what is left of it is not read")
        raw = self._at(place.offset, place.size)
        if self.has_large_pages and place.full_size > place.size:
            raw = _inflate(raw, place.full_size)
        return raw.translate(PERMUTATION) if self._is_hidden and not block & _INTERNAL else raw

    def blocks(self, block: int) -> list[bytes]:
        """Return the data of a node, block by block."""
        found: list[bytes] = []
        left = NODE_BYTES_MAX
        for one in self._data_blocks(block, depth=0):
            raw = self._raw(one)
            left -= max(len(raw), 4096)  # empty ones have a price, too
            if left < 0:
                break
            found.append(raw)
        return found

    def _data_blocks(self, block: int, *, depth: int) -> Iterator[int]:
        """Yield the numbers of the blocks that hold data; a long node has lists of them."""
        if not block & _INTERNAL:
            yield block
            return
        raw = self._raw(block)
        if depth > 1 or len(raw) < 8 or raw[0] != _LIST:  # noqa: PLR2004  a list's head
            return
        count = int.from_bytes(raw[2:4], "little")
        for at in range(8, min(8 + 8 * count, len(raw) - 7), 8):
            inner = int.from_bytes(raw[at : at + 8], "little")
            yield from self._data_blocks(inner, depth=depth + 1)

    def subnodes(self, block: int, *, depth: int = 0) -> dict[int, Node]:
        """Return the nodes below a node by their numbers."""
        raw = self._raw(block)
        if depth > 1 or len(raw) < 8 or raw[0] != _SUBLIST:  # noqa: PLR2004  a list's head
            return {}
        is_branch, count = raw[1] > 0, int.from_bytes(raw[2:4], "little")
        record = _SUBBRANCH if is_branch else _SUBNODE
        found: dict[int, Node] = {}
        for at in range(8, min(8 + record.size * count, len(raw) - record.size + 1), record.size):
            number, data, *below = record.unpack_from(raw, at)
            if is_branch:
                found |= self.subnodes(data, depth=depth + 1)
            else:
                found[number & 0xFFFFFFFF] = Node(number & 0xFFFFFFFF, data, below[0], 0)
            if len(found) >= SUBNODES_MAX:
                break
        return found


def _inflate(raw: bytes, full_size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(raw, full_size)
    except zlib.error:
        return b""


def _unread(kind: str) -> ImportFailed:
    return ImportFailed(
        f"an Outlook data file {kind}, which is not read; `readpst -e -o mail FILE` (libpst) makes "
        "a folder of mails of it that is"
    )
