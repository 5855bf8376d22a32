"""The lease of one sort of work in a space: who does it, and until when nobody else begins it.

Must not know where a lease is kept.
"""

from dataclasses import dataclass
from enum import StrEnum


class Work(StrEnum):
    """What one process at a time does in a space, whichever machine it runs on."""

    IMPORT = "import"
    VECTORS = "vectors"
    """Embedding what waits, and re-embedding."""
    COMPACTION = "compaction"
    MOVE = "move"
    """Finding out whether the target of a move is another space than its source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The lease of a `work`, held by one process for `left_s` more seconds, unless it is renewed.

    `work` is a `Work`, or one that a later version knows. `token` is higher than that of every
    holder before: the fence by which a write of an earlier one is known. `holder` names the machine
    and the process (`db-1/8f14e45f.4026531836 4711-ab12cd34-…`).
    """

    work: str
    token: int
    holder: str
    left_s: float

    def __str__(self) -> str:
        """Return who does what."""
        machine, _, process = self.holder.partition(" ")
        number, name = process.partition("-")[0], machine.partition("/")[0]
        return f"{self.work} by process {number} of {name}"
