"""Results of a move: what it would do, and what it did.

Knows shapes. Must not know how any of it is done.
"""

from dataclasses import dataclass
from enum import StrEnum

from simonides.model.result import Result


class MoveTarget(StrEnum):
    """What the target has by the name of the space."""

    NOTHING = "nothing"
    COPY = "copy"
    """What an earlier move left of this space: only what is later is carried over."""
    OTHER = "other"
    """Another space, or a copy that was written to since: the move refuses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlan(Result):
    """What a move would do; nothing was written.

    `source` and `target` are a home or the address of a database. `versions` counts present and
    past ones, `vectors` the chunks whose vectors go along, `bytes` what the source takes on disk,
    its index included. With `found` being `other`, the move would be refused.
    """

    space: str
    source: str
    target: str
    revision: int
    items: int
    versions: int
    chunks: int
    vectors: int
    bytes: int
    found: MoveTarget
    removes_source: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport(Result):
    """The report of a move: the state in which the copy was found to be what the source is.

    `digest` is of the export's bytes and the vectors, the same of both; `rounds` is how often what
    was written meanwhile was carried over, with the copy itself.
    """

    space: str
    revision: int
    items: int
    digest: str
    rounds: int
    removed_source: bool
    took_s: float
