"""What keeps a candidate out before its words are looked at: status, age, score, trust, caps.

Knows rules, each with its reason. Must not know texts, layouts or costs.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, DropReason, Layout
from simonides.model.item import Status, Trust

SOURCED_ITEMS_MAX = 5
"""Items of the `sourced` layout unless another number is asked for (seed 004 shows five)."""

_TRUST_RANK = {trust: rank for rank, trust in enumerate(Trust)}

Refusal = tuple[DropReason, str]


@dataclass(slots=True, kw_only=True)
class Eligibility:
    """Counts what was let in, and says of the next one why it stays out."""

    config: ContextConfig
    now: datetime
    items: int = 0
    by_source: Counter[str] = field(default_factory=Counter)

    def refuses(self, hit: Hit) -> Refusal | None:
        """Return why the candidate stays out; None if nothing here keeps it out."""
        return self._by_state(hit) or self._by_worth(hit) or self._by_cap(hit)

    def let_in(self, hit: Hit) -> None:
        """Count one that is shown."""
        self.items += 1
        self.by_source[hit.item.source] += 1

    def _by_state(self, hit: Hit) -> Refusal | None:
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

    def _by_worth(self, hit: Hit) -> Refusal | None:
        least = self.config.score_min
        if least is not None and not hit.score >= least:  # NaN never ranks
            return DropReason.BELOW_THRESHOLD, f"{hit.score:.3f} is below {least:g}"
        if _TRUST_RANK[hit.trust] > _TRUST_RANK[self.config.trust_min]:
            return DropReason.TRUST, f"{hit.trust} is trusted less than {self.config.trust_min}"
        return None

    def _by_cap(self, hit: Hit) -> Refusal | None:
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
