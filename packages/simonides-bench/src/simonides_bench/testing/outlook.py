"""Small files as Outlook writes them: .msg and winmail.dat, made from their properties.

Knows just enough of both forms to test what reads them.
"""

import struct
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Union

Tree = Mapping[str, Union[bytes, "Tree"]]
"""A folder of a compound file: streams and folders by their names."""

Values = Mapping[int, str | int | bytes | datetime]
"""Properties by their numbers."""

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_FIRST_DAY = datetime(1601, 1, 1, tzinfo=UTC)


class _Compound:
    """A writer of one compound file."""

    def __init__(self) -> None:
        self.sectors: list[bytes] = []
        self.fat: list[int] = []
        self.mini = bytearray()
        self.mini_fat: list[int] = []
        self.entries: list[bytes] = [b""]

    def add_chain(self, raw: bytes) -> int:
        """Append bytes as a chain of sectors and return the first one."""
        pieces = [raw[at : at + _SECTOR] for at in range(0, len(raw), _SECTOR)]
        first = len(self.sectors)
        self.sectors += [piece.ljust(_SECTOR, b"\0") for piece in pieces]
        self.fat += [*range(first + 1, first + len(pieces)), _END] if pieces else []
        return first if pieces else _END

    def add_stream(self, raw: bytes) -> int:
        """Append a stream and return where it begins."""
        if len(raw) >= _CUTOFF:
            return self.add_chain(raw)
        first, count = len(self.mini_fat), -(-len(raw) // _MINI)
        self.mini += raw.ljust(count * _MINI, b"\0")
        self.mini_fat += [*range(first + 1, first + count), _END] if count else []
        return first if count else _END

    def add_folder(self, tree: Tree) -> int:
        """Append the entries of a folder, each to the right of the one before it."""
        following = _FREE
        for name, content in reversed(list(tree.items())):
            number = len(self.entries)
            self.entries.append(b"")
            if isinstance(content, bytes):
                start, size = self.add_stream(content), len(content)
                entry = _entry(name, 2, right=following, start=start, size=size)
            else:
                child = self.add_folder(content)
                entry = _entry(name, 1, right=following, child=child)
            self.entries[number] = entry
            following = number
        return following


def _entry(
    name: str, kind: int, *, right: int = _FREE, child: int = _FREE, start: int = 0, size: int = 0
) -> bytes:
    shown = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII36xIQ", shown, len(shown), kind, 1, _FREE, right, child, start, size
    )


def compound_file(tree: Tree) -> bytes:
    """Return a compound file with these streams and folders."""
    made = _Compound()
    child = made.add_folder(tree)
    mini = made.add_chain(bytes(made.mini))
    made.entries[0] = _entry("Root Entry", 5, child=child, start=mini, size=len(made.mini))
    directory = made.add_chain(b"".join(made.entries))
    mini_fat = made.add_chain(struct.pack(f"<{len(made.mini_fat)}I", *made.mini_fat))
    count = -(-len(made.sectors) // (_SECTOR // 4 - 1))
    tables = list(range(len(made.sectors), len(made.sectors) + count))
    fat = [*made.fat, *[_FAT] * count]
    fat += [_FREE] * (count * _SECTOR // 4 - len(fat))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII", bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6, 0,
        count, directory, 0, _CUTOFF, mini_fat, len(made.mini_fat) > 0, _END, 0,
        tables[0],
    ) + struct.pack("<108I", *tables[1:], *[_FREE] * (109 - count))  # fmt: skip
    return header + b"".join(made.sectors) + struct.pack(f"<{len(fat)}I", *fat)


def _ticks(when: datetime) -> bytes:
    return struct.pack("<Q", int((when - _FIRST_DAY).total_seconds()) * 10_000_000)


def find_type(value: str | int | bytes | datetime) -> tuple[int, bytes]:
    """Return the type of a property, and its bytes."""
    if isinstance(value, str):
        return 0x1F, value.encode("utf-16-le")
    if isinstance(value, datetime):
        return 0x40, _ticks(value)
    if isinstance(value, int):
        return 0x03, struct.pack("<i", value)
    return 0x102, value


def _folder(values: Values, *, ahead: int) -> dict[str, Union[bytes, "Tree"]]:
    """Return properties as they lie in a folder of a .msg file."""
    streams: dict[str, bytes | Tree] = {}
    listed = b"\0" * ahead
    for number, value in values.items():
        kind, raw = find_type(value)
        if kind in (0x1F, 0x102):
            streams[f"__substg1.0_{number:04X}{kind:04X}"] = raw
            raw = struct.pack("<I", len(raw))
        listed += struct.pack("<HHI8s", kind, number, 6, raw)
    return {"__properties_version1.0": listed, **streams}


def msg_tree(
    values: Values,
    *,
    recipients: Iterable[Values] = (),
    attachments: Iterable[Values] = (),
    mails: Iterable[Tree] = (),
    ahead: int = 32,
) -> Tree:
    """Return a mail as the folders of a .msg file; `mails` are attached as such."""
    tree = _folder(values, ahead=ahead)
    for number, one in enumerate(recipients):
        tree[f"__recip_version1.0_#{number:08X}"] = _folder(one, ahead=8)
    files = [_folder(one, ahead=8) for one in attachments]
    files += [_folder({0x3705: 5}, ahead=8) | {"__substg1.0_3701000D": one} for one in mails]
    for number, file in enumerate(files):
        tree[f"__attach_version1.0_#{number:08X}"] = file
    return tree


def tnef(
    values: Values, *, files: Iterable[tuple[str, bytes]] = (), mails: Iterable[bytes] = ()
) -> bytes:
    """Return a mail and attached files, and attached wrappings, as a winmail.dat."""
    made = struct.pack("<IH", 0x223E9F78, 1) + _attribute(1, 0x00069003, _run(values))
    for name, raw in files:
        made += _attribute(2, 0x00069002, b"\0" * 14)
        made += _attribute(2, 0x00018010, name.encode("cp1252") + b"\0")
        made += _attribute(2, 0x0006800F, raw)
        made += _attribute(2, 0x00069005, _run({0x3707: name}))
    for raw in mails:
        made += _attribute(2, 0x00069002, b"\0" * 14)
        made += _attribute(2, 0x00069005, _run({0x3701: b"\x07" * 16 + raw}))
    return made


def _attribute(level: int, name: int, raw: bytes) -> bytes:
    return struct.pack("<BII", level, name, len(raw)) + raw + struct.pack("<H", sum(raw) & 0xFFFF)


def _run(values: Values) -> bytes:
    made = struct.pack("<I", len(values))
    for number, value in values.items():
        kind, raw = find_type(value)
        made += struct.pack("<HH", kind, number)
        if kind in (0x1F, 0x102):
            made += struct.pack("<II", 1, len(raw)) + raw + b"\0" * (-len(raw) % 4)
        else:
            made += raw
    return made
