"""A small Outlook data file (.pst), made from the properties of its mails.

Knows just enough of [MS-PST] to test what reads it: pages of both levels, long values in nodes of
their own, lists of blocks, and the change of bytes that the format calls encryption.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simonides_bench.testing.outlook import Values, find_type
from simonides_formats.mail.mapi import INTEGER
from simonides_formats.mail.pst_nodes import PERMUTATION

BLOCK_BYTES_MAX = 8_176
"""Most bytes of a block of data; what is longer is parted into several."""

_PAGE = 512
_IN_HEAP_BYTES_MAX = 1_000
_CHANGED = bytes(PERMUTATION.index(byte) for byte in range(256))
_SUBNODE_TYPE = 0x1F

MAIL, FOLDER, STORE = 0x04, 0x02, 0x21


@dataclass(kw_only=True)
class MailNode:
    """A mail: its properties, and those of its recipients, files and attached mails."""

    values: Values
    recipients: Sequence[Values] = ()
    files: Sequence[Values] = ()
    mails: Sequence["MailNode"] = ()


@dataclass(kw_only=True)
class _Blocks:
    """The blocks written so far, and the nodes that they make up."""

    raw: bytearray = field(default_factory=lambda: bytearray(b"\0" * 1024))
    places: list[tuple[int, int, int]] = field(default_factory=list)
    nodes: list[tuple[int, int, int, int]] = field(default_factory=list)
    last: int = 0x20

    def add(self, content: bytes, *, is_list: bool = False) -> int:
        """Append data, or a list of blocks or nodes, and return its number."""
        if len(content) > BLOCK_BYTES_MAX:
            pieces = range(0, len(content), BLOCK_BYTES_MAX)
            inner = [self.add(content[at : at + BLOCK_BYTES_MAX]) for at in pieces]
            head = struct.pack("<BBHI", 1, 1, len(inner), len(content))
            return self.add(head + struct.pack(f"<{len(inner)}Q", *inner), is_list=True)
        self.last += 4
        number = self.last | (2 if is_list else 0)
        stored = content if is_list else content.translate(_CHANGED)
        self.places.append((number, len(self.raw), len(stored)))
        self.raw += stored.ljust(len(stored) + -len(stored) % 64, b"\0")
        return number

    def add_below(self, below: Mapping[int, tuple[int, int]]) -> int:
        """Append the list of the nodes below one, and return its number."""
        if not below:
            return 0
        entries = b"".join(struct.pack("<QQQ", n, *below[n]) for n in sorted(below))
        return self.add(struct.pack("<BBHI", 2, 0, len(below), 0) + entries, is_list=True)

    def add_page(self, entries: Sequence[bytes], *, level: int) -> int:
        """Append a page of a tree and return where it lies."""
        place = len(self.raw)
        body = b"".join(entries).ljust(488, b"\0")
        self.raw += body + bytes([len(entries), len(entries), len(entries[0]), level])
        self.raw += b"\0" * (place + _PAGE - len(self.raw))
        return place

    def add_tree(self, entries: Sequence[bytes], *, per_page: int) -> int:
        """Append a tree of two levels and return where its root lies."""
        above = []
        for at in range(0, len(entries), per_page):
            page = entries[at : at + per_page]
            place = self.add_page(page, level=0)
            above.append(page[0][:8] + struct.pack("<QQ", 0, place))
        return self.add_page(above, level=1)


@dataclass(kw_only=True)
class _Heap:
    """The heap of a node, and its values that lie in nodes below."""

    blocks: _Blocks
    below: dict[int, tuple[int, int]]
    values: list[bytes] = field(default_factory=list)

    def add(self, raw: bytes) -> int:
        """Append a value and return its place."""
        if len(raw) > _IN_HEAP_BYTES_MAX:
            number = _SUBNODE_TYPE | (0x400 + len(self.below)) << 5
            self.below[number] = (self.blocks.add(raw), 0)
            return number
        self.values.append(raw)
        return len(self.values) << 5

    def add_list(self, records: Sequence[bytes], *, key: int) -> int:
        """Append a sorted list and return its place."""
        size = len(records[0]) - key if records else 0
        root = self.add(b"".join(records)) if records else 0
        return self.add(struct.pack("<BBBBI", 0xB5, key, size, 0, root))

    def write(self, root: int, *, kind: int) -> bytes:
        """Return the bytes of the heap."""
        head = 12
        places = [head]
        for value in self.values:
            places.append(places[-1] + len(value))
        table = struct.pack("<HH", len(self.values), 0) + struct.pack(f"<{len(places)}H", *places)
        start = struct.pack("<HBBII", places[-1], 0xEC, kind, root, 0)
        return start + b"".join(self.values) + table


def _properties(blocks: _Blocks, values: Values, below: dict[int, tuple[int, int]]) -> int:
    """Append the properties of a node and return their block."""
    heap = _Heap(blocks=blocks, below=below)
    records = []
    for number in sorted(values):
        kind, raw = find_type(values[number])
        place = int.from_bytes(raw, "little") if kind == INTEGER else heap.add(raw) if raw else 0
        records.append(struct.pack("<HHI", number, kind, place))
    return blocks.add(heap.write(heap.add_list(records, key=2), kind=0xBC))


def _table(blocks: _Blocks, rows: Sequence[tuple[int, Values]]) -> tuple[int, int]:
    """Append a table, each row with its number; return its block and that of the nodes below."""
    below: dict[int, tuple[int, int]] = {}
    heap = _Heap(blocks=blocks, below=below)
    names = sorted({name for _, values in rows for name in values})
    kinds = {name: find_type(values[name])[0] for _, values in rows for name in values}
    at, columns = 4, [struct.pack("<HHHBB", 3, 0x67F2, 0, 4, 0)]
    places = {}
    for bit, name in enumerate(names, start=1):
        columns.append(struct.pack("<HHHBB", kinds[name], name, at, 4, bit))
        places[name] = (at, bit)
        at += 4
    width = at + (len(names) + 8) // 8
    written = b""
    for number, values in rows:
        row = bytearray(width)
        struct.pack_into("<I", row, 0, number)
        row[at] |= 0x80
        for name, value in values.items():
            kind, raw = find_type(value)
            place, bit = places[name]
            cell = raw if kind == INTEGER else struct.pack("<I", heap.add(raw) if raw else 0)
            row[place : place + 4] = cell
            row[at + bit // 8] |= 0x80 >> bit % 8
        written += bytes(row)
    index = heap.add_list([struct.pack("<II", n, i) for i, (n, _) in enumerate(rows)], key=4)
    rows_at = heap.add(written)
    head = struct.pack("<BB4HIII", 0x7C, len(columns), at, at, at, width, index, rows_at, 0)
    root = heap.add(head + b"".join(columns))
    return blocks.add(heap.write(root, kind=0x7C)), blocks.add_below(below)


def _add_mail(blocks: _Blocks, mail: MailNode) -> tuple[int, int]:
    """Append a mail and all below it, and return the blocks of its data and of what is below."""
    below: dict[int, tuple[int, int]] = {}
    data = _properties(blocks, mail.values, below)
    if mail.recipients:
        below[0x692] = _table(blocks, list(enumerate(mail.recipients)))
    rows: list[tuple[int, Values]] = []
    for values in mail.files:
        inside: dict[int, tuple[int, int]] = {}
        number = 0x8005 + 0x20 * len(rows)
        block = _properties(blocks, {0x3705: 1, **values}, inside)
        below[number] = (block, blocks.add_below(inside))
        rows.append((number, {0x0E20: 1}))
    for one in mail.mails:
        number = 0x8005 + 0x20 * len(rows)
        inner = {0x10004: _add_mail(blocks, one)}
        heap = _Heap(blocks=blocks, below=inner)
        place = heap.add(struct.pack("<II", 0x10004, 0))
        records = [
            struct.pack("<HHI", 0x3701, 0x0D, place),
            struct.pack("<HHI", 0x3705, 0x03, 5),
        ]
        block = blocks.add(heap.write(heap.add_list(records, key=2), kind=0xBC))
        below[number] = (block, blocks.add_below(inner))
        rows.append((number, {0x0E20: 1}))
    if rows:
        below[0x671] = _table(blocks, rows)
    return data, blocks.add_below(below)


def data_file(
    folders: Mapping[str, Iterable[MailNode]], *, wastebasket: str = "Deleted Items"
) -> bytes:
    """Return a data file with these folders; one of them may hold what was thrown away."""
    blocks = _Blocks()
    numbers = {name: 0x8002 + 0x20 * n for n, name in enumerate(folders, start=1)}
    entry = b"\0" * 20 + struct.pack("<I", numbers.get(wastebasket, 0))
    blocks.nodes.append((STORE, _properties(blocks, {0x35E3: entry}, {}), 0, 0))
    blocks.nodes.append((0x122, _properties(blocks, {0x3001: "Root"}, {}), 0, 0x122))
    count = 0
    for name, mails in folders.items():
        block = _properties(blocks, {0x3001: name}, {})
        blocks.nodes.append((numbers[name], block, 0, 0x122))
        for mail in mails:
            count += 1
            data, below = _add_mail(blocks, mail)
            blocks.nodes.append((0x200000 + 0x20 * count | MAIL, data, below, numbers[name]))
    nodes = [struct.pack("<QQQII", *one, 0) for one in sorted(blocks.nodes)]
    places = [struct.pack("<QQHHI", *one, 1, 0) for one in sorted(blocks.places)]
    roots = blocks.add_tree(nodes, per_page=15), blocks.add_tree(places, per_page=20)
    return _with_header(bytes(blocks.raw), *roots)


def _with_header(raw: bytes, nodes_at: int, blocks_at: int) -> bytes:
    head = bytearray(raw)
    head[:12] = b"!BDN\0\0\0\0SM" + struct.pack("<H", 23)
    struct.pack_into("<Q", head, 0xE0, nodes_at)
    struct.pack_into("<Q", head, 0xF0, blocks_at)
    head[0x201] = 1
    return bytes(head)
