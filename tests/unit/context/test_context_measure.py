"""What a text costs: recounted here with the tokenizer itself."""

import pytest
import toktok

from simonides.context.measure import BUDGET_MAX, Budget
from simonides.errors import InvalidInput

TEXT = "The deadline of Alpha moved to Friday — 27 March.\n\n漢字 🙂 <|endoftext|>"


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_tokens_are_those_of_the_encoding(encoding: str) -> None:
    budget = Budget(limit=100, encoding=encoding)

    assert budget.cost(TEXT) == toktok.batch_count([TEXT], encoding, 1)[0]


def test_words_are_what_white_space_parts() -> None:
    assert Budget(limit=100, unit="words").cost("one, two\n\nthree\u2003four") == 4


def test_nothing_costs_nothing() -> None:
    assert Budget(limit=0).fits("")
    assert Budget(limit=0, unit="words").fits(" \n ")


def test_a_text_fits_to_the_last_unit_and_not_beyond() -> None:
    cost = Budget(limit=0).cost(TEXT)

    assert Budget(limit=cost).fits(TEXT)
    assert not Budget(limit=cost - 1).fits(TEXT)


@pytest.mark.parametrize("limit", [-1, BUDGET_MAX + 1])
def test_a_budget_out_of_range_is_refused(limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"budget: must lie in 0 to .*, got {limit}"):
        Budget(limit=limit)


def test_a_unit_is_tokens_or_words() -> None:
    with pytest.raises(InvalidInput, match="unit: must be tokens or words, got 'pages'"):
        Budget(limit=1, unit="pages")
