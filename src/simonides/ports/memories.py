"""The ports of changing memories: proposals, and writes that rest on a decision.

The part of the ports that the room `memories` needs; `ports` joins it. Protocols with their laws,
held by the same contract suite. Must not import an adapter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from simonides.model.item import Item
from simonides.model.stored import Outcome, Prepared

if TYPE_CHECKING:
    from simonides.model.memories import Proposal, ProposalStatus, ProposedMemory


@runtime_checkable
class Extractor(Protocol):
    """An extractor that reads items and proposes memories: a model, or rules.

    What it says is never kept as it is: it becomes proposals, which a person decides on.
    """

    @property
    def name(self) -> str:
        """The name of the extractor with a version, as `notes-model/3`; part of each proposal."""
        ...

    def extract(self, items: Sequence[Item]) -> Sequence["ProposedMemory"]:
        """Return the proposed memories of some items, which belong together.

        They are of one session and in its order, or one item alone. `evidence` names those of
        them that a proposal was read out of. What it raises ends the extraction.
        """
        ...


class DecidedBy(NamedTuple):
    """The state of a space that a decision about its memories rests on."""

    revision: int
    epoch: int


class ProposalReader(Protocol):
    """A consistent view of a space, with the methods on proposals."""

    def proposal(self, proposal_id: str) -> "Proposal | None":
        """Return one proposal; None if there is none of that id."""
        ...

    def proposals(
        self, *, statuses: Sequence["ProposalStatus"] = (), limit: int, before: str = ""
    ) -> Sequence["Proposal"]:
        """Return up to `limit` proposals of some statuses (none named: all), latest first.

        By (time, id); `before` is the id of the one after which to go on, an unknown one gives
        nothing.
        """
        ...


class DecidingSpace(Protocol):
    """An open space, with the methods for decisions about memories."""

    def commit_memories(
        self, prepared: Sequence[Prepared], *, decided_by: DecidedBy, stored_at: datetime
    ) -> tuple[Outcome, ...] | None:
        """Commit a decision about memories; None, and nothing written, if it is outdated.

        It holds while no memory was added, replaced, forgotten or erased since that state.
        """
        ...

    def put_proposals(self, proposals: Sequence["Proposal"], *, at: datetime) -> tuple[str, ...]:
        """Store proposals and return the ids of the new ones.

        Those that were stay as they are, whatever was decided of them. Takes a revision if there
        are new ones.
        """
        ...

    def decide(
        self,
        proposal: "Proposal",
        *,
        was: "ProposalStatus",
        prepared: Sequence[Prepared],
        forget: Sequence[str],
        decided_by: DecidedBy,
        at: datetime,
    ) -> "Proposal | None":
        """Store the decision on a proposal and the items that it writes, in one transaction.

        Returns it as it is kept: its outcome says at which revision, and which versions its changes
        left. None, and nothing written, if the one kept has another status than `was`, or a memory
        was written since the state that it was decided by.
        """
        ...
