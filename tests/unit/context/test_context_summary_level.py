"""Which stand-in of a candidate is shown: by its age and what was noted about it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides.context.summary_level import QuerySignals, SummaryLevelChooser
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, TierPolicy
from simonides.model.stored import Engagement, Surrogate, Tier

MakeHit = Callable[..., Hit]

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
STAND_IN = Surrogate(
    item_key=1, algorithm="x", version=1, source_hash=b"", full="f", gist="g", micro="m"
)


def chosen(hit: Hit, policy: TierPolicy = TierPolicy.AGE, **fields: Any) -> Tier | None:
    """Return the tier of a candidate that has a stand-in."""
    chooser = SummaryLevelChooser(
        config=ContextConfig(tier_policy=policy), now=NOW, surrogates={"a": STAND_IN}, **fields
    )
    found = chooser.of(hit)
    assert found is None or found[0] is STAND_IN
    return None if found is None else found[1]


def test_without_a_stand_in_there_is_nothing_to_choose(hit: MakeHit) -> None:
    assert chosen(hit("x", id="b")) is None


@pytest.mark.parametrize(
    ("age", "tier"),
    [
        (timedelta(days=6, hours=23), Tier.FULL),
        (timedelta(days=7), Tier.GIST),
        (timedelta(days=29, hours=23), Tier.GIST),
        (timedelta(days=30), Tier.MICRO),
        (timedelta(days=-9), Tier.FULL),
    ],
)
def test_the_age_is_counted_from_when_it_happened(hit: MakeHit, age: timedelta, tier: Tier) -> None:
    assert chosen(hit("x", id="a", happened_at=NOW - age, stored_at=NOW)) is tier
    assert chosen(hit("x", id="a", stored_at=NOW - age)) is tier


def test_what_has_no_time_at_all_is_new(hit: MakeHit) -> None:
    assert chosen(hit("x", id="a")) is Tier.FULL
    assert chosen(hit("x", id="a"), TierPolicy.IMPORTANCE) is Tier.FULL


@pytest.mark.parametrize(
    ("count", "hours_ago", "tier"),
    [(0, 0, Tier.MICRO), (1, 0, Tier.GIST), (1, 72, Tier.MICRO), (200, 0, Tier.FULL)],
)
def test_engagement_lifts_what_is_old(hit: MakeHit, count: int, hours_ago: int, tier: Tier) -> None:
    old = hit("x", id="a", happened_at=NOW - timedelta(days=60))
    last_at = NOW - timedelta(hours=hours_ago)
    noted = {"a": Engagement(count=count, last_at=last_at)} if count else {}

    assert chosen(old, TierPolicy.IMPORTANCE, engagements=noted) is tier


def test_engagement_with_another_item_lifts_nothing(hit: MakeHit) -> None:
    old = hit("x", id="a", happened_at=NOW - timedelta(days=60))
    noted = {"b": Engagement(count=200, last_at=NOW)}

    assert chosen(old, TierPolicy.IMPORTANCE, engagements=noted) is Tier.MICRO


def test_a_specific_question_lifts_it_too(hit: MakeHit) -> None:
    old = hit("x", id="a", happened_at=NOW - timedelta(days=60))
    noted = {"a": Engagement(count=4, last_at=NOW - timedelta(hours=14))}

    assert chosen(old, TierPolicy.IMPORTANCE, engagements=noted) is Tier.MICRO
    signals = QuerySignals(specificity=1.0)
    assert chosen(old, TierPolicy.IMPORTANCE, engagements=noted, signals=signals) is Tier.GIST
