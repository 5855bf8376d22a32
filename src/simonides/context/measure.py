"""What a text costs, in the unit the budget is given in."""

from dataclasses import dataclass

from simonides.errors import InvalidInput
from simonides.text.tokens import count

BUDGET_MAX = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A hard limit on the whole rendered text. `unit` is `tokens` (of `encoding`) or `words`."""

    limit: int
    unit: str = "tokens"
    encoding: str = "cl100k_base"

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= BUDGET_MAX:
            raise InvalidInput("budget", f"must lie in 0 to {BUDGET_MAX}, got {self.limit}")
        if self.unit not in ("tokens", "words"):
            raise InvalidInput("unit", f"must be tokens or words, got {self.unit!r}")

    def cost(self, text: str) -> int:
        """Return how many tokens, or whitespace-separated words, `text` has."""
        return count(text, self.encoding) if self.unit == "tokens" else len(text.split())

    def fits(self, text: str) -> bool:
        """Return whether `text` keeps within the limit."""
        return self.cost(text) <= self.limit
