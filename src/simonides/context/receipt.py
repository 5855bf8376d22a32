"""A receipt: what a brief was built from, small enough to keep with every answer."""

import hashlib
from dataclasses import dataclass

from simonides.context.measure import Budget
from simonides.model.answer import Diagnostics, Query, Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What was settled before the question came: engine version, space, layout and embedder."""

    engine: str
    space: str
    layout: str
    embedder: str


def text_hash(text: str) -> str:
    """Return 32 hexadecimal digits: BLAKE2b-128 of the text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def receipt_of(
    text: str,
    *,
    query: Query,
    budget: Budget,
    settled: Settled,
    item_ids: tuple[str, ...],
    diagnostics: Diagnostics,
) -> Receipt:
    """Return the receipt of a brief with this text."""
    return Receipt(
        engine=settled.engine,
        space=settled.space,
        revision=diagnostics.revision,
        query=query.text,
        now=query.now,
        timezone=query.timezone,
        layout=settled.layout,
        budget=budget.limit,
        unit=budget.unit,
        encoding=budget.encoding,
        embedder=settled.embedder,
        mode=diagnostics.mode_used,
        scorer=query.scorer,
        item_ids=item_ids,
        text_hash=text_hash(text),
    )
