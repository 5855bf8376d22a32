"""What a candidate is worth in a brief: its relevance against its cost, alone and beside others."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import Item
from simonides.context.build import build_active_context
from simonides.context.selection import (
    COST_OF_DOUBT,
    COST_PER_ODDS,
    WORTH_COST,
    WORTH_SHARE,
    WORTH_SHARE_MAX,
    Budget,
    Eligibility,
)
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, DropReason, Layout

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
LEAST = ContextConfig().worth_min


def of(relevance: float) -> Hit:
    """Return a hit of a relevance."""
    return Hit(item=Item(id=f"r{relevance}", content="The boiler."), score=0.5, relevance=relevance)


def watching(best: float, config: ContextConfig | None = None) -> Eligibility:
    return Eligibility(config=config or ContextConfig(), now=NOW, best=best)


@pytest.mark.parametrize(
    ("cost", "least"), [(WORTH_COST, LEAST), (4 * WORTH_COST, 2 * LEAST), (WORTH_COST // 2, 0.0355)]
)
def test_an_item_needs_more_relevance_the_more_it_costs(cost: int, least: float) -> None:
    watched = watching(best=0.1)

    assert watched.not_worth(of(least + 0.001), cost) is None
    rejection = watched.not_worth(of(least - 0.001), cost)
    assert rejection is not None
    assert rejection[0] is DropReason.NOT_WORTH


def test_beside_a_better_one_an_item_needs_a_share_of_its_relevance() -> None:
    best = 0.9 * WORTH_SHARE_MAX / WORTH_SHARE
    least = WORTH_SHARE * best

    assert watching(best).not_worth(of(least + 0.001), 1) is None
    assert watching(best).not_worth(of(least - 0.001), 1) == (
        DropReason.NOT_WORTH,
        f"relevance {least - 0.001:.3f}, needs {least:.3f}",
    )


def test_beside_the_surest_one_a_little_is_enough() -> None:
    assert watching(0.99).not_worth(of(WORTH_SHARE_MAX + 0.001), 1) is None
    assert watching(0.99).not_worth(of(WORTH_SHARE_MAX - 0.001), 1) is not None


def test_all_together_cost_no_more_than_the_best_one_is_worth() -> None:
    watched = watching(best=0.2)
    most = COST_OF_DOUBT + COST_PER_ODDS // 4
    watched.accept(of(0.2), most - 30)

    assert watched.not_worth(of(0.19), 30) is None
    assert watched.not_worth(of(0.19), 31) == (
        DropReason.NOT_WORTH,
        f"the best of relevance 0.200 is worth {most}",
    )


def test_the_first_one_may_cost_more() -> None:
    assert watching(best=0.1).not_worth(of(0.1), 190) is None


def test_hits_that_a_caller_made_are_all_worth_their_cost() -> None:
    watched = watching(best=1.0)
    watched.accept(of(1.0), 10**6)

    assert watched.not_worth(of(1.0), 10**6) is None


@pytest.mark.parametrize(
    "config", [ContextConfig(worth_min=0.0), ContextConfig(layout=Layout.SOURCED)]
)
def test_nothing_is_weighed_where_it_is_not_asked_for(config: ContextConfig) -> None:
    watched = watching(0.1, config)
    watched.accept(of(0.1), 10**6)

    assert watched.not_worth(of(0.0001), 10**6) is None


def test_a_unit_of_the_callers_own_says_nothing_of_size() -> None:
    hits = [replace(of(0.3), item=Item(id=f"i{n}", content=f"Number {n}.")) for n in range(3)]
    budget = Budget(limit=10**6, unit="letters", estimator=lambda text: 100 * len(text))

    assert len(build_active_context(hits, budget, now=NOW).items) == len(hits)


RELEVANCES = st.lists(st.floats(0.01, 0.99), min_size=1, max_size=12)


@given(RELEVANCES)
def test_a_brief_costs_no_more_than_its_best_is_worth(relevances: list[float]) -> None:
    """Beside the lines of headers, and the first item, which is shown in any case."""
    hits = [
        Hit(
            item=Item(id=f"i{n:02}", content=f"Number {n} of {n * 7919} repaired the boiler."),
            score=relevance, relevance=relevance,
        )
        for n, relevance in enumerate(relevances)
    ]  # fmt: skip
    best = max(relevances)
    made = build_active_context(hits, 4000, now=NOW)

    around = sum(line.tokens for line in made.account if line.name != "item")
    first = max((one.tokens for one in made.items), default=0)
    assert made.tokens - around <= max(first, COST_OF_DOUBT + COST_PER_ODDS * best / (1 - best))
