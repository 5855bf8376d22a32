"""The status of imports as all processes of a server show it, and who asked to cancel one.

The records stand outside the space. Each process says again and again that it is there; what one
that is gone was importing has failed. Must not know how an import is run.
"""

import secrets
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import msgspec

from simonides.model.import_report import ImportProgress, ImportReport
from simonides.ports.shared_state import SharedState, Sharing, imports_of

KEPT_S = 24 * 3600.0
"""How long an import can be asked for by other processes: as long as an answer."""

OWN_KEPT_S = 3650 * KEPT_S
"""The same, where there are no others: since the start."""

ALIVE_S = 15.0
"""How long a process is there that says so no more."""

CANCEL_S = 60.0
"""How long the wish to cancel stands; the process of the import looks every second."""

GONE = "the process that ran it has ended; what was read is kept: upload it again to go on"

_PROCESSES = "http:importers"
_RECORD, _CANCEL = "import:", "cancel:"


class State(StrEnum):
    """The state of an import."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportStatus:
    """The status of an import: its progress, its report, or its failure.

    Where it was cancelled or failed, what `progress` counts is kept.
    """

    id: str
    state: State
    file: str
    progress: ImportProgress | None = None
    report: ImportReport | None = None
    code: str = ""
    detail: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the import has ended."""
        return self.state not in (State.WAITING, State.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRecord:
    """The status of an import with what is not shown of it: whose it is, and who runs it.

    `born` says which space of this name it was of last: another one has nothing of an erased one.
    """

    status: ImportStatus
    space: str
    key_id: str
    begun_ns: int
    process: str
    born: str = ""

    def showing(self, **changes: Any) -> "ImportRecord":
        """Return the record with another status."""
        return replace(self, status=replace(self.status, **changes))


class ImportBoard:
    """The imports of all processes; `process` names this one. Safe to use from several threads."""

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self._kept_s = OWN_KEPT_S if shared.sharing is Sharing.OWN else KEPT_S
        self.process = secrets.token_hex(8)

    def renew(self) -> None:
        """Say that this process is there."""
        self._shared.put(_PROCESSES, self.process, 1, ttl_s=ALIVE_S)

    def put(self, record: ImportRecord) -> None:
        """Store the record of an import."""
        name, value = f"{_RECORD}{record.status.id}", msgspec.to_builtins(record)
        self._shared.put(imports_of(record.space), name, value, ttl_s=self._kept_s)

    def get(self, import_id: str, *, space: str) -> ImportRecord | None:
        """Return the record of an import of a space; None if there is none."""
        found = self._shared.get(imports_of(space), f"{_RECORD}{import_id}")
        if found is None:
            return None
        record = msgspec.convert(found, ImportRecord)
        if record.status.has_ended or self._shared.get(_PROCESSES, record.process):
            return record
        return record.showing(state=State.FAILED, code="import_failed", detail=GONE)

    def list(self, space: str) -> list[ImportRecord]:
        """Return the records of a space."""
        names = self._shared.names(imports_of(space))
        ids = [name.removeprefix(_RECORD) for name in names if name.startswith(_RECORD)]
        return [record for one in ids if (record := self.get(one, space=space))]

    def forget(self, import_id: str, *, space: str) -> None:
        """Delete the record of an import."""
        self._shared.delete(imports_of(space), f"{_RECORD}{import_id}")

    def ask_cancel(self, import_id: str, *, space: str) -> None:
        """Tell the process of an import to cancel it."""
        self._shared.put(imports_of(space), f"{_CANCEL}{import_id}", 1, ttl_s=CANCEL_S)

    def is_cancel_asked(self, import_id: str, *, space: str) -> bool:
        """Return whether an import is to be cancelled."""
        return self._shared.get(imports_of(space), f"{_CANCEL}{import_id}") is not None
