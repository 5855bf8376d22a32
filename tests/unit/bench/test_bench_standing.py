"""Whether an item stands in a text: half of its words, in order, in runs."""

import pytest

from simonides_bench.standing import Said, stands_in

ITEM = Said.of("The ferry to the island leaves at seven from the old quay")


def test_words_are_taken_without_marks_and_letter_case() -> None:
    assert Said.of("Don\u2019t, she SAID: it's 7 o'clock!").words == (
        "don\u2019t", "she", "said", "it's", "7", "o'clock",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("the ferry to the island leaves at seven from the old quay", True),
        ("Ann: The FERRY, to the island: leaves at seven … (more)", True),
        ("The ferry to the island leaves.", True),
        ("The ferry to the island.", False),
        ("leaves at seven from the old quay. The ferry to the", True),
        ("the ferry to the … at seven from the", True),
        ("the ferry to … island leaves at … from the old … quay", False),
        ("quay old the from seven at leaves island the to ferry The", False),
        ("", False),
    ],
)
def test_half_of_the_words_in_runs_of_four_stand_for_an_item(text: str, *, stands: bool) -> None:
    assert stands_in(text, ITEM) is stands


@pytest.mark.parametrize(
    ("item", "text", "stands"),
    [
        ("Deal.", "Ann: deal! And more.", True),
        ("Deal.", "Ann: no.", False),
        ("At nine, then", "so at nine then", True),
        ("At nine, then", "at nine or then", False),
        ("", "anything", False),
        ("?!", "anything ?!", False),
    ],
)
def test_a_short_item_stands_whole_or_not_at_all(item: str, text: str, *, stands: bool) -> None:
    assert stands_in(text, Said.of(item)) is stands


def test_order_matters_and_runs_do_not_count_twice() -> None:
    assert not stands_in("the ferry to the the ferry to the the ferry to the", ITEM)
