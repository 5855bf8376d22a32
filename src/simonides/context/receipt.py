"""A receipt: what a brief was built from, small enough to keep with every answer."""

import hashlib
from dataclasses import dataclass

from simonides.context.measure import Budget
from simonides.model.answer import Diagnostics, Query
from simonides.model.brief import (
    ActiveContext,
    BriefItem,
    ContextConfig,
    Receipt,
    ReceiptItem,
    Stage,
)

FORMAT = 1
"""The format of receipts; grows when a field changes its meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What was settled before the question came: engine version, space and embedder."""

    engine: str
    space: str
    space_uuid: str
    epoch: int
    embedder: str


def text_hash(text: str) -> str:
    """Return 32 hexadecimal digits: BLAKE2b-128 of the text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def receipt_of(
    made: ActiveContext,
    *,
    query: Query,
    budget: Budget,
    config: ContextConfig,
    settled: Settled,
    entities: tuple[str, ...],
    diagnostics: Diagnostics,
    surrogates: str,
    why: dict[str, tuple[tuple[str, float], ...]],
) -> Receipt:
    """Return the receipt of a context; `why` are the contributions by item, if they are shown."""
    uses_surrogates = any(item.stage is Stage.SURROGATE for item in made.items)
    return Receipt(
        format=FORMAT,
        engine=settled.engine,
        space=settled.space,
        space_uuid=settled.space_uuid,
        revision=diagnostics.revision,
        epoch=settled.epoch,
        query=query.text,
        now=query.now,
        timezone=query.timezone,
        limit=query.limit,
        mode=query.mode,
        scorer=query.scorer,
        filter=query.filter,
        session_id=query.session_id,
        min_score=query.min_score,
        budget=budget.limit,
        unit=budget.unit,
        encoding=budget.encoding,
        config=config,
        embedder=settled.embedder,
        items=tuple(_receipt_item(item, why.get(item.id, ())) for item in made.items),
        dropped=tuple((one.id, one.reason) for one in made.dropped),
        entities=entities,
        surrogates=surrogates if uses_surrogates else "",
        text_hash=text_hash(made.text),
    )


def _receipt_item(item: BriefItem, why: tuple[tuple[str, float], ...]) -> ReceiptItem:
    return ReceiptItem(
        id=item.id, version=item.version, score=item.score, stage=item.stage, form=item.form,
        trust=item.trust, tier=item.tier, spans=item.spans, why=why,
    )  # fmt: skip
