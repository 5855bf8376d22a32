"""What may be asked for memories that change: proposals, and writes that rest on a decision.

The part of the ports that the room `memories` needs; `ports` joins it. Protocols with their laws,
held by the same contract suite. Must not import an adapter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from simonides.model.item import Item
from simonides.model.memories import Proposal, ProposalStatus, ProposedMemory
from simonides.model.stored import Outcome, Prepared


@runtime_checkable
class Extractor(Protocol):
    """Reads items and proposes what of them may be worth remembering: a model, or rules.

    What it says is never kept as it is: it becomes proposals, which a person decides on.
    """

    @property
    def name(self) -> str:
        """Who proposes, with a version: `notes-model/3`. Kept with each proposal."""
        ...

    def extract(self, items: Sequence[Item]) -> Sequence[ProposedMemory]:
        """Return what may be worth remembering of some items, which belong together.

        They are of one session and in its order, or one item alone. `evidence` names those of
        them that a proposal was read out of. What it raises ends the extraction.
        """
        ...


class DecidedBy(NamedTuple):
    """The state of a space by which something was decided about its memories."""

    revision: int
    epoch: int


class ProposalReader(Protocol):
    """One consistent look at a space, as those see it who decide on proposals."""

    def proposal(self, proposal_id: str) -> Proposal | None:
        """Return one proposal; None where none is kept by that id."""
        ...

    def proposals(
        self, *, statuses: Sequence[ProposalStatus] = (), limit: int, before: str = ""
    ) -> Sequence[Proposal]:
        """Return up to `limit` proposals of some statuses (none named: all), latest first.

        By (time, id); `before` is the id of the one after which to go on, an unknown one gives
        nothing.
        """
        ...


class DecidingSpace(Protocol):
    """One open space, as those see it who decide about memories."""

    def commit_memories(
        self, prepared: Sequence[Prepared], *, decided_by: DecidedBy, stored_at: datetime
    ) -> tuple[Outcome, ...] | None:
        """Commit what was decided about memories; None, and nothing written, if it does not hold.

        It holds while no memory was added, replaced, forgotten or erased since that state.
        """
        ...

    def put_proposals(self, proposals: Sequence[Proposal], *, at: datetime) -> tuple[str, ...]:
        """Keep proposals and return the ids of those that were not kept before.

        Those that were stay as they are, whatever was decided of them. Takes a revision if there
        are new ones.
        """
        ...

    def decide(
        self,
        proposal: Proposal,
        *,
        was: ProposalStatus,
        prepared: Sequence[Prepared],
        forget: Sequence[str],
        decided_by: DecidedBy,
        at: datetime,
    ) -> Proposal | None:
        """Keep what was decided of a proposal, with the items that it writes, in one transaction.

        Returns it as it is kept: its outcome says at which revision, and which versions its changes
        left. None, and nothing written, if the one kept has another status than `was`, or a memory
        was written since the state that it was decided by.
        """
        ...
