"""Which candidates are considered, in which order, and what a text costs.

Eligibility: status, age, score, trust and caps, each with its reason. Order: by score, and by what
makes an item fit to answer. A search ranks each item by itself; a brief is read as a whole. What
stands right beside one of the best in its conversation explains it, and a short question without a
name or a number contains no facts. Scores are left as they are. A budget counts tokens, words or a
unit of the caller. Must not know layouts.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from simonides.errors import InvalidInput
from simonides.model.answer import Hit, ItemKey
from simonides.model.bounds import BUDGET, COUNT_OR_NONE
from simonides.model.brief import ContextConfig, DropReason, Layout
from simonides.model.item import TRUST_RANKS, Item, Kind, Status
from simonides.text.tokens import count_batch

Estimator = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A hard limit on the whole rendered text, less `reserve`.

    `unit` is `tokens` (of `encoding`) or `words`; an `estimator` of the caller's own counts in
    their stead, in a unit of its own name.
    """

    limit: int
    unit: str = "tokens"
    encoding: str = "cl100k_base"
    reserve: int = 0
    estimator: Estimator | None = None

    def __post_init__(self) -> None:
        BUDGET.check(self.limit, field="budget")
        if self.unit not in ("tokens", "words") and self.estimator is None:
            raise InvalidInput("unit", f"must be tokens or words, got {self.unit!r}")
        COUNT_OR_NONE.check(self.reserve, field="reserve")

    @property
    def available(self) -> int:
        """The limit less the reserve, never below 0."""
        return max(0, self.limit - self.reserve)

    def cost(self, text: str) -> int:
        """Return the number of tokens, or whitespace-separated words, of `text`."""
        return self.costs([text])[0]

    def costs(self, texts: Sequence[str]) -> list[int]:
        """Return the cost of each text alone, counted in one batch."""
        if self.estimator is not None:
            return [self.estimator(text) for text in texts]
        if self.unit == "words":
            return [len(text.split()) for text in texts]
        return count_batch(texts, self.encoding)

    def fits(self, text: str) -> bool:
        """Return whether `text` fits the available budget."""
        return self.cost(text) <= self.available


@dataclass(slots=True, kw_only=True)
class TokenMeter:
    """A counter of texts of recurring lines, which counts no line twice.

    Encodings cut a text at line breaks before anything else, and words end there: the cost of a
    text is the sum of its lines', each with its line break, as long as no line begins with one.
    Where that is not so (`o200k_base` draws a slash after punctuation and a line break back to
    the line before) the sum may be off by one; the whole text is counted at the end, so that the
    budget holds in any case.
    """

    budget: Budget
    _known: dict[str, int] = field(default_factory=dict)

    def total(self, blocks: Iterable[str]) -> int:
        """Return the total cost of blocks of whole lines."""
        return sum(self.each(list(blocks)))

    def each(self, blocks: Sequence[str]) -> list[int]:
        """Return the cost of each block, those not yet known counted in one batch."""
        fresh = list(dict.fromkeys(one for one in blocks if one not in self._known))
        if fresh:
            self._known.update(zip(fresh, self.budget.costs(fresh), strict=True))
        return [self._known[one] for one in blocks]


SOURCED_ITEMS_MAX = 5
"""Items of the `sourced` layout unless another number is asked for (seed 004 shows five)."""

Rejection = tuple[DropReason, str]

WORTH_COST = 50
"""What an item costs that needs just `worth_min`; others need more or less by the root of it."""

WORTH_SHARE, WORTH_SHARE_MAX = 0.3, 0.06
"""Which share of the best one's relevance an item needs, however little it costs, and the relevance
that is enough beside any best one (measured: docs/explanation/briefs.md)."""

COST_OF_DOUBT, COST_PER_ODDS = 70, 1200
"""What all items together may cost: the first, and the second times the odds that the best one is
relevant (measured: the same page)."""

LEAST_ITEM = 12
"""Hardly an item costs less, with its line: what is not worth that much is not read."""


