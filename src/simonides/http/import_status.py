"""The status of an import, as it is shown. Must not know how an import is run."""

from dataclasses import dataclass
from enum import StrEnum

from simonides.model.import_report import ImportProgress, ImportReport


class State(StrEnum):
    """The state of an import."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = (State.DONE, State.FAILED, State.CANCELLED)


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
        return self.state in ENDED
