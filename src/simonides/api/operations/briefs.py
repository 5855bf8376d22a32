"""The operations on briefs: make, explain, replay and compare them."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from simonides.api.operations.arguments import FilterRequest, Sent
from simonides.api.operations.fields import (
    AsOf,
    Count,
    Id,
    Limit,
    ListPage,
    Name,
    Question,
    Reserve,
    Score,
    Share,
    Spaces,
    Time,
    Zone,
)
from simonides.api.operations.operation import Operation
from simonides.model.answer import Mode, PlanPart, Scorer
from simonides.model.brief import Brief, ContextMode, Explained, Layout, Replay, TierPolicy
from simonides.model.item import Trust
from simonides.model.receipt_diff import ReceiptDiff
from simonides.model.receipt_list import ReceiptPage

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _BriefFields:
    """A question, and the settings of its brief.

    The budget is in tokens or in words. Fields that are left out are the preset's. `spaces` are
    read besides the own one, within the one budget.
    """

    query: Question
    budget_tokens: Count | None = None
    budget_words: Count | None = None
    preset: Annotated[str, Meta(max_length=32)] | None = "brief"
    limit: Limit | None = None
    max_items: Count | None = None
    mode: Mode | None = None
    scorer: Scorer | None = None
    filter: FilterRequest | None = None
    now: Time | None = None
    timezone: Zone | None = None
    session_id: Name | None = None
    min_score: Score | None = None
    min_relevance: Share | None = None
    as_of: AsOf | None = None
    ignore: tuple[PlanPart, ...] | None = None
    layout: Layout | None = None
    context_mode: ContextMode | None = None
    top_k: int | None = None
    expansion_tokens_max: int | None = None
    expansion_bytes_max: int | None = None
    snippet_words_max: int | None = None
    snippets_max: int | None = None
    surrogate_tokens_max: int | None = None
    surrogates_max: int | None = None
    surrogates: Name | None = None
    tier_policy: TierPolicy | None = None
    recent_days: float | None = None
    old_days: float | None = None
    full_importance: float | None = None
    gist_importance: float | None = None
    query_boost_max: float | None = None
    items_max: int | None = None
    source_items_max: int | None = None
    score_min: Score | None = None
    worth_min: float | None = None
    trust_min: Trust | None = None
    likeness_max: float | None = None
    reserve: Reserve | None = None
    headers: bool | None = None
    why: bool | None = None
    spaces: Spaces | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest(_BriefFields):
    """A question, the settings of its brief, and other budgets whose briefs are made as well."""

    budgets: Annotated[tuple[Count, ...], Meta(max_length=20)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefRequest(_BriefFields):
    """A question, the settings of its brief, and whether its receipt is stored in the space."""

    keep_receipt: bool = False


ReceiptOrId = dict[str, Any] | Id
"""A receipt as it came with a brief, or the id of one that was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """The brief to replay: its receipt, or the id of a stored receipt."""

    receipt: ReceiptOrId


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRequest:
    """The two briefs to compare: their receipts, or ids of stored receipts."""

    before: ReceiptOrId
    after: ReceiptOrId


def replay(memory: "Memory", sent: Sent) -> "Replay":
    """Return the brief of a receipt, rebuilt."""
    return memory.replay(_receipt(sent["receipt"]))


def diff(memory: "Memory", sent: Sent) -> "ReceiptDiff":
    """Return the differences between the briefs of two receipts, with reasons."""
    return memory.diff(_receipt(sent["before"]), _receipt(sent["after"]))


def _receipt(sent: Sent | str) -> str:
    return sent if isinstance(sent, str) else json.dumps(sent)


_TO_BRIEF = {"query": "What did Sarah send me last week?", "budget_tokens": 800}


A_RECEIPT = "4m1p0c7d2a9s8v6b3n5k1j0h7g"


OPERATIONS = (
    Operation(
        name="brief", subject="questions", method="POST", path="/v1/brief",
        summary="Return the context for a question, within a hard budget, with a receipt.",
        request=BriefRequest, positional=("query",), result=Brief,
        writes_if="keep_receipt", problems=(410,), example=_TO_BRIEF,
    ),
    Operation(
        name="explain", subject="questions", method="POST", path="/v1/explain",
        summary="Explain a brief, and list the items that a larger budget would add.",
        request=ExplainRequest, positional=("query",), result=Explained,
        problems=(410,), example=_TO_BRIEF,
    ),
    Operation(
        name="receipts", subject="questions", method="GET", path="/v1/receipts",
        summary="List the stored receipts, last kept first.",
        request=ListPage, result=ReceiptPage,
    ),
    Operation(
        name="replay", subject="questions", method="POST", path="/v1/replay",
        summary="Rebuild a brief from its receipt, byte for byte, or list what is missing.",
        request=ReplayRequest, call=replay, result=Replay, problems=(404,),
        example={"receipt": A_RECEIPT},
    ),
    Operation(
        name="diff", subject="questions", method="POST", path="/v1/diff",
        summary="Return the differences between the briefs of two receipts, with reasons.",
        request=DiffRequest, call=diff, result=ReceiptDiff, problems=(404,),
        example={"before": A_RECEIPT, "after": "0h7g4m1p0c7d2a9s8v6b3n5k1j"},
    ),
)  # fmt: skip