@dataclass(slots=True, kw_only=True)
class Eligibility:
    """The rules of eligibility, with the counts of accepted candidates."""

    config: ContextConfig
    now: datetime
    best: float = 1.0
    items: int = 0
    cost: int = 0
    by_source: Counter[str] = field(default_factory=Counter)

    def rejection(self, hit: Hit) -> Rejection | None:
        """Return why the candidate is left out; None if it is eligible."""
        return self._by_state(hit) or self._by_worth(hit) or self._by_cap(hit)

    def not_worth(self, hit: Hit, cost: int) -> Rejection | None:
        """Return that a candidate is not worth its cost, by itself or beside others; None if it is.

        `best` is the relevance of the most relevant one.
        """
        if not self.config.worth_min or self.config.layout is not Layout.BRIEF:
            return None
        beside = min(WORTH_SHARE * self.best, WORTH_SHARE_MAX)
        least = max(self.config.worth_min * math.sqrt(cost / WORTH_COST), beside)
        if hit.relevance < min(least, 1.0):
            return DropReason.NOT_WORTH, f"relevance {hit.relevance:.3f}, needs {least:.3f}"
        most = self._cost_max()
        if self.items and self.cost + cost > most:
            return (
                DropReason.NOT_WORTH,
                f"the best of relevance {self.best:.3f} is worth {most:.0f}",
            )
        return None

    def _cost_max(self) -> float:
        """Return what all items together may cost: the likelier an answer is, the more."""
        if self.best >= 1.0:
            return math.inf
        return COST_OF_DOUBT + COST_PER_ODDS * self.best / (1.0 - self.best)

    def accept(self, hit: Hit, cost: int) -> None:
        """Count one that is shown, and what it costs."""
        self.items += 1
        self.cost += cost
        self.by_source[hit.item.source] += 1

    def _by_state(self, hit: Hit) -> Rejection | None:
        traits = hit.item.traits
        if traits is None:
            return None
        if traits.status is Status.SUPERSEDED:
            return DropReason.SUPERSEDED, "a newer memory took its place"
        if traits.status is not Status.ACTIVE:
            return DropReason.INACTIVE, f"its status is {traits.status}"
        if traits.expires_at is not None and traits.expires_at <= self.now:
            return DropReason.EXPIRED, f"expired at {traits.expires_at:%Y-%m-%d %H:%M} UTC"
        return None

    def _by_worth(self, hit: Hit) -> Rejection | None:
        least = self.config.score_min
        if least is not None and not hit.score >= least:  # NaN never ranks
            return DropReason.BELOW_THRESHOLD, f"{hit.score:.3f} is below {least:g}"
        idle = self.not_worth(hit, LEAST_ITEM)
        if idle is not None:
            return idle
        if TRUST_RANKS[hit.trust] > TRUST_RANKS[self.config.trust_min]:
            return DropReason.TRUST, f"{hit.trust} is trusted less than {self.config.trust_min}"
        return None

    def _by_cap(self, hit: Hit) -> Rejection | None:
        most = self.config.source_items_max
        if most is not None and self.by_source[hit.item.source] >= most:
            return DropReason.SOURCE_CAP, f"{most} of {hit.item.source} are in"
        items_max = self._items_max()
        if items_max is not None and self.items >= items_max:
            return DropReason.MAX_ITEMS, f"{items_max} items are in"
        return None

    def _items_max(self) -> int | None:
        if self.config.items_max is None and self.config.layout is Layout.SOURCED:
            return SOURCED_ITEMS_MAX
        return self.config.items_max


BESIDE_WORTHS = (0.04, 0.02)
"""What standing one or two places from one of the best is worth, in units of the score (measured:
docs/explanation/briefs.md)."""

ASKS_COST = 0.2
"""What a message is put back that asks only (measured: the same page)."""

BEST_COUNT = 8
"""How many of the best their neighbours are looked at of."""

_SHORT_WORDS = 30
_ASKS = re.compile(r"[?\uff1f\u061f\u037e]['\"\u201d\u2019)\]]*(?=\s|$)")
_ENDS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f](?=['\"\u201d\u2019)\]]*(?:\s|$))")
_SPECIFIC = re.compile(r"\d|(?<=[^.!?\u2026\s] )[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")

Place = tuple[str, str, int]
"""Space, session and position of a message."""


FIRST = 125
"""So many of the highest scores are ordered among themselves, whatever else is offered: what a
larger budget looks at beside them comes behind."""

LOGIT_PER_SCORE = 4.8
"""By how much the log of the odds of being relevant grows with a score: the weight of `lead`."""

_ODDS_LEAST = 1e-9


def answer_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order of a brief, ties by space and id, NaN last.

    In whatever order they are handed over: the best are those of the highest scores. Hits of a
    search go by their relevance, those that a caller made by their scores.
    """
    ranked = sorted(hits, key=lambda hit: _rank(hit.score, hit.key))
    best = {place for hit in ranked[:BEST_COUNT] if (place := _place(hit)) is not None}
    own = all(hit.relevance == 1.0 for hit in hits)

    def key(hit: Hit) -> tuple[float, ItemKey]:
        base = hit.score if own or math.isnan(hit.score) else _log_odds(hit) / LOGIT_PER_SCORE
        return _rank(base + _worth(hit, best), hit.key)

    return [*sorted(ranked[:FIRST], key=key), *sorted(ranked[FIRST:], key=key)]


def _log_odds(hit: Hit) -> float:
    share = min(max(hit.relevance, _ODDS_LEAST), 1.0 - _ODDS_LEAST)
    return math.log(share / (1.0 - share))


def _rank(worth: float, key: ItemKey) -> tuple[float, ItemKey]:
    return (math.inf if math.isnan(worth) else -worth, key)


def _worth(hit: Hit, best: set[Place]) -> float:
    place = _place(hit)
    bonus = 0.0 if place is None else _proximity_bonus(place, best)
    return bonus - ASKS_COST * _question_share(hit.item)


def _proximity_bonus(place: Place, best: set[Place]) -> float:
    space, session, at = place
    for away, worth in enumerate(BESIDE_WORTHS, start=1):
        if (space, session, at - away) in best or (space, session, at + away) in best:
            return worth
    return 0.0


def _place(hit: Hit) -> Place | None:
    item = hit.item
    if not item.session or item.position is None:
        return None
    return (hit.space, item.session, item.position)


def _question_share(item: Item) -> float:
    """Return the share of questions among a short message's sentences; 0 if it has facts."""
    text = item.content
    if item.kind is not Kind.MESSAGE or len(text.split(None, _SHORT_WORDS - 1)) >= _SHORT_WORDS:
        return 0.0
    asks = len(_ASKS.findall(text))
    if not asks or _SPECIFIC.search(text):
        return 0.0
    return asks / max(asks, len(_ENDS.findall(text)), 1)
