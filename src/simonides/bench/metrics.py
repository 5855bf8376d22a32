"""How good a ranking is against evidence. Pure: rankings in, numbers out."""

import math
import random
from collections.abc import Callable, Mapping, Sequence

CUTS = (5, 10, 20)
RESAMPLES = 1000
"""Bootstrap resamples; seeded, so that the interval is the same in every run."""


def judged(ranking: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Return the measures of one ranking: recall, any and all at each cut, nDCG@10 and MRR.

    recall@k = share of the evidence among the first k; any@k, all@k = whether at least one, every
    one is; nDCG@10 with gain 1, discount log2(rank + 1), ideal over min(10, evidence).
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
    blocks: dict[str, list[Mapping[str, float]]] = {}
    for i, row in enumerate(rows):
        blocks.setdefault(group_of(i), []).append(row)
    if len(blocks) == 1:
        blocks = {str(i): [row] for i, row in enumerate(rows)}
    if not blocks:
        return {}
    return {name: _interval(list(blocks.values()), name) for name in rows[0]}


def _interval(blocks: Sequence[Sequence[Mapping[str, float]]], name: str) -> list[float]:
    sums = [(sum(row[name] for row in block), len(block)) for block in blocks]
    chance = random.Random(0)  # noqa: S311  a bootstrap, not a secret
    means = []
    for _ in range(RESAMPLES):
        drawn = chance.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    return [means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` in [0, 1] of the values lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
