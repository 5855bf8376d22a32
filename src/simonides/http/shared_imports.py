"""The imports of one process of several: each runs here, and all processes know how far it is.

Must not know which processes there are.
"""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simonides.api.operations.home import ImportRequest
from simonides.errors import NotFound
from simonides.http.import_board import RENEW_S, ImportBoard
from simonides.http.import_status import ImportStatus
from simonides.http.imports import Imports, status_of

LOOK_S = 0.25
"""Between two looks at the own imports, while there are any."""


@dataclass(slots=True, kw_only=True)
class _Told:
    """What the others were told last of an import, and when."""

    space: str
    status: ImportStatus
    at_s: float


class SharedImports(Imports):
    """The imports of this process, and the statuses of all others on the `board`."""

    def __init__(self, *given: Any, board: ImportBoard, **named: Any) -> None:
        super().__init__(*given, **named)
        self._board = board
        self._open: dict[str, _Told] = {}
        self._telling = threading.Lock()
        self._is_told = False

    def begin(
        self, path: Path, *, space: str, asked: ImportRequest, key_id: str = ""
    ) -> ImportStatus:
        """Queue the import of a file, and tell the other processes."""
        status = super().begin(path, space=space, asked=asked, key_id=key_id)
        self._board.begin(status, space=space, key_id=key_id)
        with self._changed:
            self._open[status.id] = _Told(space=space, status=status, at_s=self._clock())
            if not self._is_told:
                self._is_told = True
                threading.Thread(
                    target=self._tell_on, name="simonides-import-board", daemon=True
                ).start()
        return status

    def get(self, import_id: str, *, space: str, only_of: str | None = None) -> ImportStatus:
        """Return the status of an import of a space, whichever process runs it."""
        try:
            return super().get(import_id, space=space, only_of=only_of)
        except NotFound:
            found = self._board.get(import_id, space=space, only_of=only_of)
            if found is None:
                raise
            return found

    def list(self, *, space: str, only_of: str | None = None) -> tuple[ImportStatus, ...]:
        """Return the imports of a space in all processes, latest first."""
        own = {one.id: one for one in super().list(space=space, only_of=only_of)}
        told = self._board.list(space=space, only_of=only_of)
        listed = [own.pop(status.id, status) for _, status in told]
        return (*own.values(), *listed)

    def cancel(self, import_id: str, *, space: str, only_of: str | None = None) -> ImportStatus:
        """Cancel an import; that of another process within a second."""
        try:
            return super().cancel(import_id, space=space, only_of=only_of)
        except NotFound:
            found = self.get(import_id, space=space, only_of=only_of)
            if not found.has_ended:
                self._board.ask_cancel(import_id, space=space)
            return found

    def wait(self, *, left_s: float) -> bool:
        """Wait for all imports, and tell the other processes how they ended."""
        has_ended = super().wait(left_s=left_s)
        self.tell()
        return has_ended

    def tell(self) -> bool:
        """Tell what is new, cancel what is to be cancelled; return whether some have not ended."""
        with self._telling:
            with self._changed:
                told = list(self._open.items())
            for import_id, one in told:
                self._tell(import_id, one)
        with self._changed:
            self._is_told = bool(self._open)
            return self._is_told

    def _tell(self, import_id: str, told: _Told) -> None:
        with self._changed:
            job = self._jobs.get(import_id)
            status = told.status if job is None else status_of(job)
        if status != told.status or self._clock() - told.at_s >= RENEW_S:
            self._board.renew(status, space=told.space)
            told.status, told.at_s = status, self._clock()
        if job is None or status.has_ended:
            with self._changed:
                self._open.pop(import_id, None)
        elif self._board.is_cancel_asked(import_id, space=told.space):
            super().cancel(import_id, space=told.space)

    def _tell_on(self) -> None:
        pause = threading.Event()
        while self.tell():
            pause.wait(LOOK_S)
