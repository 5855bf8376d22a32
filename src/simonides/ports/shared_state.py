"""The port of what several processes of one server know alike for minutes, with its laws.

Working memory with the names in it, and the buckets behind limits of rate and cost. Must not know
what is kept, nor how processes reach each other.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from simonides.ports.models import WorkingMemory


class Sharing(StrEnum):
    """How far short-lived state reaches at the moment."""

    OWN = "own"
    """This process alone, as it is meant to be."""

    SHARED = "shared"
    """All processes of the server."""

    LOST = "lost"
    """This process alone, until what is shared answers again."""


def imports_of(space: str) -> str:
    """Return where the imports of a space stand: in no space, for no name has a colon."""
    return f"http:imports:{space}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refill:
    """How a bucket fills: `per_s` a second in the long run, up to `size`."""

    per_s: float
    size: float


@runtime_checkable
class Buckets(Protocol):
    """A bucket for each name, full at first, from which amounts are drawn.

    Laws: a bucket never holds more than its size; a clock that stands or goes back fills nothing;
    of those that draw at once, no two get the same. A bucket that was not used for long may be
    forgotten, and begins full again.
    """

    def draw(
        self, name: str, amount: float, *, refill: Refill, needs: float, now_s: float
    ) -> float:
        """Draw an amount and return 0, if at least `needs` is there; else the seconds until it is.

        What is drawn may be more than is there: then the bucket owes it. `now_s` is a clock of the
        machine that only ever rises, in seconds.
        """
        ...


@runtime_checkable
class SharedState(WorkingMemory, Protocol):
    """Working memory that the processes of a server have in common, and their buckets.

    Laws: those of `WorkingMemory`, over all processes. Where what is shared does not answer,
    everything goes on within the process meanwhile.
    """

    @property
    def sharing(self) -> Sharing:
        """How far it reaches at the moment."""
        ...

    @property
    def buckets(self) -> Buckets:
        """The buckets."""
        ...

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of all values of a space, sorted."""
        ...

    def close(self) -> None:
        """Close connections; what is kept stays until its time is over."""
        ...
