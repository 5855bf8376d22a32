"""The measures of rankings beside their textbook definitions, word for word."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides_bench.metrics import CUTS, RESAMPLES, averages, intervals, judge, percentile
from simonides_bench.testing.depth import examples

IDS = [f"i{n}" for n in range(30)]
rankings = st.lists(st.sampled_from(IDS), unique=True, max_size=30)
evidences = st.frozensets(st.sampled_from(IDS), min_size=1, max_size=14)


def dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def plain_ndcg(ranking: Sequence[str], evidence: frozenset[str]) -> float:
    gains = [int(one in evidence) for one in ranking][:10]
    return dcg(gains) / dcg(([1] * len(evidence))[:10])


def plain_mrr(ranking: Sequence[str], evidence: frozenset[str]) -> float:
    return max((1 / (ranking.index(one) + 1) for one in evidence if one in ranking), default=0.0)


@given(ranking=rankings, evidence=evidences)
def test_each_measure_is_its_definition(ranking: list[str], evidence: frozenset[str]) -> None:
    found = judge(ranking, evidence)
    expected = {
        "ndcg@10": plain_ndcg(ranking, evidence),
        "mrr": plain_mrr(ranking, evidence),
    }
    for k in (5, 10, 20):
        first = evidence.intersection(ranking[:k])
        expected[f"recall@{k}"] = len(first) / len(evidence)
        expected[f"any@{k}"] = float(bool(first))
        expected[f"all@{k}"] = float(first == evidence)

    assert found == pytest.approx(expected)


def test_the_cuts_are_those_that_are_reported() -> None:
    assert CUTS == (5, 10, 20)


@given(ranking=rankings.filter(bool), evidence=evidences, data=st.data())
def test_moving_evidence_forward_never_makes_a_measure_worse(
    ranking: list[str], evidence: frozenset[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(ranking) - 1))
    if ranking[at] not in evidence:
        return
    to = data.draw(st.integers(0, at))
    better = [*ranking[:at], *ranking[at + 1 :]]
    better.insert(to, ranking[at])
    before, after = judge(ranking, evidence), judge(better, evidence)

    assert all(after[name] >= before[name] - 1e-12 for name in before)


@given(ranking=rankings, evidence=evidences, tail=rankings)
def test_what_stands_behind_the_deepest_cut_counts_for_mrr_alone(
    ranking: list[str], evidence: frozenset[str], tail: list[str]
) -> None:
    whole = list(dict.fromkeys([*ranking, *tail]))
    full, cut = judge(whole, evidence), judge(whole[:20], evidence)

    assert {k: v for k, v in full.items() if k != "mrr"} == {
        k: v for k, v in cut.items() if k != "mrr"
    }


measures = st.fixed_dictionaries({"a": st.floats(0.0, 1.0), "b": st.floats(0.0, 1.0)})


@given(rows=st.lists(measures, min_size=1, max_size=9))
def test_averages_are_sums_over_counts(rows: list[dict[str, float]]) -> None:
    for name in ("a", "b"):
        expected = math.fsum(row[name] for row in rows) / len(rows)

        assert averages(rows)[name] == pytest.approx(expected)


def plain_interval(
    rows: Sequence[dict[str, float]], groups: Sequence[str], name: str
) -> list[float]:
    """Resample whole groups 1000 times and take the 26th and 975th of the means in order."""
    by_group: dict[str, list[float]] = {}
    for group, row in zip(groups, rows, strict=True):
        by_group.setdefault(group, []).append(row[name])
    blocks = [by_group[group] for group in sorted(by_group)]
    chance, means = np.random.default_rng(0), []
    for _ in range(1000):
        drawn = [blocks[i] for i in chance.integers(0, len(blocks), len(blocks))]
        values = [value for block in drawn for value in block]
        means.append(sum(values) / len(values))
    means.sort()
    return [means[25], means[974]]


@given(
    rows=st.lists(measures, min_size=2, max_size=10),
    groups=st.lists(st.sampled_from("pqr"), min_size=10, max_size=10),
)
@settings(max_examples=examples(12))
def test_an_interval_is_that_of_a_plain_bootstrap_of_groups(
    rows: list[dict[str, float]], groups: list[str]
) -> None:
    own = groups[: len(rows)]
    found = intervals(rows, group_of=lambda i: groups[i])
    blocks = own if len(set(own)) > 1 else [str(i) for i in range(len(rows))]

    for name in ("a", "b"):
        assert found[name] == pytest.approx(plain_interval(rows, blocks, name))


def test_intervals_read_measures_by_name_and_not_by_place() -> None:
    rows = [{"a": 0.0, "b": 1.0}, {"b": 1.0, "a": 0.0}]

    assert intervals(rows, group_of=str) == {"a": [0.0, 0.0], "b": [1.0, 1.0]}


def test_an_interval_is_taken_from_a_thousand_resamples() -> None:
    assert RESAMPLES == 1000


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    share=st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.5, 0.95, 0.99, 1.0]),
)
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(
    values: list[float], share: float
) -> None:
    enough = [v for v in values if sum(one <= v for one in values) >= share * len(values)]

    assert percentile(values, share) == min(enough)
