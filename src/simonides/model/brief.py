"""Briefs: their settings, items, dropped candidates, and receipts.

Knows the shapes and the ranges of settings. Must not know how anything is chosen or rendered.
"""

import math
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict, Unpack

from simonides.errors import InvalidInput
from simonides.model.answer import Diagnostics, ItemKey, Mode, PlanPart, Scorer, SearchResult
from simonides.model.bounds import COUNT_OR_NONE, HITS, NAME, check_float, show_value
from simonides.model.coercion import one_of
from simonides.model.filter import Filter
from simonides.model.item import Trust
from simonides.model.result import (
    Result,
    html_paragraph,
    html_preformatted,
    html_table,
    omit_when,
    short,
)
from simonides.model.stored import Tier


class Layout(StrEnum):
    """The layout of a brief's context."""

    BRIEF = "brief"
    """Sections by kind and time, dates, people, numbered sources: for a model to read."""
    SOURCED = "sourced"
    """`[GMAIL] title` and summary, at most five; known entities; the request last (design 004)."""
    SCOPED = "scoped"
    """A line for each memory under headers of scope and type (design 000)."""


class ContextMode(StrEnum):
    """The use of surrogates: `dense` puts them before snippets."""

    FAST = "fast"
    DENSE = "dense"


class TierPolicy(StrEnum):
    """How the tier of a surrogate is chosen."""

    DISABLED = "disabled"
    AGE = "age"
    IMPORTANCE = "importance"


class Stage(StrEnum):
    """The stage of assembly that a part comes from."""

    EXPANDED = "expanded"
    SURROGATE = "surrogate"
    SNIPPET = "snippet"
    PINNED = "pinned"


class Form(StrEnum):
    """The form of a part: the whole item, sentences of it, or a summary."""

    WHOLE = "whole"
    EXCERPT = "excerpt"
    SUMMARY = "summary"


class ContextFields(TypedDict, total=False):
    """The fields of `ContextConfig` as callers may give them."""

    layout: Layout | str
    context_mode: ContextMode | str
    top_k: int
    expansion_tokens_max: int
    expansion_bytes_max: int
    snippet_words_max: int | None
    snippets_max: int | None
    surrogate_tokens_max: int
    surrogates_max: int
    surrogates: str
    tier_policy: TierPolicy | str
    recent_days: float
    old_days: float
    full_importance: float
    gist_importance: float
    query_boost_max: float
    items_max: int | None
    source_items_max: int | None
    score_min: float | None
    worth_min: float
    trust_min: Trust | str
    likeness_max: float
    reserve: int
    headers: bool
    why: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextConfig:
    """How a brief is assembled. Values out of range are clamped, as the designs do.

    Counts and sizes are 0 or more, shares in [0, 1]; NaN becomes the default. `top_k` 0 asks for
    as many candidates as the budget may hold, at least 24. `expansion_tokens_max` is how much of
    the best item is shown, or of the first one whose content has at most `expansion_bytes_max`
    bytes, and at most a quarter of the budget. `snippet_words_max` is how many words are shown of
    each other one, those of the sentences that matched best (None: a fifteenth of the budget, at
    least 60). Below `score_min` a candidate is left out, and below the relevance `worth_min`
    (0: none is). `source_items_max` caps the items of one source, `items_max` all of
    them (None: no cap). `trust_min` leaves out what is trusted less. Two texts of which
    `likeness_max` is shared are one. `surrogates` names who made the stand-ins of context mode
    `dense`. `reserve` is taken off the budget. `why` has the text say why each item is in it.
    Defaults of stages and tiers: the designs' (FastRAGConfig, AgeThresholds,
    ImportanceThresholds).
    """

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[ContextFields]) -> None: ...

    layout: Layout = Layout.BRIEF
    context_mode: ContextMode = ContextMode.FAST
    top_k: int = 0
    expansion_tokens_max: int = 600
    expansion_bytes_max: int = 2 << 20
    snippet_words_max: int | None = None
    snippets_max: int | None = None
    surrogate_tokens_max: int = 60
    surrogates_max: int = 8
    surrogates: str = "extractive"
    tier_policy: TierPolicy = TierPolicy.IMPORTANCE
    recent_days: float = 7.0
    old_days: float = 30.0
    full_importance: float = 0.6
    gist_importance: float = 0.3
    query_boost_max: float = 0.15
    items_max: int | None = None
    source_items_max: int | None = None
    score_min: float | None = None
    worth_min: float = 0.0
    trust_min: Trust = Trust.EXTERNAL
    likeness_max: float = 0.8
    reserve: int = 0
    headers: bool = True
    why: bool = False

    def __post_init__(self) -> None:
        enums = (("layout", Layout), ("context_mode", ContextMode), ("tier_policy", TierPolicy))
        for name, kind in (*enums, ("trust_min", Trust)):
            object.__setattr__(self, name, one_of(kind, getattr(self, name), field=name))
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(one.default, bool) and not isinstance(value, bool):
                raise InvalidInput(one.name, f"must be true or false, got {show_value(value)}")
            if isinstance(one.default, float):
                _check_number(value, one.name)
                top = 1.0 if one.name in _SHARES else math.inf
                object.__setattr__(self, one.name, _clamp(value, one.default, top=top))
            elif one.name in _COUNTS and value is not None:
                object.__setattr__(self, one.name, _whole(value, one.name))
        NAME.check(self.surrogates, field="surrogates")
        if self.score_min is not None:
            _check_number(self.score_min, "score_min")
            if math.isnan(self.score_min):
                object.__setattr__(self, "score_min", None)


