"""The operations on briefs: make one, explain it, build it again from its receipt, keep receipts.

`make_brief` is the whole way of a question to a context: search → read the space → assemble.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from simonides.codec.read import read_receipt
from simonides.codec.write import to_line
from simonides.context.build import build_active_context
from simonides.context.excerpts import CutItems
from simonides.context.names import entities_of_each, known_entities
from simonides.context.receipt import CurrentState, ReceiptContext, Today, receipt_of, replay
from simonides.context.selection import Budget
from simonides.context.summary_level import SummaryLevelChooser, signals_of, surrogates_of
from simonides.errors import InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Hit, Query, SearchResult
from simonides.model.brief import (
    SEARCH_TOP_K,
    Brief,
    ContextConfig,
    ContextMode,
    Explained,
    Receipt,
    ReceiptSpace,
    Replay,
)
from simonides.model.export import KeptReceipt
from simonides.model.item import Role
from simonides.model.query import cut_for_analysis
from simonides.model.receipt_list import ReceiptSummary
from simonides.ports.space import Reader
from simonides.retrieval.across import FoundInSpaces, questions_to, search_each
from simonides.retrieval.search import LISTED
from simonides.text.sentences import sentences
from simonides.version import __version__

CANDIDATE_COST = 20
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One of several spaces while a brief is made: its result, its state, and a reader of it."""

    result: SearchResult
    receipt_context: ReceiptContext
    reader: Reader | None

    @property
    def space(self) -> str:
        """The name of the space."""
        return self.receipt_context.space


def assemble(
    result: SearchResult,
    *,
    query: Query,
    budget: Budget,
    config: ContextConfig,
    receipt_context: ReceiptContext,
    reader: Reader | None,
    readings: Sequence[Reading] = (),
    cut: CutItems | None = None,
) -> Brief:
    """Return the brief of a search: candidates that fit are included, others skipped.

    Candidates = included + dropped, each dropped one with its reason (law 7). The budget holds
    for the rendered text to its last separator (law 6); a budget that has no room for what the
    layout always says gives an empty text. `reader` knows engagement and stand-ins, at the
    search's revision or later; None where the space is not there yet. Of several spaces, `readings`
    holds each, the own one first; all share the budget.
    """
    entities = tuple(known_entities(result))
    if readings:
        entities = entities_of_each((one.space, one.result) for one in readings)
    background = _background(result, budget)
    candidates = _candidates(result)
    config = _for_list(config, result)
    made = build_active_context(
        candidates,
        budget,
        config,
        now=query.now,
        query=query.text,
        timezone=query.timezone,
        entities=entities,
        background=background,
        nothing=result.nothing,
        owner=receipt_context.owner,
        chooser=_chooser_of(readings, query=query, config=config)
        if readings
        else _chooser(result, query=query, config=config, reader=reader),
        cut=cut,
    )
    receipt = receipt_of(
        made, query=query, budget=budget, config=config,
        receipt_context=receipt_context, entities=entities, background=background,
        nothing=result.nothing,
        diagnostics=result.diagnostics, hits=candidates, spaces=_states(readings),
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


def _candidates(result: SearchResult) -> list[Hit]:
    """Return the candidates of a brief: the hits, and what is pinned whether found or not."""
    pinned = {hit.key: hit for hit in result.pinned}
    if not pinned:
        return list(result.hits)
    found = [
        replace(hit, pinned=True, relevance=1.0) if hit.key in pinned else hit
        for hit in result.hits
    ]
    known = {hit.key for hit in found}
    return [*(hit for hit in result.pinned if hit.key not in known), *found]


BACKGROUND_SHARE = 3
"""The background takes at most one part in so many of a budget."""


def _for_list(config: ContextConfig, result: SearchResult) -> ContextConfig:
    """Return the settings by which a list holds what is on it, and nothing that only fits a little.

    Where an agenda, things in a state, what somebody said, or the mails of a time are asked for,
    and nothing else, the search knows all of it.
    """
    plan = result.plan
    is_said = bool(plan.people) and plan.role in (Role.AUTHOR, Role.TO)
    is_of_time = bool(plan.kinds and plan.time)
    is_list = (plan.asks_list or is_said or is_of_time) and not plan.searched
    if not (is_list and any(hit.relevance >= LISTED for hit in result.hits)):
        return config
    return replace(config, worth_min=max(config.worth_min, LISTED))


def _background(result: SearchResult, budget: Budget) -> str:
    """Return the beginning of the collection's background that fits its share: whole sentences."""
    text = result.background.text if result.background else ""
    spans = sentences(text)
    room = budget.available // BACKGROUND_SHARE
    end = 0
    for (_, stop), cost in zip(spans, budget.costs([text[a:b] for a, b in spans]), strict=True):
        room -= cost
        if room < 0:
            break
        end = stop
    return text[:end].strip()


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
        signals=signals_of(result.plan, cut_for_analysis(query.text)),
    )


