"""The bucket of tokens: never more than the burst at once, never more than the rate for long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.access.callers import Costs, Rates
from simonides.errors import InvalidInput
from simonides.working_memory import buckets


def test_a_burst_is_let_through_and_then_one_after_the_other() -> None:
    bucket = Rates(per_s=2.0, burst=3)

    waits = [bucket.wait_s("a", now_s=0.0) for _ in range(4)]

    assert waits == [0.0, 0.0, 0.0, 0.5]
    assert bucket.wait_s("a", now_s=0.25) == 0.25
    assert bucket.wait_s("a", now_s=0.5) == 0.0
    assert bucket.wait_s("b", now_s=0.5) == 0.0


def test_a_clock_that_stands_or_goes_back_fills_nothing() -> None:
    bucket = Rates(per_s=1.0, burst=1)
    bucket.wait_s("a", now_s=10.0)

    assert bucket.wait_s("a", now_s=10.0) == 1.0
    assert bucket.wait_s("a", now_s=2.0) == 1.0
    assert bucket.wait_s("a", now_s=10.5) == 0.5


def test_only_so_many_callers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "CALLERS_MAX", 2)
    bucket = Rates(per_s=1.0, burst=1)
    for caller in ("a", "b", "c"):
        bucket.wait_s(caller, now_s=0.0)

    assert bucket.wait_s("c", now_s=0.0) > 0.0
    assert bucket.wait_s("a", now_s=0.0) == 0.0


@pytest.mark.parametrize("given", [{"per_s": 0.0, "burst": 1}, {"per_s": 1.0, "burst": 0}])
def test_a_rate_of_nothing_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="rate"):
        Rates(**given)  # type: ignore[arg-type]  # numbers


@given(
    steps=st.lists(st.floats(min_value=0.0, max_value=5.0), min_size=1, max_size=60),
    per_s=st.floats(min_value=0.1, max_value=20.0),
    burst=st.integers(min_value=1, max_value=10),
)
def test_no_stretch_of_time_lets_through_more_than_burst_and_rate(
    steps: list[float], per_s: float, burst: int
) -> None:
    bucket, now_s = Rates(per_s=per_s, burst=burst), 0.0
    let_through: list[float] = []
    for step in steps:
        now_s += step
        if bucket.wait_s("a", now_s=now_s) == 0.0:
            let_through.append(now_s)

    for first, begun in enumerate(let_through):
        for count, at in enumerate(let_through[first:], start=1):
            assert count <= burst + (at - begun) * per_s + 1e-6


def test_who_owes_waits_until_it_is_made_good() -> None:
    costs = Costs(per_s=0.5, burst_s=2.0)

    costs.charge("a", 3.0, now_s=0.0)

    assert costs.wait_s("a", now_s=0.0) == 2.0
    assert costs.wait_s("a", now_s=1.0) == 1.0
    assert costs.wait_s("a", now_s=2.0) == 0.0
    assert costs.wait_s("b", now_s=0.0) == 0.0


def test_a_cost_below_nothing_gives_nothing() -> None:
    costs = Costs(per_s=1.0, burst_s=1.0)

    costs.charge("a", -5.0, now_s=0.0)
    costs.charge("a", 2.0, now_s=0.0)

    assert costs.wait_s("a", now_s=0.0) == 1.0


def test_only_so_many_budgets_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "CALLERS_MAX", 2)
    costs = Costs(per_s=1.0, burst_s=1.0)
    for caller in ("a", "b", "c"):
        costs.charge(caller, 9.0, now_s=0.0)

    assert costs.wait_s("a", now_s=0.0) == 0.0
    assert costs.wait_s("c", now_s=0.0) == 8.0


@pytest.mark.parametrize("given", [{"per_s": 0.0, "burst_s": 1.0}, {"per_s": 1.0, "burst_s": 0.0}])
def test_a_budget_of_nothing_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="cost"):
        Costs(**given)  # type: ignore[arg-type]  # numbers


@given(
    steps=st.lists(
        st.tuples(st.floats(0.0, 5.0), st.floats(0.0, 3.0), st.integers(1, 8)),
        min_size=1, max_size=40,
    ),
    per_s=st.floats(min_value=0.1, max_value=4.0),
    burst_s=st.floats(min_value=0.1, max_value=20.0),
)  # fmt: skip
def test_parallel_calls_buy_no_time_in_the_long_run(
    steps: list[tuple[float, float, int]], per_s: float, burst_s: float
) -> None:
    """What is let in may overdraw once, by what runs side by side; then it waits for all of it."""
    costs, now_s, spent_s, last_s = Costs(per_s=per_s, burst_s=burst_s), 0.0, 0.0, 0.0
    for step, cost_s, parallel in steps:
        now_s += step
        if costs.wait_s("a", now_s=now_s) == 0.0:
            assert spent_s <= burst_s + now_s * per_s + 1e-6
            for _ in range(parallel):
                costs.charge("a", cost_s, now_s=now_s)
            last_s = cost_s * parallel
            spent_s += last_s

    assert spent_s <= burst_s + now_s * per_s + last_s + 1e-6
