"""The operations on a home and its files: erase, import, export, backup, repair and keys.

Those that read or write a path run on the machine of the home only.
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from simonides.api.operations.arguments import FilterRequest
from simonides.api.operations.fields import (
    AN_ID,
    Ids,
    ListPage,
    Name,
    Nothing,
    Path,
    Time,
)
from simonides.api.operations.operation import Operation
from simonides.model.access import DEFAULT_PERMISSIONS, ApiKey, AuditPage, NewKey, Permission
from simonides.model.answer import Finding
from simonides.model.export import ExportReport
from simonides.model.import_report import ImportLog, ImportReport
from simonides.model.item import Kind, Trust
from simonides.model.maintenance import BackupReport, ErasureReport, RepairReport


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseRequest:
    """The items to erase: ids, or a filter, or everything; exactly one of them.

    With `prove` another process searches the files for what was erased. With `answers` the answers
    of chats that were made with it are erased, too.
    """

    ids: Ids = ()
    filter: FilterRequest | None = None
    everything: bool = False
    prove: bool = False
    answers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewEraseRequest:
    """The filter of an erasure."""

    filter: FilterRequest


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
class OwnAuditRequest(ListPage):
    """A page of the audit log of the caller's space, of one key or of all."""

    key_id: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest(OwnAuditRequest):
    """A page of the audit log, of one key or of all, of one space or of all."""

    space: Name = ""


OPERATIONS = (
    Operation(
        name="erase", subject="spaces", method="POST", path="/v1/erase",
        summary="Erase items, or the whole space, permanently, from every file.",
        request=EraseRequest, spread="ids", result=ErasureReport,
        permission=Permission.ERASE, writes=True, problems=(404,), example={"ids": [AN_ID]},
        destroys=True,
    ),
    Operation(
        name="preview_erase", subject="spaces", method="POST", path="/v1/preview-erase",
        summary="Return the ids of the items that an erasure would remove; nothing is erased.",
        request=PreviewEraseRequest, positional=("filter",), result=tuple[str, ...],
        result_name="ids", problems=(404,), example={"filter": {"sources": ["gmail"]}},
    ),
    Operation(
        name="doctor", subject="space", method="POST", path="/v1/doctor",
        summary="Check the home and the space quickly: files, checksums, settings, models.",
        request=Nothing, result=tuple[Finding, ...], result_name="findings",
        permission=Permission.ADMIN, problems=(404,), example={},
    ),
    Operation(
        name="import_", subject="imports", request=ImportRequest, spread="paths",
        summary="Import mail, documents, calendars, tasks, chats, notes, or an export of a space.",
        result=ImportReport, permission=Permission.WRITE,
    ),
    Operation(
        name="import_log", subject="imports", method="GET", path="/v1/import-log",
        summary="List past imports, latest first: what came in, what was skipped and why.",
        request=ListPage, result=ImportLog,
    ),
    Operation(
        name="export", subject="spaces", request=PathRequest, positional=("path",),
        summary="Export all data of the space, every version, as JSON Lines.",
        result=ExportReport,
    ),
    Operation(
        name="backup", subject="spaces", request=PathRequest, positional=("path",),
        summary="Copy the space to a new file, while others use it.",
        result=BackupReport, permission=Permission.ADMIN,
    ),
    Operation(
        name="repair", subject="spaces", method="POST", path="/v1/repair",
        summary="Rebuild the file of the space from all readable data.",
        request=RepairRequest, result=RepairReport, permission=Permission.ADMIN, problems=(404,),
        example={}, destroys=True,
    ),
    Operation(
        name="reembed", subject="spaces", method="POST", path="/v1/reembed",
        summary="Make all vectors of the space again with the configured embedder.",
        request=Nothing, result=int, result_name="embedded", permission=Permission.ADMIN,
        problems=(404,), example={},
    ),
    Operation(
        name="spaces", subject="spaces", method="GET", path="/v1/spaces",
        summary="Return the names of the spaces of the home.",
        request=Nothing, result=tuple[str, ...], result_name="spaces",
    ),
    Operation(
        name="keys.create", subject="keys", method="POST", path="/v1/keys",
        summary="Create a key for a space; it is shown only this once.",
        request=CreateKeyRequest, result=NewKey, permission=Permission.ADMIN, is_new=True,
        example={"name": "laptop", "permissions": ["read"], "expires": 30},
    ),
    Operation(
        name="keys.list", subject="keys", method="GET", path="/v1/keys",
        summary="List the keys without their secrets, including revoked ones.",
        request=Nothing, result=tuple[ApiKey, ...], result_name="keys", permission=Permission.ADMIN,
    ),
    Operation(
        name="keys.revoke", subject="keys", method="DELETE", path="/v1/keys/{id}",
        summary="Revoke a key permanently.",
        request=KeyId, positional=("key_id",), result=ApiKey, permission=Permission.ADMIN,
        problems=(404,),
    ),
    Operation(
        name="keys.audit", subject="keys", method="GET", path="/v1/audit",
        summary="Return a page of the audit log, latest first.",
        request=AuditRequest, result=AuditPage, permission=Permission.ADMIN,
    ),
)  # fmt: skip
