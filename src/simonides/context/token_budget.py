"""Token budgets: the cost of a text in tokens, words or a unit of the caller."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from simonides.errors import InvalidInput
from simonides.model.bounds import BUDGET, COUNT_OR_NONE
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
