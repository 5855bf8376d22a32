import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides_bench.metrics import averages, intervals, judge, percentile

IDS = [f"i{n}" for n in range(40)]


def test_recall_is_the_share_of_the_evidence_before_the_cut() -> None:
    found = judge(["a", "x", "b", "y", "z", "c"], frozenset("abcd"))

    assert (found["recall@5"], found["recall@10"]) == (0.5, 0.75)


def test_any_and_all_ask_for_one_and_for_every_piece_of_evidence() -> None:
    found = judge(["x", "x2", "x3", "x4", "x5", "a", "b"], frozenset("ab"))

    assert (found["any@5"], found["any@10"]) == (0.0, 1.0)
    assert (found["all@5"], found["all@10"]) == (0.0, 1.0)


def test_mrr_is_one_over_the_rank_of_the_first_evidence() -> None:
    assert judge(["x", "y", "a", "b"], frozenset("ab"))["mrr"] == pytest.approx(1 / 3)
    assert judge(["x", "y"], frozenset("ab"))["mrr"] == 0.0


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    found = judge(["x", "a"], frozenset("ab"))["ndcg@10"]

    assert found == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_ndcg_of_more_evidence_than_ten_can_still_be_one() -> None:
    assert judge(IDS, frozenset(IDS[:30]))["ndcg@10"] == pytest.approx(1.0)


def test_an_empty_ranking_has_nothing_but_zeros() -> None:
    assert set(judge([], frozenset("a")).values()) == {0.0}


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS), min_size=1))
def test_every_measure_lies_between_zero_and_one_and_grows_with_the_cut(
    ranking: list[str], evidence: set[str]
) -> None:
    found = judge(ranking, frozenset(evidence))

    assert all(0.0 <= value <= 1.0 + 1e-12 for value in found.values())
    assert found["recall@5"] <= found["recall@10"] <= found["recall@20"]
    assert found["all@20"] <= found["recall@20"] <= found["any@20"]


def test_averages_are_of_every_measure() -> None:
    assert averages([{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 0.0}]) == {"a": 0.5, "b": 0.0}
    assert averages([]) == {}


def test_an_interval_holds_the_mean_and_is_the_same_in_every_run() -> None:
    rows = [{"a": float(n % 3 == 0)} for n in range(60)]

    first = intervals(rows, group_of=lambda i: str(i % 10))

    assert first == intervals(rows, group_of=lambda i: str(i % 10))
    assert first["a"][0] <= averages(rows)["a"] <= first["a"][1]


def test_whole_groups_are_resampled_so_rows_that_agree_within_one_say_less() -> None:
    rows = [{"a": float(n < 50)} for n in range(100)]

    def width(groups: int) -> float:
        low, high = intervals(rows, group_of=lambda i: str(i * groups // 100))["a"]
        return high - low

    assert width(4) > width(100)


def test_one_group_alone_is_resampled_by_rows() -> None:
    rows = [{"a": float(n % 2)} for n in range(30)]

    low, high = intervals(rows, group_of=lambda _: "only")["a"]

    assert low < 0.5 < high


def test_rows_that_are_all_the_same_have_no_width() -> None:
    assert intervals([{"a": 0.25}] * 5, group_of=str) == {"a": [0.25, 0.25]}
    assert intervals([], group_of=str) == {}


def test_a_percentile_is_one_of_the_values_by_nearest_rank() -> None:
    values = [float(n) for n in range(100, 0, -1)]

    assert percentile(values, 0.5) == 50.0
    assert percentile(values, 0.95) == 95.0
    assert percentile(values, 1.0) == 100.0
    assert percentile(values, 0.0) == 1.0
    assert percentile([7.0], 0.5) == 7.0


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)
