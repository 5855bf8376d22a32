"""Which stand-in is shown: ages at their borders, importance with the question's boost."""

import math

import pytest

from simonides.context.summary_level import NO_SIGNALS, QuerySignals, choose_tier
from simonides.model.brief import ContextConfig, TierPolicy
from simonides.model.stored import Tier

AGE = ContextConfig(tier_policy=TierPolicy.AGE)
IMPORTANCE = ContextConfig(tier_policy=TierPolicy.IMPORTANCE)
PRECISE = QuerySignals(specificity=1.0)


@pytest.mark.parametrize(
    ("age_days", "tier"),
    [
        (-1.0, Tier.FULL),
        (0.0, Tier.FULL),
        (6.999, Tier.FULL),
        (7.0, Tier.GIST),
        (29.999, Tier.GIST),
        (30.0, Tier.MICRO),
        (math.inf, Tier.MICRO),
        (math.nan, Tier.MICRO),
        (None, Tier.FULL),
    ],
)
def test_by_age_a_week_is_gist_and_a_month_is_micro(age_days: float | None, tier: Tier) -> None:
    assert choose_tier(AGE, age_days=age_days, importance=0.0, signals=NO_SIGNALS) is tier
    assert choose_tier(AGE, age_days=age_days, importance=1.0, signals=PRECISE) is tier


@pytest.mark.parametrize(
    ("importance", "tier"),
    [
        (1.0, Tier.FULL),
        (0.6, Tier.FULL),
        (0.599, Tier.GIST),
        (0.3, Tier.GIST),
        (0.299, Tier.MICRO),
        (0.0, Tier.MICRO),
        (math.nan, Tier.MICRO),
    ],
)
def test_by_importance_the_thresholds_belong_to_the_upper_tier(
    importance: float, tier: Tier
) -> None:
    for age_days in (None, 0.0, 400.0):
        assert (
            choose_tier(IMPORTANCE, age_days=age_days, importance=importance, signals=NO_SIGNALS)
            is tier
        )


@pytest.mark.parametrize(
    ("importance", "specificity", "tier"),
    [
        (0.5, 1.0, Tier.FULL),
        (0.5, 0.5, Tier.GIST),
        (0.2, 1.0, Tier.GIST),
        (0.2, 0.5, Tier.MICRO),
        (0.1, 1.0, Tier.MICRO),
        (0.95, 1.0, Tier.FULL),
    ],
)
def test_a_specific_question_boosts_importance_by_its_share(
    importance: float, specificity: float, tier: Tier
) -> None:
    signals = QuerySignals(specificity=specificity)

    assert choose_tier(IMPORTANCE, age_days=0.0, importance=importance, signals=signals) is tier


def test_a_boost_never_passes_one() -> None:
    config = ContextConfig(tier_policy=TierPolicy.IMPORTANCE, query_boost_max=1.0)

    assert choose_tier(config, age_days=0.0, importance=0.9, signals=PRECISE) is Tier.FULL


def test_a_disabled_policy_always_shows_the_full_one() -> None:
    config = ContextConfig(tier_policy=TierPolicy.DISABLED)

    assert choose_tier(config, age_days=9e9, importance=0.0, signals=NO_SIGNALS) is Tier.FULL


def test_the_settings_move_the_borders() -> None:
    ages = ContextConfig(tier_policy=TierPolicy.AGE, recent_days=1.0, old_days=2.0)
    shares = ContextConfig(full_importance=0.9, gist_importance=0.8, query_boost_max=0.0)

    assert [
        choose_tier(ages, age_days=days, importance=0.0, signals=NO_SIGNALS)
        for days in (0.5, 1.0, 2.0)
    ] == [Tier.FULL, Tier.GIST, Tier.MICRO]
    assert [
        choose_tier(shares, age_days=0.0, importance=importance, signals=PRECISE)
        for importance in (0.9, 0.8, 0.79)
    ] == [Tier.FULL, Tier.GIST, Tier.MICRO]
