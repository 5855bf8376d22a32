"""The constants of ranking are those that the page about ranking tells its readers."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pytest

from simonides.scoring.formulas import K1, B
from simonides.scoring.relevance import WEIGHTS

PAGE: Final = (
    Path(__file__).resolve().parents[3].joinpath("docs/explanation/ranking.md").read_text("utf-8")
)
BEFORE: Final = r"(\d*\.\d+) · "
TOLD: Final = {
    "lexical": rf"{BEFORE}lexical\(c\)",
    "semantic": rf"{BEFORE}semantic\(c\)",
    "when": rf"{BEFORE}when\(c\)",
    "length": rf"{BEFORE}length\(c\)",
    "author": rf"{BEFORE}author\(i\)",
    "owner": rf"{BEFORE}owner\(i\)",
    "time": rf"{BEFORE}time\(i\)",
    "keyword": rf"{BEFORE}keyword\(i\)",
    "phrase": rf"{BEFORE}phrase\(i\)",
    "people": rf"{BEFORE}people\(i\)",
    "direction": rf"{BEFORE}direction\(i\)",
    "session": rf"{BEFORE}\(best own in i's session\)",
    "before": rf"{BEFORE}threaded\(the item before\)",
    "after": rf"{BEFORE}threaded\(the item after\)",
    "importance": rf"{BEFORE}\(decayed importance",
    "source": r"for memories and (\d*\.\d+) for items of a\s+source",
    "conversation": r"and (\d*\.\d+) for messages of the\s+session in which",
    "conditions": rf"{BEFORE}conditions\(i\)",
    "agenda": rf"{BEFORE}agenda\(i\)",
    "cancelled": r"(\u2212\d*\.\d+) · cancelled\(i\)",
    "namesake": r"(\u2212\d*\.\d+) · namesake\(i\)",
}


def told(pattern: str) -> float:
    [number] = set(re.findall(pattern, PAGE))
    return float(number.replace("\u2212", "-"))


@pytest.mark.parametrize("name", sorted(TOLD))
def test_the_page_tells_the_weight_that_is_used(name: str) -> None:
    assert told(TOLD[name]) == asdict(WEIGHTS)[name]


def test_the_page_tells_every_weight() -> None:
    assert set(TOLD) == set(asdict(WEIGHTS))


def test_the_page_tells_the_constants_of_bm25() -> None:
    assert told(r"k1 = (\d*\.\d+)") == K1
    assert told(r"\bb = (\d*\.\d+)") == B
