"""The bucket of tokens: never more than the burst at once, never more than the rate for long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.access import rates
from simonides.access.rates import Rates
from simonides.errors import InvalidInput


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
    monkeypatch.setattr(rates, "CALLERS_MAX", 2)
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
