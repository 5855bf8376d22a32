"""Which stand-in of an item is shown: `full`, `gist` or `micro`.

Knows ages, importance and what a question asks for. Must not know texts or budgets.
"""

from simonides.context.signals import QuerySignals
from simonides.model.brief import ContextConfig, TierPolicy
from simonides.model.derived import Tier


def choose_tier(
    config: ContextConfig, *, age_days: float | None, importance: float, signals: QuerySignals
) -> Tier:
    """Return the tier that the policy of `config` gives an item.

    `disabled`: always `full`. `age`: `full` below `recent_days` of age (7), `gist` below
    `old_days` (30), else `micro`; so exactly 7 days old is `gist` and exactly 30 `micro`. What lies
    ahead is `full`, and so is what has no age at all: nothing says that it is old.
    `importance`: `full` from `full_importance` (0.6), `gist` from `gist_importance` (0.3), else
    `micro`, for min(1, importance + query_boost_max · specificity). NaN gives `micro`.

    Args:
        config: The policy, its thresholds and its boost.
        age_days: Days since it happened, or where it is undated, since it was stored.
        importance: In [0, 1], see `simonides.scoring.importance`; only the policy of that name
            reads it.
        signals: What the question asks for; likewise.
    """
    if config.tier_policy is TierPolicy.AGE:
        return _by_age(config, age_days)
    if config.tier_policy is TierPolicy.IMPORTANCE:
        # No threshold lies above 1, so that the sum need not be cut there.
        return _by_importance(config, importance + config.query_boost_max * signals.specificity)
    return Tier.FULL


def _by_age(config: ContextConfig, age_days: float | None) -> Tier:
    if age_days is None or age_days < config.recent_days:
        return Tier.FULL
    return Tier.GIST if age_days < config.old_days else Tier.MICRO


def _by_importance(config: ContextConfig, importance: float) -> Tier:
    if importance >= config.full_importance:
        return Tier.FULL
    return Tier.GIST if importance >= config.gist_importance else Tier.MICRO
