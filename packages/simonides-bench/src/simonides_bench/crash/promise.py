"""What a space must hold after a fault: what was acknowledged, and perhaps the one write more.

Knows streams by their states. Must not know faults, nor how a space is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simonides_bench.crash.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What one stream may rely on.

    `states[n]` is what its part of the space holds after n operations. Of these `acknowledged`
    were, and `begun` were at least begun: the space must hold one of the states between, whole.
    `least` says how many must be there: as many as were acknowledged, unless commits were not
    synced. `receipts` are those that were acknowledged; `erasing` says that an erasure may have
    been broken off, whose bytes are then still to be removed.
    """

    stream: str
    states: Sequence[State]
    acknowledged: int
    begun: int
    least: int
    receipts: tuple[str, ...] = ()
    erasing: bool = False

    @property
    def allowed(self) -> Sequence[State]:
        """The states that may be found, the oldest first."""
        return self.states[self.least : self.begun + 1]

    @property
    def sure(self) -> State:
        """The state in which nothing that was acknowledged is missing."""
        return self.states[self.least]

    def settle(self, found: State) -> "Promise":
        """Return what holds once one of the states was found: that state, and no other."""
        return replace(self, states=(found,), acknowledged=0, begun=0, least=0, erasing=False)
