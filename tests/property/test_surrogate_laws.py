"""The laws of surrogates and engagement: what builds and what looking may not change."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import Item, Memory, Settings
from simonides.context.summary_level import CHARS_MIN, extractive_surrogate
from simonides.model.brief import Brief, ContextConfig, ContextMode, TierPolicy
from simonides.model.stored import Engaged, Surrogate, Tier

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
IDS: Final = [f"i{n}" for n in range(6)]
RANK: Final = {Tier.MICRO: 0, Tier.GIST: 1, Tier.FULL: 2}

reads = st.sampled_from(["search", "brief", "explain", "get", "list", "surrogate"])
builds = st.integers(0, 4)
engagements = st.tuples(st.sampled_from(IDS), st.sampled_from(Engaged), st.integers(1, 60))


def item(n: int) -> Item:
    """Return a long item, the older the larger its number, or a short one."""
    walk = " ".join(f"Ship {n * 31 + k} was seen at quay {k}." for k in range(14 if n < 5 else 2))
    when = NOW - timedelta(days=4 * n * n)
    content = f"Crane {n} needs cable number {n * 7} before May. {walk}"
    return Item(id=f"i{n}", content=content, happened_at=when, language="en")


@contextmanager
def filled() -> Iterator[Memory]:
    """Open a memory of five long items and a short one."""
    settings = Settings(timezone="UTC", durability="relaxed", embedder="none")
    with (
        tempfile.TemporaryDirectory() as home,
        Memory(Path(home), settings=settings, clock=lambda: NOW) as memory,
    ):
        memory.add([item(n) for n in range(6)])
        yield memory


def dense(memory: Memory, policy: TierPolicy = TierPolicy.IMPORTANCE) -> Brief:
    config = ContextConfig(
        context_mode=ContextMode.DENSE, tier_policy=policy, expansion_tokens_max=0, likeness_max=1.0
    )
    return memory.brief("crane cable", config=config, budget_tokens=4_000)


def tiers(brief: Brief) -> dict[str, Tier]:
    return {one.id: one.tier for one in brief.items if one.tier is not None}


def look(memory: Memory, verb: str) -> None:
    """Use a verb that only looks."""
    match verb:
        case "search":
            memory.search("crane cable")
        case "brief":
            dense(memory)
        case "explain":
            memory.explain("crane cable")
        case "get":
            for one in IDS:
                memory.get(one)
        case "list":
            memory.list()
        case _:
            for one in IDS:
                memory.surrogates.get(one)


def kept(memory: Memory) -> dict[str, Surrogate | None]:
    return {one: memory.surrogates.get(one) for one in IDS}


@cache
def made_at_once() -> dict[str, Surrogate | None]:
    with filled() as memory:
        memory.surrogates.build()
        return kept(memory)


@given(portions=st.lists(st.integers(0, 3), max_size=8))
def test_a_build_in_any_portions_keeps_what_one_build_keeps(portions: list[int]) -> None:
    with filled() as memory:
        built = [memory.surrogates.build(items_max=portion) for portion in portions]
        last = memory.surrogates.build()

        assert kept(memory) == made_at_once()
        assert sum(one.built for one in [*built, last]) == 5
        for one in [*built, last]:
            assert one.built + one.up_to_date + one.left == 5
        assert last.left == 0


def test_what_is_kept_is_what_a_brief_makes_on_the_spot() -> None:
    for one, found in made_at_once().items():
        asked = item(int(one[1:]))
        assert (found is None) == (len(asked.content) < CHARS_MIN)
        assert found is None or found == extractive_surrogate(asked, key=found.item_key)


@given(steps=st.lists(reads | builds, max_size=6), policy=st.sampled_from(TierPolicy))
def test_neither_looking_nor_building_changes_a_brief(
    steps: list[str | int], policy: TierPolicy
) -> None:
    with filled() as memory:
        before, revision = dense(memory, policy), memory.stats().revision
        for step in steps:
            if isinstance(step, int):
                memory.surrogates.build(items_max=step)
            else:
                look(memory, step)

        assert tiers(before)
        assert dense(memory, policy).text == before.text
        assert memory.stats().revision == revision
        assert all(memory.engagement(one) is None for one in IDS)


@pytest.mark.slow
@given(steps=st.lists(engagements, min_size=1, max_size=4))
def test_engagement_tells_more_of_its_item_and_of_no_other(
    steps: list[tuple[str, Engaged, int]],
) -> None:
    with filled() as memory:
        memory.surrogates.build()
        for one, how, times in steps:
            before, scores = tiers(dense(memory)), [hit.score for hit in memory.search("crane")]
            for _ in range(times):
                assert memory.record_usage(one, how=how) == (one,)
            after = tiers(dense(memory))

            assert after.keys() == before.keys()
            assert {k: v for k, v in after.items() if k != one} == {
                k: v for k, v in before.items() if k != one
            }
            assert one not in after or RANK[after[one]] >= RANK[before[one]]
            assert [hit.score for hit in memory.search("crane")] == scores


@given(steps=st.lists(engagements, min_size=1, max_size=3))
def test_only_the_policy_of_importance_knows_engagement(
    steps: list[tuple[str, Engaged, int]],
) -> None:
    with filled() as memory:
        texts = {
            policy: dense(memory, policy).text for policy in (TierPolicy.DISABLED, TierPolicy.AGE)
        }
        for one, how, times in steps:
            for _ in range(times):
                memory.record_usage(one, how=how)

        assert {policy: dense(memory, policy).text for policy in texts} == texts
