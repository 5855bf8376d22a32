"""From a search to a brief: the context of its hits, with a receipt."""

from simonides.context.build import build_active_context
from simonides.context.names import known_entities
from simonides.context.receipt import ReceiptContext, receipt_of
from simonides.context.summary_level import SummaryLevelChooser, signals_of, surrogates_of
from simonides.context.token_budget import Budget
from simonides.model.answer import Query, SearchResult
from simonides.model.brief import SEARCH_TOP_K, Brief, ContextConfig, ContextMode
from simonides.model.query import analysed_part
from simonides.ports.space import Reader

CANDIDATE_COST = 12
"""About the least that a candidate takes of a budget: so many are asked for as may find a place."""

CANDIDATES_PER_ITEM = 6
"""Hits to choose from for each item that may be shown, where that is bounded: repeats, and a chat's
messages beyond their share, fall out."""

CANDIDATES_MAX = 1_000
"""More are never asked for unless `top_k` says so."""


def candidates_of(config: ContextConfig, *, limit: int) -> int:
    """Return the number of hits from which a brief of `limit` tokens or words is chosen.

    Where it may show but a few items, a few times as many: some are near duplicates, or too large.
    """
    if config.top_k:
        return config.top_k
    by_budget = min(limit // CANDIDATE_COST, CANDIDATES_MAX)
    by_items = by_budget if config.items_max is None else CANDIDATES_PER_ITEM * config.items_max
    return max(SEARCH_TOP_K, min(by_budget, by_items))


def assemble(
    result: SearchResult,
    *,
    query: Query,
    budget: Budget,
    config: ContextConfig,
    receipt_context: ReceiptContext,
    reader: Reader | None,
) -> Brief:
    """Return the brief of a search: candidates that fit are included, others skipped.

    Candidates = included + dropped, each dropped one with its reason (law 7). The budget holds
    for the rendered text to its last separator (law 6); a budget that has no room for what the
    layout always says gives an empty text. `reader` knows engagement and stand-ins, at the
    search's revision or later; None where the space is not there yet.
    """
    entities = tuple(known_entities(result))
    made = build_active_context(
        result.hits,
        budget,
        config,
        now=query.now,
        query=query.text,
        timezone=query.timezone,
        entities=entities,
        chooser=_chooser(result, query=query, config=config, reader=reader),
    )
    receipt = receipt_of(
        made, query=query, budget=budget, config=config,
        receipt_context=receipt_context, entities=entities,
        diagnostics=result.diagnostics, hits=result.hits,
    )  # fmt: skip
    return Brief(
        text=made.text,
        tokens=made.tokens,
        budget=budget.limit,
        unit=budget.unit,
        items=made.items,
        dropped=made.dropped,
        receipt=receipt,
        diagnostics=result.diagnostics,
        account=made.account,
    )


def _chooser(
    result: SearchResult, *, query: Query, config: ContextConfig, reader: Reader | None
) -> SummaryLevelChooser | None:
    if config.context_mode is not ContextMode.DENSE or reader is None:
        return None
    ids = [hit.id for hit in result.hits]
    return SummaryLevelChooser(
        config=config,
        now=query.now,
        surrogates=surrogates_of([hit.item for hit in result.hits], reader=reader, config=config),
        engagements=reader.engagements(ids, revision=result.diagnostics.revision),
        signals=signals_of(result.plan, analysed_part(query.text)),
    )
