"""The operations on proposed memories."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from simonides.api.arguments import with_times
from simonides.api.operations.arguments import FilterRequest, Sent
from simonides.api.operations.fields import (
    AN_ID,
    BATCH_MAX,
    Cursor,
    Id,
    Ids,
    Limit,
    ProposedText,
    Time,
)
from simonides.api.operations.items import TraitsRequest
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.item import MemoryTraits
from simonides.model.memories import (
    Proposal,
    ProposalPage,
    ProposalsMade,
    ProposalStatus,
    ProposedMemory,
)

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRequest:
    """A proposed memory; `evidence` are the ids of the items that it was extracted from."""

    text: ProposedText
    evidence: Annotated[Ids, Meta(min_length=1)]
    traits: TraitsRequest | None = None
    happened_at: Time | None = None
    note: Annotated[str, Meta(max_length=4_000)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeRequest:
    """Proposed memories, and extractors that propose them."""

    proposed: Annotated[tuple[ProposedRequest, ...], Meta(min_length=1, max_length=BATCH_MAX)]
    by: Annotated[str, Meta(min_length=1, max_length=4_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeProposals:
    """Who reads, and the items: by id, or the newest that a filter lets through."""

    by: Literal["rules", "model"] = "rules"
    items: Ids = ()
    filter: FilterRequest | None = None
    limit: Limit = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProposals:
    """A page of the proposals, of all or of one status."""

    status: ProposalStatus | None = None
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalId:
    """A proposal."""

    proposal_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptProposal:
    """The proposal to accept; in a dry run nothing is written."""

    proposal_id: Id
    dry_run: bool = False


def propose(memory: "Memory", sent: Sent) -> ProposalsMade:
    """Store proposals of memories."""
    proposed = (_read_proposal(one, timezone=memory.settings.timezone) for one in sent["proposed"])
    return memory.proposals.propose(*proposed, by=sent["by"])


def _read_proposal(sent: Sent, *, timezone: str) -> ProposedMemory:
    values = with_times(sent, timezone=timezone)
    if "traits" in values:
        values["traits"] = MemoryTraits(**values["traits"])
    return ProposedMemory(**values)


OPERATIONS = (
    Operation(
        name="proposals.make", subject="proposals", method="POST", path="/v1/proposals/make",
        summary="Propose memories out of chats and mails, by rules or by the language model.",
        request=MakeProposals, result=ProposalsMade,
        permission=Permission.WRITE, shows=True, writes=True, example={"limit": 500},
        problems=(404,),
    ),
    Operation(
        name="proposals.propose", subject="proposals", method="POST", path="/v1/proposals",
        summary="Propose memories; nothing is remembered until one is accepted.",
        request=ProposeRequest, call=propose, result=ProposalsMade,
        permission=Permission.WRITE, shows=True, writes=True,
        example={"proposed": [{"text": "Sarah prefers tea.", "evidence": [AN_ID]}], "by": "me"},
    ),
    Operation(
        name="proposals.list", subject="proposals", method="GET", path="/v1/proposals",
        summary="List the proposals, latest first.",
        request=ListProposals, result=ProposalPage,
    ),
    Operation(
        name="proposals.get", subject="proposals", method="GET", path="/v1/proposals/{id}",
        summary="Return one proposal, with its evidence.",
        request=ProposalId, positional=("proposal_id",), result=Proposal, problems=(404,),
    ),
    Operation(
        name="proposals.accept", subject="proposals", method="POST",
        path="/v1/proposals/{id}/accept",
        summary="Accept a proposal: remember it by the rules of `remember`.",
        request=AcceptProposal, positional=("proposal_id",), result=Proposal,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404, 409),
        example={"dry_run": True},
    ),
    Operation(
        name="proposals.reject", subject="proposals", method="POST",
        path="/v1/proposals/{id}/reject",
        summary="Reject a proposal; it is not proposed again.",
        request=ProposalId, positional=("proposal_id",), result=Proposal,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404,), example={},
    ),
    Operation(
        name="proposals.undo", subject="proposals", method="POST",
        path="/v1/proposals/{id}/undo",
        summary="Undo a decision; every item gets its former state.",
        request=ProposalId, positional=("proposal_id",), result=Proposal,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404, 409, 410), example={},
    ),
)  # fmt: skip
