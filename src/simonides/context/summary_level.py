"""Which stand-in of a candidate is shown, of those that were made ahead.

Knows what was noted about items: engagement and surrogates. Must not know budgets.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from simonides.context.signals import NO_SIGNALS, QuerySignals
from simonides.context.tiers import choose_tier
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig
from simonides.model.derived import Engagement, Surrogate, Tier
from simonides.model.item import Item
from simonides.scoring.importance import engagement_importance

_HOUR = timedelta(hours=1)
_HOURS_A_DAY = 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLevelChooser:
    """Stand-ins and engagement by item id, at one moment."""

    config: ContextConfig
    now: datetime
    surrogates: Mapping[str, Surrogate]
    engagements: Mapping[str, Engagement] = field(default_factory=dict)
    signals: QuerySignals = NO_SIGNALS

    def of(self, hit: Hit) -> tuple[Surrogate, Tier] | None:
        """Return the stand-in of a candidate and its tier; None where none was made."""
        stand_in = self.surrogates.get(hit.id)
        if stand_in is None:
            return None
        hours = self._age_hours(hit.item)
        tier = choose_tier(
            self.config,
            age_days=None if hours is None else hours / _HOURS_A_DAY,
            importance=self._importance(hit.id, hours),
            signals=self.signals,
        )
        return stand_in, tier

    def _age_hours(self, item: Item) -> float | None:
        when = item.happened_at or item.stored_at
        return None if when is None else (self.now - when) / _HOUR

    def _importance(self, item_id: str, age_hours: float | None) -> float:
        engagement = self.engagements.get(item_id)
        age = 0.0 if age_hours is None else age_hours
        if engagement is None:
            return engagement_importance(age, 0)
        since = (self.now - engagement.last_at) / _HOUR
        return engagement_importance(age, engagement.count, since)
