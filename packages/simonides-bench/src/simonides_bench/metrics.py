"""How good a ranking is against evidence. Pure: rankings in, numbers out."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

CUTS = (5, 10, 20)
RESAMPLES = 1000
"""Bootstrap resamples; seeded, so that the interval is the same in every run."""


def judge(ranking: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Return the measures of one ranking: recall, any and all at each cut, nDCG@10 and MRR.

    recall@k = share of the evidence among the first k; any@k, all@k = whether at least one, every
    one is; nDCG@10 with gain 1, discount log2(rank + 1), ideal over min(10, evidence); MRR = 1 /
    rank of the first evidence, 0 where there is none. All lie in [0, 1]; higher is better.

    Args:
        ranking: Distinct ids, best first; may be shorter than the cuts.
        evidence: Ids of what answers the question; not empty.
    """
    hits = [one in evidence for one in ranking]
    found: dict[str, float] = {}
    for k in CUTS:
        count = sum(hits[:k])
        found[f"recall@{k}"] = count / len(evidence)
        found[f"any@{k}"] = float(count > 0)
        found[f"all@{k}"] = float(count == len(evidence))
    gained = sum(1.0 / math.log2(i + 2) for i, hit in enumerate(hits[:10]) if hit)
    ideal = sum(1.0 / math.log2(i + 2) for i in range(min(10, len(evidence))))
    found["ndcg@10"] = gained / ideal
    found["mrr"] = next((1.0 / (i + 1) for i, hit in enumerate(hits) if hit), 0.0)
    return found


def averages(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of every measure; empty for no rows."""
    if not rows:
        return {}
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def intervals(
    rows: Sequence[Mapping[str, float]], *, group_of: Callable[[int], str]
) -> dict[str, list[float]]:
    """Return the bootstrap 95 % interval of every measure, resampling whole groups.

    Where there is only one group, single rows are resampled instead.
    """
    if not rows:
        return {}
    names = [group_of(i) for i in range(len(rows))]
    groups = sorted(set(names))
    if len(groups) == 1:
        groups = names = [str(i) for i in range(len(rows))]
    place = {name: i for i, name in enumerate(groups)}
    sums, sizes = np.zeros((len(groups), len(rows[0]))), np.zeros(len(groups))
    for name, row in zip(names, rows, strict=True):
        sums[place[name]] += [row[measure] for measure in rows[0]]
        sizes[place[name]] += 1
    means = np.sort(_resample(sums, sizes), axis=0)
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return {name: [float(low[i]), float(high[i])] for i, name in enumerate(rows[0])}


def _resample(sums: Floats, sizes: Floats) -> Floats:
    """Return float64[resamples, measures]: means over blocks drawn with replacement.

    `sums` is float64[blocks, measures], `sizes` float64[blocks] the rows of each block.
    """
    chance = np.random.default_rng(0)
    drawn = (chance.integers(0, len(sizes), len(sizes)) for _ in range(RESAMPLES))
    return np.stack([sums[own].sum(axis=0) / sizes[own].sum() for own in drawn])


def auc(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """Return how often one of `higher` is above one of `lower`, ties half; None without pairs."""
    pairs = [(one > other) + 0.5 * (one == other) for one in higher for other in lower]
    return sum(pairs) / len(pairs) if pairs else None


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` in [0, 1] of the values do not exceed (nearest rank).

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("no values, so no percentile")
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


APART = 0.02
"""Scores that differ by no more may change places: what two ways of rounding make of one."""


def agree_in_order(
    one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]], *, depth: int = 10
) -> bool:
    """Return whether two rankings of (id, score), best first, agree among their first hits.

    What stands clearly above the last of `one` is in both, and in the same order wherever the
    scores of `one` differ by more than 0.02.
    """
    left, right = one[:depth], {name: place for place, (name, _) in enumerate(other[:depth])}
    last = left[-1][1] if len(left) == depth else -math.inf
    if any(name not in right and score - last > APART for name, score in left):
        return False
    return len(other[:depth]) == len(left) and all(
        right[above] < right[below]
        for place, (above, high) in enumerate(left)
        for below, low in left[place + 1 :]
        if high - low > APART and above in right and below in right
    )
