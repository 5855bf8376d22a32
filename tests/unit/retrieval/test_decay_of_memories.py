"""How memories fade in a search: by their own half-life, or by that of the settings."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from simonides import Item, Memory, MemoryTraits
from simonides.errors import InvalidInput
from simonides.scoring.ranking import SCORE_PER_LOG_ODDS
from simonides.scoring.ranking_weights import WEIGHTS

Open = Callable[..., Memory]


def share(memory: Memory, now: datetime) -> float:
    [hit] = memory.search("gate", now=now)
    parts = {part.name: part.value for part in hit.explanation.contributions}
    return parts["importance"] / (WEIGHTS["importance"] * SCORE_PER_LOG_ODDS) + 0.5


@pytest.mark.parametrize(
    ("settings", "traits", "expected"),
    [
        ({}, {}, 0.8),
        ({"importance_half_life_hours": 24.0}, {}, 0.2),
        ({"importance_half_life_hours": 24.0}, {"half_life_hours": 48.0}, 0.4),
        ({"importance_half_life_hours": 1.0}, {}, 0.05),
        ({"importance_half_life_hours": 1.0, "importance_floor": 0.3}, {}, 0.3),
    ],
)
def test_a_memory_fades_by_its_half_life_or_by_that_of_the_settings(
    open_memory: Open,
    now: datetime,
    settings: dict[str, Any],
    traits: dict[str, Any],
    expected: float,
) -> None:
    memory = open_memory(embedder=None, **settings)
    memory.add(Item(content="The gate code.", traits=MemoryTraits(importance=0.8, **traits)))

    assert share(memory, now) == pytest.approx(0.8)
    assert share(memory, now + timedelta(hours=48)) == pytest.approx(expected)


@pytest.mark.parametrize("wrong", [{"importance_half_life_hours": -1.0}, {"importance_floor": 1.5}])
def test_settings_out_of_range_are_refused(open_memory: Open, wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        open_memory(**wrong)
