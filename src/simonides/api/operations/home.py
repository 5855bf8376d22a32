"""The requests of operations on a home and its files, which run on its machine only.

Must not know what is done with them.
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from simonides.api.operations.fields import Cursor, Limit, Name, Path, Time
from simonides.model.access import DEFAULT_PERMISSIONS, Permission
from simonides.model.item import Kind, Trust

FIELD_CHARS_MAX = 200
"""Characters of a source that is given beside an upload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """The files to import, their source and their trust level.

    `dry_run` reads and counts everything, and keeps nothing. `mapping` says which columns of CSV
    files and fields of JSON become which fields of items of this `kind`: `{"content": "Text"}`.
    Unless it is to `wait` for them, vectors are left to `embed`.
    """

    paths: tuple[Path, ...]
    source: Annotated[str, Meta(max_length=FIELD_CHARS_MAX)] = ""
    trust: Trust | None = None
    dry_run: bool = False
    wait: bool = True
    mapping: dict[str, str] | None = None
    kind: Kind = Kind.DOCUMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRequest:
    """The file to write; in a folder it is named after the space."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest:
    """The backup that takes the place of the file; if there is none, the file is repaired."""

    backup: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateKeyRequest:
    """The space of a key, its permissions and expiry; `expires` is a time or days."""

    space: Name
    shared: tuple[Name, ...] = ()
    permissions: tuple[Permission, ...] = DEFAULT_PERMISSIONS
    expires: float | Time | None = None
    name: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateOwnKeyRequest:
    """The permissions and expiry of another key for the caller's space."""

    permissions: tuple[Permission, ...] = DEFAULT_PERMISSIONS
    expires: float | Time | None = None
    name: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyId:
    """A key, by its id, its prefix, or the whole key."""

    key_id: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAuditRequest:
    """A page of the audit log of the caller's space, of one key or of all."""

    limit: Limit = 50
    cursor: Cursor = ""
    key_id: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest(OwnAuditRequest):
    """A page of the audit log, of one key or of all, of one space or of all."""

    space: Name = ""
