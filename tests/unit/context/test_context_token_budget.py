"""What a text costs: recounted here with the tokenizer itself."""

import pytest
import toktok

from simonides.context.selection import Budget, TokenMeter
from simonides.errors import InvalidInput
from simonides.model.bounds import BUDGET

TEXT = "The deadline of Alpha moved to Friday — 27 March.\n\n漢字 🙂 <|endoftext|>"
ENCODINGS = ["cl100k_base", "o200k_base"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_tokens_are_those_of_the_encoding(encoding: str) -> None:
    budget = Budget(limit=100, encoding=encoding)

    assert budget.cost(TEXT) == toktok.batch_count([TEXT], encoding, 1)[0]
    assert budget.costs([TEXT, "", "x"]) == [budget.cost(TEXT), 0, 1]


def test_an_unknown_encoding_is_refused_when_it_is_to_count() -> None:
    with pytest.raises(InvalidInput, match="encoding: unknown 'p50k'"):
        Budget(limit=1, encoding="p50k").cost("x")


def test_words_are_what_white_space_parts() -> None:
    assert Budget(limit=100, unit="words").cost("one, two\n\nthree\u2003four") == 4


def test_an_estimator_of_the_callers_own_counts_in_its_own_unit() -> None:
    pages = Budget(limit=3, unit="pages", estimator=lambda text: text.count("\f"))

    assert pages.costs(["a\fb", "a"]) == [1, 0]
    assert pages.fits("\f\f\f")
    assert not pages.fits("\f\f\f\f")


def test_nothing_costs_nothing() -> None:
    assert Budget(limit=0).fits("")
    assert Budget(limit=0, unit="words").fits(" \n ")


def test_a_text_fits_to_the_last_unit_and_not_beyond() -> None:
    cost = Budget(limit=0).cost(TEXT)

    assert Budget(limit=cost).fits(TEXT)
    assert not Budget(limit=cost - 1).fits(TEXT)


def test_what_is_reserved_is_not_available() -> None:
    cost = Budget(limit=0).cost(TEXT)

    assert Budget(limit=cost + 7, reserve=7).fits(TEXT)
    assert not Budget(limit=cost + 7, reserve=8).fits(TEXT)
    assert Budget(limit=5, reserve=9).available == 0
    assert Budget(limit=9, reserve=5).available == 4


@pytest.mark.parametrize("limit", [-1, BUDGET.high + 1])
def test_a_budget_out_of_range_is_refused(limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"budget_tokens: must lie in 0 to .*, got {limit}"):
        Budget(limit=limit)


def test_a_unit_is_tokens_or_words() -> None:
    with pytest.raises(InvalidInput, match="unit: must be tokens or words, got 'pages'"):
        Budget(limit=1, unit="pages")


def test_a_reserve_is_not_negative() -> None:
    with pytest.raises(InvalidInput, match="reserve: must be 0 or more, got -1"):
        Budget(limit=1, reserve=-1)


# ── the meter ─────────────────────────────────────────────────────────────────────────────────


class Counting:
    """Counts words, and remembers what it was asked to count."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> int:
        self.asked.append(text)
        return len(text.split())


def test_no_text_is_counted_twice() -> None:
    counting = Counting()
    meter = TokenMeter(budget=Budget(limit=9, estimator=counting))

    assert meter.each(["a b\n", "c\n", "a b\n"]) == [2, 1, 2]
    assert meter.total(["c\n", "a b\n", "d e f\n"]) == 6
    assert meter.total([]) == 0
    assert counting.asked == ["a b\n", "c\n", "d e f\n"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lines_cost_together_what_each_costs(encoding: str) -> None:
    lines = [
        "# As of Thu 12 Mar 2026; cite line n as [n]\n",
        "1 Ann: Hello! \n",
        "  world\n",
        "漢字。\n",
    ]
    budget = Budget(limit=0, encoding=encoding)

    assert TokenMeter(budget=budget).total(lines) == budget.cost("".join(lines))
