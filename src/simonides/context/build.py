"""From candidates to a context: greedy over the rendered text, every candidate accounted for.

Pure: the same candidates, budget and settings give the same bytes. What does not fit is shortened
to what is left, or skipped and the next one tried; what is shown is counted as it is rendered.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from simonides.context.excerpts import CutItems, sizes_of
from simonides.context.labels import (
    NO_ROOM,
    NOTHING,
    Block,
    RenderContext,
    RenderItem,
    text_of,
)
from simonides.context.layouts import LAYOUTS, ORDERS
from simonides.context.names import space_mark
from simonides.context.representations import Representations
from simonides.context.selection import Budget, Eligibility, TokenMeter
from simonides.context.summary_level import SummaryLevelChooser
from simonides.model.answer import Hit, ItemKey
from simonides.model.brief import (
    ActiveContext,
    BriefItem,
    ContextConfig,
    Dropped,
    DropReason,
    Section,
    Stage,
)
from simonides.model.item import Item, Kind
from simonides.model.query import cut_for_analysis
from simonides.text.chunk import word_count
from simonides.text.similarity import WORDS_MIN, DuplicateDetector, fold_words

LEAST_COSTS = {"tokens": 6, "words": 3}
"""Next to no item costs less: where something is in and not even that is left, the rest is not
looked at. An estimator of the caller's own says nothing of the sort."""

PINNED_SHARE = 3
"""Pinned memories take at most one part in so many of a budget: the rest is for the question."""

SHORT_COST = 40
"""An item that is shortened so far costs about so much, with its head."""

SHORTER_SHARE = 0.9
"""An item that was shortened and still does not fit is tried with this share of its words at most:
how many fit is an estimate."""

HEAD_CHARS = 200
"""Characters of a text that are enough to see whether it has more than a few words."""

DEFAULT_CONFIG = ContextConfig()


def build_active_context(
    candidates: Sequence[Hit],
    budget: Budget | int,
    config: ContextConfig = DEFAULT_CONFIG,
    *,
    now: datetime,
    query: str = "",
    timezone: str = "UTC",
    entities: Sequence[str] = (),
    background: str = "",
    nothing: str = "",
    owner: Sequence[str] = (),
    chooser: SummaryLevelChooser | None = None,
    cut: CutItems | None = None,
) -> ActiveContext:
    """Return the context of candidates that the caller brings, within a hard budget.

    `budget` is in tokens of `cl100k_base` if it is a number; `now` decides what has expired and how
    old things are. `entities` are lines of known entities, `background` is the collection's; both
    are left out where even they do not fit. `nothing` is said first where none of the candidates
    clearly answers. `owner` are the user's names and addresses: of somebody else who bears such a
    name the address is shown. `chooser` holds the stand-ins of mode `dense`; without it there are
    none. Who makes several contexts of the same candidates may hand in what `cut` their texts.
    Candidates = items + dropped; the text never costs more than the budget less its reserve.
    """
    if isinstance(budget, int):
        budget = Budget(limit=budget, reserve=config.reserve)
    context = RenderContext(
        request=query, now=now, timezone=timezone, entities=tuple(entities),
        headers=config.headers, why=config.why, background=background, nothing=nothing,
        owner=tuple(owner),
    )  # fmt: skip
    representations = Representations(
        config=config,
        budget=budget,
        query=cut_for_analysis(query),
        now=now,
        timezone=timezone,
        chooser=chooser,
        cut=cut or CutItems(),
    )
    assembly = Assembly(
        config=config, budget=budget, context=context, representations=representations
    )
    for hit in ORDERS[config.layout](candidates):
        assembly.offer(hit)
    return assembly.finish()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    hit: Hit
    part: RenderItem
    cost: int


