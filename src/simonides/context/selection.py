"""Which candidates are eligible, and what a text costs.

Eligibility: status, age, score, relevance, trust and caps, each with its reason. A budget counts
tokens, words or a unit of the caller. Must not know layouts.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from simonides.errors import InvalidInput
from simonides.model.answer import Hit
from simonides.model.bounds import BUDGET, COUNT_OR_NONE
from simonides.model.brief import ContextConfig, DropReason, Layout
from simonides.model.item import TRUST_RANKS, Status
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
        BUDGET.check(self.limit, field=f"budget_{self.unit}")
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

    def total(self, blocks: Sequence[str]) -> int:
        """Return the total cost of blocks of whole lines."""
        return sum(self.each(blocks))

    def each(self, blocks: Sequence[str]) -> list[int]:
        """Return the cost of each block, those not yet known counted in one batch."""
        fresh = [one for one in dict.fromkeys(blocks) if one not in self._known]
        if fresh:
            self._known.update(zip(fresh, self.budget.costs(fresh), strict=True))
        return list(map(self._known.__getitem__, blocks))


SOURCED_ITEMS_MAX = 5
"""Items of the `sourced` layout unless another number is asked for (design 004 shows five)."""

Rejection = tuple[DropReason, str]


@dataclass(slots=True, kw_only=True)
class Eligibility:
    """The rules of eligibility, with the counts of accepted candidates."""

    config: ContextConfig
    now: datetime
    items: int = 0
    by_source: Counter[str] = field(default_factory=Counter)
    _items_max: int | None = field(init=False)

    def __post_init__(self) -> None:
        """Look up how many items the layout shows at most."""
        self._items_max = self.config.items_max
        if self._items_max is None and self.config.layout is Layout.SOURCED:
            self._items_max = SOURCED_ITEMS_MAX

    def rejection(self, hit: Hit) -> Rejection | None:
        """Return why the candidate is left out; None if it is eligible."""
        if hit.pinned:  # no cap, and no score, counts for what is asked in every brief
            return self._by_state(hit) or self._by_worth(hit)
        return self._by_state(hit) or self._by_worth(hit) or self._by_cap(hit)

    def accept(self, hit: Hit) -> None:
        """Count one that is shown."""
        self.items += 1
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
        if least is not None and not (hit.score >= least or hit.pinned):  # NaN never ranks
            return DropReason.BELOW_THRESHOLD, f"{hit.score:.3f} is below {least:g}"
        needed = self.config.worth_min
        if hit.relevance < needed or not hit.relevance:
            return DropReason.NOT_WORTH, f"relevance {hit.relevance:.3f} is below {needed:g}"
        if TRUST_RANKS[hit.trust] > TRUST_RANKS[self.config.trust_min]:
            return DropReason.TRUST, f"{hit.trust} is trusted less than {self.config.trust_min}"
        return None

    def _by_cap(self, hit: Hit) -> Rejection | None:
        most = self.config.source_items_max
        if most is not None and self.by_source[hit.item.source] >= most:
            return DropReason.SOURCE_CAP, f"{most} of {hit.item.source} are in"
        if self._items_max is not None and self.items >= self._items_max:
            return DropReason.MAX_ITEMS, f"{self._items_max} items are in"
        return None
