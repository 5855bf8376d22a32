"""`/v1/brief`, `/v1/explain`, `/v1/replay`, `/v1/diff`: context for a model, and why it is so."""

from typing import Any

from simonides.http.arguments import question, receipt_text
from simonides.http.authentication import check_allowed
from simonides.http.bodies.asking import BriefBody, DiffBody, ReplayBody
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import schema_of
from simonides.model.access import Permission
from simonides.model.brief import Brief, Explained, ReceiptDiff, Replay

_OWN = (
    "budget_tokens", "budget_words", "preset", "layout", "context_mode", "max_items", "score_min",
    "trust_min", "reserve", "headers", "why",
)  # fmt: skip


def brief(call: Call) -> Answer:
    """Return the context for a question."""
    body: BriefBody = call.body
    if body.keep_receipt:
        check_allowed(call.caller, Permission.WRITE)
    made = call.memory.brief(body.query, keep_receipt=body.keep_receipt, **_how(call))
    return Answer(record=made, count=len(made.items))


def explain(call: Call) -> Answer:
    """Return why a brief is as it is."""
    told = call.memory.explain(call.body.query, **_how(call))
    return Answer(record=told, count=len(told.brief.items))


def _how(call: Call) -> dict[str, Any]:
    body: BriefBody = call.body
    asked = question(body, now=call.server.now(), timezone=call.memory.settings.timezone)
    return {**asked, **body.given(*_OWN)}


def replay(call: Call) -> Replay:
    """Build the brief of a receipt again."""
    body: ReplayBody = call.body
    return call.memory.replay(receipt_text(body.receipt))


def diff(call: Call) -> ReceiptDiff:
    """Return why the briefs of two receipts differ."""
    body: DiffBody = call.body
    return call.memory.diff(receipt_text(body.before), receipt_text(body.after))


_EXAMPLE = {"query": "What did Sarah send me last week?", "budget_tokens": 800}

ROUTES = (
    Route(
        method="POST", path="/v1/brief", verb="brief", tag="questions", run=brief,
        told="Assemble the context for a question, within a hard budget, with a receipt.",
        body=BriefBody, answers={200: schema_of(Brief)}, example=_EXAMPLE, problems=(410,),
    ),
    Route(
        method="POST", path="/v1/explain", verb="explain", tag="questions", run=explain,
        told="Say why a brief is as it is, and what a larger one would hold.",
        body=BriefBody, answers={200: schema_of(Explained)}, example=_EXAMPLE, problems=(410,),
    ),
    Route(
        method="POST", path="/v1/replay", verb="replay", tag="questions", run=replay,
        told="Build a brief again from its receipt, byte for byte, or say what is missing.",
        body=ReplayBody, answers={200: schema_of(Replay)}, problems=(404,),
        example={"receipt": "4m1p0c7d2a9s8v6b3n5k1j0h7g"},
    ),
    Route(
        method="POST", path="/v1/diff", verb="diff", tag="questions", run=diff,
        told="Say why the briefs of two receipts differ.",
        body=DiffBody, answers={200: schema_of(ReceiptDiff)}, problems=(404,),
        example={"before": "4m1p0c7d2a9s8v6b3n5k1j0h7g", "after": "0h7g4m1p0c7d2a9s8v6b3n5k1j"},
    ),
)  # fmt: skip
