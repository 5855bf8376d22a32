"""The constants of ranking are those that the page about ranking tells its readers."""

import re
from pathlib import Path
from typing import Final

import pytest

from simonides.scoring.formulas import K1, B
from simonides.scoring.ranking_weights import RELEVANCE, WEIGHTS

PAGE: Final = (
    Path(__file__).resolve().parents[3].joinpath("docs/explanation/ranking.md").read_text("utf-8")
)


def find_figure(pattern: str) -> float:
    [number] = set(re.findall(pattern, PAGE))
    return float(number.replace("\u2212", "-"))


@pytest.mark.parametrize(("name", "weight"), [*WEIGHTS.items(), *RELEVANCE.items()])
def test_the_page_tells_the_weight_that_is_used(name: str, weight: float) -> None:
    assert find_figure(rf"\| `{name}` \| (\u2212?\d+\.\d+) \|") == round(weight, 2)


def test_the_page_tells_the_constants_of_bm25() -> None:
    assert find_figure(r"k1 = (\d*\.\d+)") == K1
    assert find_figure(r"\bb = (\d*\.\d+)") == B
