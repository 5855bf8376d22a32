"""Citations: numbers where a model reads, and which of them its answer may use."""

import pytest

from simonides.assistant.citations import Numbers, check_citations, number_items
from simonides.model.chat import Citation

CONTEXT = """\
## Available Context:
[GMAIL] Re: Alpha
Sarah
Friday.

---
[NOTE] Tea
Tom prefers it.

## Known Entities:
- Sarah

## User Request:
When?
"""


def test_each_item_of_a_context_has_its_number() -> None:
    lines = number_items(CONTEXT, count=2).split("\n")

    assert [line for line in lines if line.startswith("[")] == [
        "[1] [GMAIL] Re: Alpha", "[2] [NOTE] Tea",
    ]  # fmt: skip
    assert number_items(CONTEXT, count=2).replace("[1] ", "").replace("[2] ", "") == CONTEXT


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_text_of_another_form_has_no_numbers(count: int) -> None:
    assert number_items(CONTEXT, count=count) == CONTEXT


def test_what_tools_find_goes_on_from_the_context() -> None:
    numbers = Numbers(["a", "b", "a"])

    assert [numbers.of(one) for one in ("b", "c", "d", "c", "a")] == [2, 3, 4, 3, 1]
    assert numbers.ids == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("answer", "known", "unknown"),
    [
        ("On Friday [1].", [1], ()), ("Both [2, 1] and [2].", [2, 1], ()),
        ("So [3] says, and [1]", [1], (3,)), ("[0] [12]", [], (0, 12)), ("None (1).", [], ()),
    ],
)  # fmt: skip
def test_an_answer_is_checked_against_what_was_shown(
    answer: str, known: list[int], unknown: tuple[int, ...]
) -> None:
    found = check_citations(answer, ("a", "b"))

    assert found.citations == tuple(Citation(number=n, id="ab"[n - 1]) for n in known)
    assert found.unknown == unknown