def _chooser_of(
    readings: Sequence[Reading], *, query: Query, config: ContextConfig
) -> SummaryLevelChooser | None:
    """Return the stand-ins of each space, which its own items alone may have."""
    made = {
        one.space: _chooser(one.result, query=query, config=config, reader=one.reader)
        for one in readings
    }
    by_space = {space: one for space, one in made.items() if one is not None}
    if not by_space:
        return None
    return SummaryLevelChooser(config=config, now=query.now, surrogates={}, by_space=by_space)


def _states(readings: Sequence[Reading]) -> tuple[ReceiptSpace, ...]:
    return tuple(
        ReceiptSpace(
            space=one.space, space_uuid=one.receipt_context.space_uuid,
            revision=one.result.diagnostics.revision, epoch=one.receipt_context.epoch,
            embedder=one.receipt_context.embedder, mode_used=one.result.diagnostics.mode_used,
        )
        for one in readings
    )  # fmt: skip


MORE = 200
"""How much larger a budget (in its own unit) an explanation tries, to tell what would come in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgeted:
    """The settings and the budget of a brief."""

    config: ContextConfig
    budget: Budget


def make_brief(query: Query, budgeted: Budgeted, spaces: Sequence[OpenSpace]) -> Brief:
    """Return the context for a question to one or several spaces, the own one first.

    Hits have explanations only if the brief shows reasons.
    """
    query = limit_query(query, budgeted)
    found = search_each(questions_to(query, spaces), explained=budgeted.config.why, pinned=True)
    return assemble_found(found, query, budgeted)


def explain(
    query: Query,
    budgeted: Budgeted,
    spaces: Sequence[OpenSpace],
    *,
    others: Sequence[int] = (),
) -> Explained:
    """Return a brief with its search, and the items that a larger budget would add.

    `others` are further budgets of the same unit, whose briefs come along. One search
    serves all: a score does not depend on how many hits are asked for.
    """
    limits = (budgeted.budget.limit, budgeted.budget.limit + MORE, *others)
    sizes = [replace(budgeted, budget=replace(budgeted.budget, limit=one)) for one in limits]
    asked = [limit_query(query, one) for one in sizes]
    widest = max(asked, key=lambda one: one.limit)
    wide = search_each(questions_to(widest, spaces), pinned=True)
    found = [wide.with_hits(wide.whole.hits[: one.limit]) for one in asked]
    cut = CutItems()
    made, loose, *rest = (
        assemble_found(*one, cut=cut) for one in zip(found, asked, sizes, strict=True)
    )
    shown = {item.key for item in made.items}
    return Explained(
        result=found[0].whole,
        brief=made,
        more=MORE,
        more_items=tuple(item for item in loose.items if item.key not in shown),
        briefs=tuple(rest),
    )


def limit_query(query: Query, budgeted: Budgeted) -> Query:
    """Return the question with the number of hits that a brief of this budget chooses from."""
    return replace(query, limit=candidates_of(budgeted.config, limit=budgeted.budget.limit))


def assemble_found(
    found: FoundInSpaces, query: Query, budgeted: Budgeted, *, cut: CutItems | None = None
) -> Brief:
    """Return the brief of the hits of a search of one or several spaces."""
    with ExitStack() as opened:
        readings = []
        for space, result in found.results:
            context, reader = opened.enter_context(_reading(space))
            readings.append(Reading(result=result, receipt_context=context, reader=reader))
        own = readings[0]
        return assemble(
            found.whole, query=query, budget=budgeted.budget, config=budgeted.config,
            receipt_context=own.receipt_context, reader=own.reader,
            readings=readings if found.is_shared else (), cut=cut,
        )  # fmt: skip


@contextmanager
def _reading(opened: OpenSpace) -> Iterator[tuple[ReceiptContext, Reader | None]]:
    """Open the space and yield its current state; None if nothing was ever written."""
    space = opened.find()
    if space is None:
        yield _receipt_context(opened, space_uuid="", epoch=0), None
        return
    with space.read() as reader:
        yield _receipt_context(opened, space_uuid=space.uuid, epoch=reader.epoch), reader


def _receipt_context(opened: OpenSpace, *, space_uuid: str, epoch: int) -> ReceiptContext:
    settings = opened.settings
    return ReceiptContext(
        engine=__version__, space=opened.name, space_uuid=space_uuid, epoch=epoch,
        embedder=opened.identity.model, owner=settings.owner, language=settings.language,
    )  # fmt: skip


def keep_receipt(receipt: Receipt, opened: OpenSpace) -> None:
    """Store a receipt in the space, to be replayed by its id.

    That is a write: the space comes into being with it, if with nothing else before.
    """
    opened.make().keep_receipt(receipt.id, to_line(receipt), at=opened.now())


def list_receipts(opened: OpenSpace, limit: int, before: str) -> list[ReceiptSummary]:
    """Return up to `limit` stored receipts, last kept first, after the one of an id."""
    space = opened.find()
    if space is None:
        return []
    with space.read() as reader:
        return [_summary(one) for one in reader.receipts(limit=limit, before=before)]


def _summary(kept: KeptReceipt) -> ReceiptSummary:
    try:
        receipt = read_receipt(kept.text)
    except InvalidInput:  # of another format, which only its own version can read
        return ReceiptSummary(id=kept.id, kept_at=kept.at)
    return ReceiptSummary(
        id=kept.id, kept_at=kept.at, query=receipt.query, budget=receipt.budget,
        unit=receipt.unit, items=len(receipt.items),
    )  # fmt: skip


def read_named_receipt(receipt: Receipt | str, opened: OpenSpace) -> Receipt:
    """Return a receipt as it is, or from a JSON text, or by the id of a stored one.

    Raises:
        NotFound: No receipt has that id.
        InvalidInput: The JSON is no receipt.
    """
    if isinstance(receipt, Receipt):
        return receipt
    return read_receipt(
        receipt if receipt.lstrip().startswith("{") else _read_kept_receipt(receipt, opened)
    )


def _read_kept_receipt(receipt_id: str, opened: OpenSpace) -> str:
    space = opened.find()
    if space is not None:
        with space.read() as reader:
            text = reader.receipt(receipt_id)
        if text is not None:
            return text
    raise NotFound("receipt", receipt_id)


def replay_receipt(receipt: Receipt | str, opened: OpenSpace) -> Replay:
    """Return the brief of a receipt, rebuilt.

    Raises:
        NotFound: No receipt has that id.
        AccessDenied: It is one of several spaces, and not all may be read from here.
        InvalidInput: It is no receipt, or one of another space or format.
    """
    made = read_named_receipt(receipt, opened)
    names = [one.space for one in made.spaces[1:]]
    others = opened.with_spaces(names)[1:]
    if len(others) != len(names):
        raise InvalidInput("receipt.spaces", "name one space twice")
    with ExitStack() as stack:
        today, *there = [_today(*stack.enter_context(_reading(one))) for one in (opened, *others)]
        by_name = dict(zip(names, there, strict=True))
        return replay(made, reader=today.reader, today=today.state, others=by_name)


def _today(receipt_context: ReceiptContext, reader: Reader | None) -> Today:
    state = CurrentState(
        engine=receipt_context.engine, space_uuid=receipt_context.space_uuid,
        epoch=receipt_context.epoch, embedder=receipt_context.embedder,
    )  # fmt: skip
    return Today(state=state, reader=reader)
