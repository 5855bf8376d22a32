"""The status of imports as all processes of a server see it, and who asked to cancel one.

Of an import that has not ended there are two values: a short-lived one with its status, renewed by
its process, and a long-lived one that says how it ended if that process is gone. Both stand outside
the space. Must not know how an import is run.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from simonides.http.import_status import ImportStatus, State
from simonides.ports.shared_state import SharedState, imports_of

KEPT_S = 24 * 3600.0
"""How long the status of an import can be asked for by other processes: as long as an answer."""

ALIVE_S, RENEW_S = 15.0, 4.0
"""How long a status stands that is not renewed, and how often it is: three may fail."""

CANCEL_S = 60.0
"""How long the wish to cancel stands; the process of the import looks every second."""

GONE = "the process that ran it has ended; what was read is kept: upload it again to go on"


class ImportBoard:
    """The statuses of the imports of all processes. Safe to use from several threads."""

    def __init__(self, shared: SharedState, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._shared = shared
        self._now_ns = now_ns

    def begin(self, status: ImportStatus, *, space: str, key_id: str) -> None:
        """Announce an import."""
        self._keep(status, space=space, key_id=key_id, begun_ns=self._now_ns())

    def renew(self, status: ImportStatus, *, space: str) -> None:
        """Store the status of an import that was announced."""
        found = self._shared.get(imports_of(space), _base(status.id))
        if isinstance(found, dict):
            self._keep(status, space=space, key_id=found["key"], begun_ns=found["begun_ns"])

    def _keep(self, status: ImportStatus, *, space: str, key_id: str, begun_ns: int) -> None:
        scope = imports_of(space)
        known: dict[str, Any] = {"key": key_id, "begun_ns": begun_ns}
        if status.has_ended:
            ended = {**known, "status": msgspec.to_builtins(status)}
            self._shared.put(scope, _base(status.id), ended, ttl_s=KEPT_S)
            self._shared.delete(scope, _live(status.id))
            return
        lost = replace(status, state=State.FAILED, code="import_failed", detail=GONE)
        live = msgspec.to_builtins(status)
        self._shared.put(scope, _live(status.id), live, ttl_s=ALIVE_S)
        self._shared.put(
            scope, _base(status.id), {**known, "status": msgspec.to_builtins(lost)}, ttl_s=KEPT_S
        )

    def get(self, import_id: str, *, space: str, only_of: str | None) -> ImportStatus | None:
        """Return the status of an import of a space; None if there is none, or not of that key."""
        found = self._found(import_id, space=space, only_of=only_of)
        return None if found is None else found[1]

    def list(self, *, space: str, only_of: str | None) -> list[tuple[int, ImportStatus]]:
        """Return the imports of a space, each with when it began, latest first."""
        names = self._shared.names(imports_of(space))
        ids = [name[len(_BASE) :] for name in names if name.startswith(_BASE)]
        found = (self._found(one, space=space, only_of=only_of) for one in ids)
        return sorted((one for one in found if one), key=lambda one: (-one[0], one[1].id))

    def _found(
        self, import_id: str, *, space: str, only_of: str | None
    ) -> tuple[int, ImportStatus] | None:
        base = self._shared.get(imports_of(space), _base(import_id))
        if not isinstance(base, dict) or only_of not in (None, base["key"]):
            return None
        live = self._shared.get(imports_of(space), _live(import_id))
        return base["begun_ns"], msgspec.convert(live or base["status"], ImportStatus)

    def ask_cancel(self, import_id: str, *, space: str) -> None:
        """Tell the process of an import to cancel it."""
        self._shared.put(imports_of(space), f"cancel:{import_id}", 1, ttl_s=CANCEL_S)

    def is_cancel_asked(self, import_id: str, *, space: str) -> bool:
        """Return whether an import is to be cancelled."""
        return self._shared.get(imports_of(space), f"cancel:{import_id}") is not None


_BASE = "import:"


def _base(import_id: str) -> str:
    return f"{_BASE}{import_id}"


def _live(import_id: str) -> str:
    return f"live:{import_id}"