_SHARES = frozenset(
    {
        "full_importance",
        "gist_importance",
        "query_boost_max",
        "likeness_max",
        "worth_min",
    }
)
_COUNTS = frozenset(
    {"top_k", "expansion_tokens_max", "expansion_bytes_max", "snippet_words_max", "snippets_max",
     "surrogate_tokens_max", "surrogates_max", "items_max", "source_items_max", "reserve"}
)  # fmt: skip


def _clamp(value: float, default: float, *, top: float) -> float:
    return default if math.isnan(value) else min(max(0.0, float(value)), top)


def _check_number(value: object, name: str) -> None:
    if isinstance(value, bool):
        raise InvalidInput(name, f"must be a number, got {value!r}")
    check_float(value, field=name, endless=True)


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(name, f"must be a whole number, got {show_value(value)}")
    most = HITS.high if name == "top_k" else COUNT_OR_NONE.high
    return min(max(COUNT_OR_NONE.low, value), most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named way of assembling: its settings and its budget in tokens."""

    config: ContextConfig
    budget_tokens: int


SEARCH_TOP_K = 24
"""Hits that a brief chooses from at least (the designs' searchTopK)."""

PRESETS: dict[str, Preset] = {
    "brief": Preset(config=ContextConfig(), budget_tokens=1500),
    "seed": Preset(
        config=ContextConfig(top_k=SEARCH_TOP_K, snippets_max=24),
        budget_tokens=1500,
    ),
    "chat": Preset(config=ContextConfig(items_max=10), budget_tokens=4000),
}
"""`brief`: the default. `seed`: the designs' pipeline with its caps (searchTopK 24, maxSnippets 24,
maxContextTokens 1500, expansionMaxTokens 600 unless that is over a quarter of the budget). `chat`:
max_context_items 10, max_context_tokens 4000."""


class DropReason(StrEnum):
    """The reason why a candidate is not in a brief."""

    BUDGET = "budget"
    TOO_LARGE = "too_large"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    INACTIVE = "inactive"
    EXPIRED = "expired"
    BELOW_THRESHOLD = "below_threshold"
    NOT_WORTH = "not_worth"
    TRUST = "trust"
    SOURCE_CAP = "source_cap"
    SNIPPET_CAP = "snippet_cap"
    SURROGATE_CAP = "surrogate_cap"
    MAX_ITEMS = "max_items"
    EMPTY = "empty"

    @property
    def words(self) -> str:
        """The reason as people read it."""
        return "not worth its tokens" if self is self.NOT_WORTH else self.value.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefItem(Result):
    """One item in a brief: its citation number, how it is shown, and its cost.

    `tokens` (or words) counts the lines of this item alone, without the headers above them.
    `spans` are the character offsets into its content that are shown; empty for a stand-in.
    `space` is whose it is where several are asked; else empty.
    """

    number: int
    id: str
    version: int
    title: str
    source: str
    happened_at: datetime | None
    score: float
    tokens: int
    stage: Stage
    form: Form
    trust: Trust
    tier: Tier | None = None
    spans: tuple[tuple[int, int], ...] = ()
    space: str = omit_when("")

    @property
    def key(self) -> ItemKey:
        """The space and the id."""
        return self.space, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Result):
    """A candidate that is not in the brief, and why; `cost` is its cost, if it was counted."""

    id: str
    reason: DropReason
    score: float
    detail: str = ""
    cost: int | None = None
    space: str = omit_when("")


RECEIPT_FORMAT = 4
"""The format of receipts; grows when a field changes its meaning."""

RECEIPT_FORMAT_BY_SECTION = 3
"""Up to this format the lines of the layout `brief` stood by section and day, not by relevance."""

RECEIPT_FORMATS = (1, 2, RECEIPT_FORMAT_BY_SECTION, RECEIPT_FORMAT)
"""In format 1 a receipt had no relevance, no background, and no words of its own for nothing; 2 was
that of one space and 3 that of several, which 4 tells by `spaces` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptSpace(Result):
    """One of several spaces of a brief, and its state; `mode_used` is what could be had there."""

    space: str
    space_uuid: str
    revision: int
    epoch: int
    embedder: str
    mode_used: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptItem(Result):
    """One shown item of a receipt: which version, and how it was shown.

    `revision` is the one at which that version was kept: ids and versions may be given anew after
    an erasure, revisions never.
    """

    id: str
    version: int
    revision: int
    score: float
    stage: Stage
    form: Form
    trust: Trust
    tier: Tier | None = None
    spans: tuple[tuple[int, int], ...] = ()
    why: tuple[tuple[str, float], ...] = ()
    space: str = omit_when("")
    replaces: tuple[datetime, ...] = omit_when(())
    replaced_on: datetime | None = omit_when(None)  # noqa: RUF009  a field
    takes_place_at: datetime | None = omit_when(None)  # noqa: RUF009  a field

    @property
    def key(self) -> ItemKey:
        """The space and the id."""
        return self.space, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Result):
    """The record of a brief's inputs: enough to build it again, byte for byte.

    `id` is made of all the other fields: a receipt that was changed does not fit its own any more.
    `text_hash` is BLAKE2b-128 of the text, `entities` the lines of known entities, `background`
    what is shown of the collection's, `nothing` what stands where nothing clearly answers, else
    empty, `surrogates` the
    algorithm and version of stand-ins, empty where none was used. `mode` is the one asked for,
    `mode_used` what could be had; `as_of` is the past that was asked for, `ignore` the parts of the
    plan that were not read. `owner` and `language`
    are those of the settings. `format` is that of this record.

    Of several spaces, `spaces` holds each with its state, the own one first, whose state `space` to
    `epoch` say, too; `dropped_spaces` says whose each of `dropped` is, in the same order.
    """

    id: str
    format: int
    engine: str
    space: str
    space_uuid: str
    revision: int
    epoch: int
    query: str
    now: datetime
    timezone: str
    limit: int
    mode: Mode
    mode_used: Mode
    scorer: Scorer
    filter: Filter
    session_id: str
    min_score: float | None
    min_relevance: float | None
    as_of: datetime | int | None
    budget: int
    unit: str
    encoding: str
    config: ContextConfig
    embedder: str
    owner: tuple[str, ...]
    language: str
    items: tuple[ReceiptItem, ...]
    dropped: tuple[tuple[str, DropReason], ...]
    entities: tuple[str, ...]
    background: str
    nothing: str
    surrogates: str
    text_hash: str
    spaces: tuple[ReceiptSpace, ...] = omit_when(())
    dropped_spaces: tuple[str, ...] = omit_when(())
    ignore: tuple[PlanPart, ...] = omit_when(())

    @property
    def reasons(self) -> dict[ItemKey, DropReason]:
        """Why each candidate that is not shown was dropped, by its space and id."""
        whose = self.dropped_spaces or ("",) * len(self.dropped)
        return {
            (space, item_id): reason
            for space, (item_id, reason) in zip(whose, self.dropped, strict=True)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Result):
    """One line of the account of a budget: a part of the text and its cost."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveContext(Result):
    """The result of `build_active_context`: the text and an account of all candidates.

    Candidates = `items` + `dropped`; `account` adds up to `tokens` line by line.
    """

    text: str
    tokens: int
    items: tuple[BriefItem, ...]
    dropped: tuple[Dropped, ...]
    account: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief(Result):
    """The assembled context. `tokens` counts `text` to its last separator, in `unit`.

    Candidates = `items` + `dropped`. `account` adds up to `tokens` line by line.
    """

    text: str
    tokens: int
    budget: int
    unit: str
    items: tuple[BriefItem, ...]
    dropped: tuple[Dropped, ...]
    receipt: Receipt
    diagnostics: Diagnostics
    account: tuple[Section, ...] = field(default=())

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        size = f"{self.tokens} of {self.budget} {self.unit}"
        held = f"{len(self.items)} items, {len(self.dropped)} dropped"
        return f"Brief({size}, {held}, text={short(self.text)})"

    def _repr_html_(self) -> str:
        size = f"{self.tokens} of {self.budget} {self.unit}, {len(self.items)} items"
        return html_paragraph(size) + html_preformatted(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay(Result):
    """A brief rebuilt from its receipt: the same bytes if `exact`, else what has changed.

    `text` is empty where something that it showed is not kept any more. `changed` is empty if
    `exact`, else plain sentences: first what keeps the text from being the same.
    """

    receipt_id: str
    exact: bool
    text: str
    tokens: int
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(Result):
    """The explanation of a brief: its search, its account, and what a larger budget would add.

    `more_items` would come in with `more` tokens (or words) more. `briefs` are those of the other
    budgets that were asked for, in their order.
    """

    result: SearchResult
    brief: Brief
    more: int
    more_items: tuple[BriefItem, ...]
    briefs: tuple[Brief, ...] = omit_when(())

    def _repr_html_(self) -> str:
        dropped = [(one.id, one.reason, one.score, one.detail) for one in self.brief.dropped]
        columns = ("left out", "why", "score", "detail")
        parts = (
            self.brief._repr_html_(),
            self.result._repr_html_(),
            html_table(columns, dropped),
        )
        return "".join(parts)