@dataclass(slots=True, kw_only=True)
class Assembly:
    """The state of an assembly: chosen parts, their cost, and dropped candidates with reasons.

    A layout's text for several parts has the blocks of each alone; those that show no part
    (headers) are there once, and there may be some between any two. So the cost of one more is
    that of its own blocks, of the headers not yet there and of what stands between.
    """

    config: ContextConfig
    budget: Budget
    context: RenderContext
    representations: Representations
    chosen: list[_Chosen] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    seen: DuplicateDetector = field(default_factory=DuplicateDetector)
    left: int = field(init=False)
    """What is left of the budget."""
    _between: int = 0
    _alone: RenderContext | None = None
    """How one more part is written alone: without what stands around all of them."""
    _offered: set[ItemKey] = field(default_factory=set)
    _shared: set[tuple[str, str]] = field(default_factory=set)
    _eligibility: Eligibility = field(init=False)
    _token_meter: TokenMeter = field(init=False)

    def __post_init__(self) -> None:
        self._eligibility = Eligibility(config=self.config, now=self.context.now)
        self._token_meter = TokenMeter(budget=self.budget)
        self.left = self.budget.available
        around = self.context.entities or self.context.background
        if around and not self.budget.fits(text_of(self._blocks([]))):
            self.context = replace(self.context, entities=(), background="")

    # ── one candidate after the other ─────────────────────────────────────────────────────────

    def offer(self, hit: Hit) -> None:
        """Include a candidate if it fits; else it is dropped, with the reason."""
        key = hit.key
        if key in self._offered:
            self._drop(hit, DropReason.DUPLICATE, detail=f"{hit.id} was offered before")
            return
        self._offered.add(key)
        refusal = self._eligibility.rejection(hit)
        if refusal is not None:
            self._drop(hit, refusal[0], detail=refusal[1])
        elif self._is_full() or self._has_more_words_than_fit(hit):
            self._drop(hit, DropReason.BUDGET, detail=f"only {self.left} left")
        else:
            self._consider(hit)

    def _is_full(self) -> bool:
        least = 1 if self.budget.estimator else LEAST_COSTS[self.budget.unit]
        return self.left < (least if self.chosen else 1)

    def _has_more_words_than_fit(self, hit: Hit) -> bool:
        """Return whether the words alone of what would be shown whole cost more than is left.

        A word costs a token at least: most of what does not fit need not be written to see that.
        """
        most = self.representations.words_shown_whole
        if self.budget.estimator or not self.chosen or self.left >= min(most, SHORT_COST):
            return False
        content = hit.item.content
        words = len(content.split(None, most))
        is_too_long = self.left < words <= min(most, self.budget.available)
        return is_too_long and word_count(content) <= most

    def _consider(self, hit: Hit) -> None:
        text = _duplicate_text(hit)
        same = self.seen.find_duplicate(text, likeness_min=self.config.likeness_max)
        if same:
            self._drop(hit, DropReason.DUPLICATE, detail=f"says the same as {same}")
            return
        part = self.representations.part(hit)
        if not isinstance(part, RenderItem):
            self._drop(hit, part[0], detail=part[1])
            return
        room = self._room_for_pinned() if hit.pinned else self.left
        one, alone = self._price(hit, part)
        words_max = math.inf
        while one.cost > room:
            words_max = min(self._words_that_fit(one, room), SHORTER_SHARE * words_max)
            shorter = self.representations.shorten(hit, one.part, int(words_max))
            if shorter is None:
                break
            one, alone = self._price(hit, shorter)
        if one.cost <= room:
            self._take(one, alone, text)
            return
        whole = self._token_meter.total([block.text for block in alone])
        is_large = whole > self.budget.available
        reason = DropReason.TOO_LARGE if is_large else DropReason.BUDGET
        self._drop(hit, reason, detail=f"needs {one.cost}", cost=one.cost)

    def _price(self, hit: Hit, part: RenderItem) -> tuple[_Chosen, Sequence[Block]]:
        """Return a candidate as it would be shown, with its cost, and its blocks."""
        alone = self._blocks([part], context=self._alone)
        return _Chosen(hit=hit, part=part, cost=self._cost_of_more(alone)), alone

    def _words_that_fit(self, one: _Chosen, room: int) -> int:
        """Return an estimate of the number of a part's words that fit into `room` with its head."""
        cost = max(1, self._token_meter.total([one.part.text]))
        return sizes_of([one.part.text])[0] * (room - one.cost + cost) // cost

    def _room_for_pinned(self) -> int:
        spent = sum(one.cost for one in self.chosen if one.part.stage is Stage.PINNED)
        return min(self.left, self.budget.available // PINNED_SHARE - spent)

    def _take(self, one: _Chosen, alone: Sequence[Block], text: str) -> None:
        if not self.chosen:
            self._between = self._cost_between(one.part, alone)
            self._alone = replace(self.context, entities=(), background="", nothing="")
        self.chosen.append(one)
        self.left -= one.cost
        self._shared.update([(b.name, b.text) for b in alone if b.part is None])
        self._eligibility.accept(one.hit)
        self.representations.accept(one.part)
        self.seen.add(_name(one.hit), text)

    def _cost_of_more(self, alone: Sequence[Block]) -> int:
        """Return the cost of one more part: its blocks, less the headers that are there."""
        shared = self._shared
        fresh = [b.text for b in alone if b.part is not None or (b.name, b.text) not in shared]
        return self._token_meter.total(fresh) + self._between

    def _cost_between(self, part: RenderItem, alone: Sequence[Block]) -> int:
        """Return the cost of the separators that the layout writes between two parts."""
        once, twice = (
            Counter(block.text for block in blocks if block.part is None)
            for blocks in (alone, self._blocks([part, part]))
        )
        return self._token_meter.total(list((twice - once).elements()))

    def _drop(
        self, hit: Hit, reason: DropReason, *, detail: str = "", cost: int | None = None
    ) -> None:
        self.dropped.append(
            Dropped(
                id=hit.id, reason=reason, score=hit.score, detail=detail, cost=cost, space=hit.space
            )
        )

    def _blocks(
        self, parts: Sequence[RenderItem], *, context: RenderContext | None = None
    ) -> tuple[Block, ...]:
        return LAYOUTS[self.config.layout](parts, context or self.context)

    # ── the whole ─────────────────────────────────────────────────────────────────────────────

    def finish(self) -> ActiveContext:
        """Return the context; its text is counted once more, as a whole."""
        if not self.chosen:
            nothing = NOTHING if self._offered else self.context.nothing
            nothing = NO_ROOM if self._is_without_room() else nothing
            self.context = replace(self.context, nothing=nothing, entities=())
        blocks, text, tokens = self._render()
        while self.chosen and tokens > self.budget.available:
            last = self.chosen.pop()
            self._drop(last.hit, DropReason.BUDGET, detail=f"needs {last.cost}", cost=last.cost)
            blocks, text, tokens = self._render()
        if tokens > self.budget.available:
            blocks, text = (), ""
        tokens = tokens if text else 0
        return ActiveContext(
            text=text,
            tokens=tokens,
            items=self._items(blocks),
            dropped=tuple(self.dropped),
            account=self._account(blocks, tokens),
        )

    def _is_without_room(self) -> bool:
        """Return whether something was found that only does not fit."""
        return any(one.reason in (DropReason.BUDGET, DropReason.TOO_LARGE) for one in self.dropped)

    def _render(self) -> tuple[tuple[Block, ...], str, int]:
        """Return the chosen parts as blocks and as the whole text, with its cost."""
        blocks = self._blocks([one.part for one in self.chosen])
        text = text_of(blocks)
        return blocks, text, self.budget.cost(text)

    def _items(self, blocks: Sequence[Block]) -> tuple[BriefItem, ...]:
        """Return the shown items, numbered in the order of the text."""
        costs: dict[int, int] = {}
        shown = [block for block in blocks if block.part is not None]
        for block, cost in zip(shown, self._token_meter.each([b.text for b in shown]), strict=True):
            place = block.part or 0
            costs[place] = costs.get(place, 0) + cost
        return tuple(
            _brief_item(number, self.chosen[place].part, tokens=cost)
            for number, (place, cost) in enumerate(costs.items(), start=1)
        )

    def _account(self, blocks: Sequence[Block], tokens: int) -> tuple[Section, ...]:
        """Return the cost of each block, with one line for the effect of line breaks."""
        costs = self._token_meter.each([block.text for block in blocks])
        lines = [
            Section(name=block.name, tokens=cost) for block, cost in zip(blocks, costs, strict=True)
        ]
        rest = tokens - sum(costs)
        return (*lines, Section(name="end of the text", tokens=rest)) if rest else tuple(lines)


def _name(hit: Hit) -> str:
    """Return the id of an item, and of several spaces its own."""
    return f"{hit.id} of {space_mark(hit.space)}" if hit.space else hit.id


def _duplicate_text(hit: Hit) -> str:
    """Return the text for duplicate detection: author and words; of an event also the day.

    A title belongs to what is said where it is shown and little else is: "Approved." under two
    subjects says two things, a long document under two names but one. Tasks and events are what
    their titles say.
    """
    item, author = hit.item, hit.item.author
    who = (author.name or author.address) if author else ""
    when = item.happened_at if item.kind is Kind.EVENT else None
    day = when.date().isoformat() if when else ""
    return f"{who} {day} {item.title if _is_named(item) else ''} {item.content}"


def _is_named(item: Item) -> bool:
    head = item.content[:HEAD_CHARS]
    if item.kind is Kind.MESSAGE:
        return not any(map(str.isalnum, head))
    return item.kind in (Kind.TASK, Kind.EVENT) or len(fold_words(head)) < WORDS_MIN


def _brief_item(number: int, part: RenderItem, *, tokens: int) -> BriefItem:
    item = part.item
    return BriefItem(
        number=number, id=item.id, version=item.version, title=item.title, source=item.source,
        happened_at=item.happened_at, score=part.score, tokens=tokens, stage=part.stage,
        form=part.form, trust=part.trust, tier=part.tier, spans=part.spans, space=part.space,
    )  # fmt: skip
