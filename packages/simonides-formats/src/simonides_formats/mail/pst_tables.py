"""Outlook data files ([MS-PST], section 2.3): the properties and tables that nodes hold.

Knows heaps, their sorted lists, property lists and tables. Must not know what a property means.
What is damaged reads as if it were not there.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from simonides_formats.mail.mapi import FIXED_BYTES, OBJECT, Value, value_of
from simonides_formats.mail.pst_nodes import Node, NodeFile

RECORDS_MAX = 20_000
"""Most properties of a node, and most rows of a table, that are read."""

DEPTH_MAX = 4
"""Levels of a sorted list."""

_HEAP, _LIST, _TABLE = 0xEC, 0xB5, 0x7C
_HEAP_HEAD = struct.Struct("<HBBI")
_LIST_HEAD = struct.Struct("<BBBBI")
_PROPERTY = struct.Struct("<HHI")
_COLUMN = struct.Struct("<HHHBB")
_IN_PLACE_BYTES = 4
_ROW_BYTES_MAX = 65_535


class Context(NamedTuple):
    """A file and the nodes below the one that is read: long values lie there."""

    file: NodeFile
    below: dict[int, Node]


class _Heap:
    """The values that lie in the blocks of a node."""

    def __init__(self, blocks: list[bytes], context: Context) -> None:
        self.blocks = blocks
        self.context = context
        self.root = 0
        if blocks and len(blocks[0]) >= _HEAP_HEAD.size:
            _, mark, _, root = _HEAP_HEAD.unpack_from(blocks[0])
            self.root = root if mark == _HEAP else 0

    def value(self, place: int) -> bytes:
        """Return the bytes at a place: in this heap, or of a node below."""
        if place & 0x1F:
            return b"".join(self.parts(place))
        bits = 14 if self.context.file.has_large_pages else 11
        index, block = (place >> 5) & ((1 << bits) - 1), place >> (5 + bits)
        if index == 0 or block >= len(self.blocks):
            return b""
        return _read_allocated(self.blocks[block], index)

    def parts(self, place: int) -> list[bytes]:
        """Return the blocks of a node below, or the one value in this heap."""
        if not place & 0x1F:
            return [self.value(place)]
        node = self.context.below.get(place)
        return self.context.file.blocks(node.data) if node else []

    def records(self, place: int) -> Iterator[bytes]:
        """Yield the records of a sorted list, each with its key."""
        head = self.value(place)
        if len(head) < _LIST_HEAD.size:
            return
        mark, key, size, levels, root = _LIST_HEAD.unpack_from(head)
        if mark == _LIST and levels <= DEPTH_MAX and key:
            yield from self._records(root, key=key, size=key + size, level=levels)

    def _records(self, place: int, *, key: int, size: int, level: int) -> Iterator[bytes]:
        raw = self.value(place) if place else b""
        width = key + 4 if level else size
        for at in range(0, min(len(raw) - width + 1, RECORDS_MAX * width), width):
            record = raw[at : at + width]
            if level == 0:
                yield record
            else:
                below = int.from_bytes(record[key:], "little")
                yield from self._records(below, key=key, size=size, level=level - 1)


def _read_allocated(block: bytes, index: int) -> bytes:
    """Return one of the values that lie in a block, counted from 1."""
    map_at = int.from_bytes(block[:2], "little")
    count = int.from_bytes(block[map_at : map_at + 2], "little")
    if map_at + 4 > len(block) or index > count:
        return b""
    at = map_at + 4 + 2 * (index - 1)
    start, stop = (int.from_bytes(block[n : n + 2], "little") for n in (at, at + 2))
    return block[start:stop]


def properties(node: Node, file: NodeFile, *, without: tuple[int, ...] = ()) -> dict[int, Value]:
    """Return the properties of a node, those apart that may be long and are not wanted now.

    The value of an object is the number of the node that holds it.
    """
    context = Context(file, file.subnodes(node.below))
    heap = _Heap(file.blocks(node.data), context)
    found: dict[int, Value] = {}
    for record in heap.records(heap.root):
        if len(record) < _PROPERTY.size or len(found) >= RECORDS_MAX:
            break
        name, kind, place = _PROPERTY.unpack_from(record)
        if name in without:
            continue
        value = _value(heap, kind, place)
        if value is not None:
            found.setdefault(name, value)
    return found


def _value(heap: _Heap, kind: int, place: int) -> Value | None:
    if kind == OBJECT:
        return int.from_bytes(heap.value(place)[:4], "little")
    if FIXED_BYTES.get(kind, _ROW_BYTES_MAX) <= _IN_PLACE_BYTES:
        return value_of(kind, place.to_bytes(4, "little"))
    return value_of(kind, heap.value(place) if place else b"")


def long_value(node: Node, file: NodeFile, name: int) -> list[bytes]:
    """Return the bytes of one property of a node, block by block."""
    context = Context(file, file.subnodes(node.below))
    heap = _Heap(file.blocks(node.data), context)
    for record in heap.records(heap.root):
        number, _, place = _PROPERTY.unpack_from(record.ljust(_PROPERTY.size, b"\0"))
        if number == name:
            return heap.parts(place) if place else []
    return []


class Row(NamedTuple):
    """One row of a table: the number of what it is about, and its values."""

    number: int
    values: dict[int, Value]


def rows(node: Node, file: NodeFile) -> Iterator[Row]:
    """Yield the rows of a table."""
    heap = _Heap(file.blocks(node.data), Context(file, file.subnodes(node.below)))
    head = heap.value(heap.root)
    if len(head) < 22 or head[0] != _TABLE:  # noqa: PLR2004  the size of a table's head
        return
    places = struct.unpack_from("<4HIII", head, 2)
    bits_at, width, rows_at = places[2], places[3], places[5]
    columns = [_COLUMN.unpack_from(head, at) for at in range(22, len(head) - 7, _COLUMN.size)][
        : head[1]
    ]
    if not 4 <= width <= _ROW_BYTES_MAX or not rows_at:  # noqa: PLR2004  a row's number
        return
    count = 0
    for part in heap.parts(rows_at):
        for at in range(0, len(part) - width + 1, width):
            count += 1
            if count > RECORDS_MAX:
                return
            yield _row(heap, part[at : at + width], columns, bits_at=bits_at)


def _row(heap: _Heap, raw: bytes, columns: list[tuple[int, ...]], *, bits_at: int) -> Row:
    values: dict[int, Value] = {}
    for kind, name, at, size, bit in columns:
        place = bits_at + bit // 8
        if place >= len(raw) or not raw[place] >> (7 - bit % 8) & 1:
            continue
        cell = raw[at : at + size]
        if kind not in FIXED_BYTES:
            cell = heap.value(int.from_bytes(cell[:4], "little"))
        value = value_of(kind, cell)
        if value is not None:
            values[name] = value
    return Row(int.from_bytes(raw[:4], "little"), values)
