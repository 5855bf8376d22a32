"""Archives: each file in a zip or a tar, as if it lay in a folder; compressed single files too.

Members are unpacked one at a time, into a temporary file. Must not know the formats of members,
nor how archives are laid out (`archive_members.py`).
"""

import posixpath
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from simonides.disk import new_private_file, scratch_folder
from simonides.errors import ImportFailed
from simonides.importers.allowance import UnpackingBudget
from simonides.importers.folder import FolderNeighbours
from simonides.importers.reading import read_file
from simonides.ports.importer import Allowance, ImportEvent, SourceFile
from simonides_formats.archives.archive_members import DAMAGE, Member, Members, members_of

NAME_BYTES_MAX = 120
"""Longest name of the temporary file that holds a member; file systems take 255 bytes."""

_UNSAFE = re.compile(r"[^\w.()\[\] +@=,#~-]")
_BLOCK_BYTES = 1 << 20
_LEFT_OUT = ("__MACOSX",)
"""Folders that programs put beside the files: here, what a Mac's files have beyond their bytes."""


def read_archive(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the events of every file in an archive, and why others are not read."""
    budget = file.allowance or UnpackingBudget.of(file.size_bytes)
    try:
        with (
            scratch_folder(file.scratch) as folder,
            closing(members_of(file.path, file.where, budget)) as members,
        ):
            archive = _Archive(file=file, members=members, budget=budget, folder=folder)
            yield from archive.events()
    except DAMAGE as error:
        reason = f"a damaged archive: {' '.join(str(error).split())[:200] or type(error).__name__}"
        yield file.skip(reason, bytes_done=file.size_bytes)


NAMELESS = "has no name"
"""Why a member is passed over whose name is empty, or only dots and slashes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Archive:
    """An archive being read; the container of the files in it."""

    file: SourceFile
    members: Members
    budget: Allowance
    folder: Path
    neighbours: FolderNeighbours = field(default_factory=FolderNeighbours)

    def events(self) -> Iterator[ImportEvent]:
        """Yield the events of all members in their order."""
        count = 0
        for member in self.members:
            name = inner_name(member.name)
            is_nameless = not member.name.strip("./")
            count += bool(name) or is_nameless
            if name:
                yield from self._of_member(member, name)
            elif is_nameless:
                done = member.begins_at
                yield self.file.skip(NAMELESS, part=f"member {count}", bytes_done=done)
            if self.budget.left < 0:
                return
        if not count:
            yield self.file.skip("empty", bytes_done=self.file.size_bytes)

    def read(self, where: str, *, bytes_max: int) -> bytes | None:
        """Return another file of the archive, by the path that it would have in a folder."""
        prefix = f"{self.file.where}/"
        if not where.startswith(prefix):
            return None
        name = where.removeprefix(prefix)

        def read() -> bytes | None:
            try:
                return self.members.read(name, bytes_max=bytes_max)
            except DAMAGE:
                return None

        return self.neighbours.read(name, read)

    def _of_member(self, member: Member, name: str) -> Iterator[ImportEvent]:
        begun = member.begins_at
        path = self.folder / _safe(name)
        inner = SourceFile(
            path=path,
            where=f"{self.file.where}/{name}",
            size_bytes=member.size_bytes,
            source=self.file.source,
            modified_at=member.modified_at,
            container=self,
            depth=self.file.depth + 1,
            scratch=self.file.scratch,
            allowance=self.budget,
            zone_rules=self.file.zone_rules,
            timezone=self.file.timezone,
        )
        try:
            if member.problem:
                raise ImportFailed(member.problem)  # noqa: TRY301  one report for all reasons
            inner = replace(inner, size_bytes=self._unpack(member, path))
            done = member.ends_at()
            for step in read_file(inner):
                share = step.bytes_done / max(step.bytes_total, 1)
                so_far = begun + int((done - begun) * min(share, 1.0))
                yield replace(step, bytes_done=so_far, bytes_total=self.file.size_bytes)
        except ImportFailed as error:
            yield self._skip(inner, str(error), bytes_done=member.ends_at())
        except DAMAGE as error:
            reason = f"damaged: {' '.join(str(error).split())[:200] or type(error).__name__}"
            yield self._skip(inner, reason, bytes_done=member.ends_at())
        finally:
            path.unlink(missing_ok=True)

    def _unpack(self, member: Member, path: Path) -> int:
        """Write a member to a temporary file; return its size in bytes."""
        size_bytes = 0
        with closing(member.open()) as source, new_private_file(path) as target:
            while block := source.read(_BLOCK_BYTES):
                if not member.is_counted:
                    self.budget.take(len(block))
                size_bytes += target.write(block)
        return size_bytes

    def _skip(self, inner: SourceFile, reason: str, *, bytes_done: int) -> ImportEvent:
        event = inner.skip(reason, bytes_done=bytes_done)
        return replace(event, bytes_total=self.file.size_bytes)


def inner_name(name: str) -> str:
    """Return a member's path inside its archive; empty for what is hidden or a folder.

    What climbs out (`../x`) or begins at a root (`/x`, `C:/x`) is taken to lie in the archive.
    """
    slashed = name.replace("\\", "/")
    if slashed.endswith("/"):
        return ""
    parts = [one for one in slashed.split("/") if one not in ("", ".", "..")]
    if parts and re.fullmatch("[A-Za-z]:", parts[0]):
        del parts[0]
    if any(one.startswith(".") or one in _LEFT_OUT for one in parts):
        return ""
    return "/".join(parts)


def _safe(name: str) -> str:
    """Return the last part of a member's path as the name of a file, which formats may go by."""
    path = PurePosixPath(_UNSAFE.sub("_", posixpath.basename(name)))
    suffix = path.suffix.encode()[:16].decode(errors="ignore")
    stem = path.stem.encode()[: NAME_BYTES_MAX - len(suffix)].decode(errors="ignore")
    return f"{stem}{suffix}"
