"""The members of zips, tars and compressed files, in one shape, with what they may unpack to.

Knows the layouts, as the standard library reads them, and how to distinguish bombs from archives.
Must not know what becomes of a member.
"""

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Protocol

from simonides.errors import ImportFailed
from simonides.importers import allowance
from simonides.importers.allowance import TOO_LARGE, UnpackingBudget
from simonides.importers.charset import decode
from simonides.importers.header import YEARS, one_line
from simonides.ports.importer import Allowance
from simonides_formats.archives.xz_stream import MEMORY_MAX, TOO_MUCH_MEMORY, open_xz
from simonides_formats.documents.document_marks import open_zip

MEMBERS_MAX = 500_000
"""Most members of one archive; a mailbox kept as single mails has some hundred thousand."""

READ_BYTES_MAX = 64 << 20
"""Most bytes read at once out of a compressed tar, whose headers may claim to be longer."""

ENCRYPTED = "is encrypted"
NOT_FOLLOWED = "a link or a device; links in archives are not followed"
TOO_MANY = f"more than {MEMBERS_MAX:,} members; the rest is left out"

SCANS_MAX = 16
"""How often a compressed tar is read again from its beginning to find a neighbour."""

DAMAGE = (
    OSError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, struct.error,
    EOFError, ValueError, RuntimeError, NotImplementedError, OverflowError, AssertionError,
)  # fmt: skip
"""What damaged archives make the standard library raise."""


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size_bytes: int = -1, /) -> bytes:
        """Return the next bytes; none at the end."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file in an archive.

    `open` gives its bytes, `problem` says why there are none; `begins_at` is how far into the
    archive it lies, `ends_at`, asked for once it is read, where it ends there. If it `is_counted`,
    the stream itself takes what is read from the budget.
    """

    name: str
    size_bytes: int
    begins_at: int
    ends_at: Callable[[], int]
    open: Callable[[], Readable]
    modified_at: datetime | None = None
    problem: str = ""
    is_counted: bool = False


class Members(Protocol):
    """The members of one archive, once through in their order, and any by its name."""

    def __iter__(self) -> Iterator[Member]:
        """Return the members that are no folders."""
        ...

    def read(self, name: str, *, bytes_max: int) -> bytes | None:
        """Return the bytes of a member; None if there is none that small."""
        ...

    def close(self) -> None:
        """Close the archive."""
        ...


def members_of(path: Path, where: str, budget: Allowance) -> Members:
    """Return the members of the archive at `path`, which reports call `where`."""
    with path.open("rb") as stream:
        start = stream.read(6)
    if start.startswith(b"PK"):
        return _Zip(path, budget)
    return _Tar(path, PurePosixPath(where), budget, opener=_OPENERS.get(start[:2], _plain))


def _plain(stream: BinaryIO) -> IO[bytes]:
    return stream


_Opener = Callable[[BinaryIO], Any]
_OPENERS: dict[bytes, _Opener] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream, mode="rb"),
    b"BZ": bz2.BZ2File,
    b"\xfd7": open_xz,
}
"""By the first two bytes of a file."""


class _Zip:
    """The members of a zip, in the order of their names."""

    def __init__(self, path: Path, budget: Allowance) -> None:
        self._path, self._archive = path, open_zip(path)
        self._size_bytes = path.stat().st_size
        self._budget = budget

    def close(self) -> None:
        self._archive.close()

    def __iter__(self) -> Iterator[Member]:
        done = 0
        infos = sorted(self._archive.infolist(), key=lambda one: one.filename)
        for number, info in enumerate(infos):
            begun, done = done, min(done + info.compress_size, self._size_bytes)
            if info.filename.endswith("/"):  # `is_dir` fails where there is no name
                continue
            yield Member(
                name=_zip_name(info),
                size_bytes=info.file_size,
                begins_at=begun,
                ends_at=partial(int, done),
                open=partial(self._archive.open, info),
                modified_at=_zip_time(info),
                problem=TOO_MANY if number >= MEMBERS_MAX else self._problem(info),
            )
            if number >= MEMBERS_MAX:
                return

    def _problem(self, info: zipfile.ZipInfo) -> str:
        if info.compress_type == zipfile.ZIP_LZMA and self._dictionary(info) > MEMORY_MAX:
            return TOO_MUCH_MEMORY
        return _zip_problem(info)

    def _dictionary(self, info: zipfile.ZipInfo) -> int:
        """Return how many bytes of memory a member that LZMA compressed asks for."""
        with self._path.open("rb") as stream:
            stream.seek(info.header_offset + 26)
            lengths = stream.read(4)
            skipped = sum(struct.unpack("<2H", lengths)) if len(lengths) == 4 else 0  # noqa: PLR2004  two lengths
            stream.seek(skipped + 5, 1)  # a version, a length and the first property
            return int.from_bytes(stream.read(4), "little")

    def read(self, name: str, *, bytes_max: int) -> bytes | None:
        info = self._archive.NameToInfo.get(name)
        if info is None or info.file_size > bytes_max or self._problem(info):
            return None
        self._budget.take(info.file_size)
        return self._archive.read(info)


_UTF8_NAME = 0x800
_IS_ENCRYPTED = 0x1
_UNIX_TIME = b"UT"


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return a member's name; one that is not marked as UTF-8 often is, all the same."""
    if info.flag_bits & _UTF8_NAME or info.filename.isascii():
        return one_line(info.filename)
    return one_line(decode(info.filename.encode("cp437", "replace")))


def _zip_problem(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _IS_ENCRYPTED:
        return ENCRYPTED
    if stat.S_ISLNK(info.external_attr >> 16):
        return NOT_FOLLOWED
    bomb_bytes = max(allowance.FREE_BYTES, allowance.RATIO_MAX * info.compress_size)
    return TOO_LARGE if info.file_size > bomb_bytes else ""


def _zip_time(info: zipfile.ZipInfo) -> datetime | None:
    """Return when a member was last changed: in UTC where that is noted, else as it is written."""
    at = info.extra.find(_UNIX_TIME)
    field = info.extra[at : at + 9] if at >= 0 else b""
    if len(field) == 9 and field[4] & 1:  # noqa: PLR2004  mark, length, flags and four bytes
        return _unix_time(int.from_bytes(field[5:], "little"))
    try:
        when = datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return None
    return when if info.date_time[:3] != (1980, 1, 1) else None  # the zero of its clock


def _unix_time(seconds: float) -> datetime | None:
    try:
        when = datetime.fromtimestamp(int(seconds), tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return when if when.year in YEARS else None


class _Tar:
    """The members of a tar, compressed or not; or the one file that was compressed."""

    def __init__(
        self, path: Path, where: PurePosixPath, budget: Allowance, *, opener: _Opener
    ) -> None:
        self._path, self._where, self._budget, self._opener = path, where, budget, opener
        self._size_bytes = path.stat().st_size
        self._raw = path.open("rb")
        self._stream = self._bound(self._raw, budget)
        self._scans = 0
        self._places: dict[str, tuple[int, int]] | None = None

    def close(self) -> None:
        self._raw.close()

    def __iter__(self) -> Iterator[Member]:
        if self._opener is not _plain and not self._holds_tar():
            yield self._single()
            return
        for number, (tar, info) in enumerate(_infos(self._stream)):
            if info.isdir():
                continue
            yield Member(
                name=one_line(decode(info.name.encode(errors="surrogateescape"))),
                size_bytes=info.size,
                begins_at=self._raw.tell(),
                ends_at=self._raw.tell,
                open=_opener_of(tar, info),
                modified_at=_unix_time(info.mtime),
                problem="" if info.isreg() else NOT_FOLLOWED,
                is_counted=self._opener is not _plain,
            )
            if number >= MEMBERS_MAX:
                raise ImportFailed(TOO_MANY)

    def read(self, name: str, *, bytes_max: int) -> bytes | None:
        if self._places is None:
            with self._path.open("rb") as raw:
                tars = _infos(self._bound(raw, UnpackingBudget(self._budget.left)))
                found = (info for _, info in tars if info.isreg())
                self._places = {one.name: (one.offset_data, one.size) for one in found}
        start, size_bytes = self._places.get(name, (0, bytes_max + 1))
        self._scans += self._opener is not _plain
        if size_bytes > bytes_max or self._scans > SCANS_MAX:
            return None
        self._budget.take(size_bytes)
        with self._path.open("rb") as raw:
            stream = self._opener(raw)
            stream.seek(start)
            return bytes(stream.read(size_bytes))

    def _bound(self, raw: BinaryIO, budget: Allowance) -> "_Bounded":
        return _Bounded(self._opener(raw), budget=None if self._opener is _plain else budget)

    def _holds_tar(self) -> bool:
        head = self._stream.read(tarfile.BLOCKSIZE)
        self._stream.seek(0)
        return len(head) == tarfile.BLOCKSIZE and b"ustar" in head[257:262]

    def _single(self) -> Member:
        """Return the one file that was compressed; it is called as its archive without `.gz`."""
        stem = self._where.stem if self._where.suffix.lower() in _PACKED else self._where.name
        return Member(
            name=stem.lstrip(".") or "unpacked",
            size_bytes=self._size_bytes,
            begins_at=0,
            ends_at=self._raw.tell,
            open=lambda: self._stream,
            is_counted=True,
        )


_PACKED = (".gz", ".bz2", ".xz")


def _infos(stream: "_Bounded") -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield the members of a tar; none is remembered, so that memory does not grow with them."""
    with tarfile.open(fileobj=stream, mode="r:", errorlevel=0) as tar:  # type: ignore[call-overload]
        while (info := tar.next()) is not None:
            tar.members.clear()
            yield tar, info
        stream.seek(tar.offset)
        if stream.read(tarfile.BLOCKSIZE).strip(b"\0"):  # tarfile takes damage for the end
            raise tarfile.ReadError(f"damaged from byte {tar.offset} on")


def _opener_of(tar: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def open_member() -> IO[bytes]:
        found = tar.extractfile(info)
        if found is None:
            raise ImportFailed(NOT_FOLLOWED)
        return found

    return open_member


class _Bounded:
    """A stream that refuses to be read endlessly, at once or in all."""

    def __init__(self, stream: Any, *, budget: Allowance | None) -> None:
        self._stream, self._budget, self._furthest = stream, budget, 0

    def read(self, size_bytes: int = -1) -> bytes:
        """Return the next bytes."""
        if size_bytes > READ_BYTES_MAX:
            raise ImportFailed("a header of the archive claims to be longer than any is")
        found: bytes = self._stream.read(size_bytes)
        self._check(self._stream.tell())
        return found

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place; what lies before it is unpacked."""
        self._check(place)
        return int(self._stream.seek(place, whence))

    def close(self) -> None:
        """Leave it open: the archive closes what it opened."""

    def tell(self) -> int:
        """Return the place in the unpacked bytes."""
        return int(self._stream.tell())

    def _check(self, place: int) -> None:
        """Count what was unpacked to reach a place; none twice."""
        further, self._furthest = place - self._furthest, max(place, self._furthest)
        if self._budget is not None and further > 0:
            self._budget.take(further)
