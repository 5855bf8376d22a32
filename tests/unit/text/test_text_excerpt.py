"""Which sentences of a text say most for a question, and how what is shown of it is joined."""

import pytest

from simonides.text.excerpt import GAP, QueryTerms, join_spans, rank_sentences

ASKED = QueryTerms(terms=frozenset({"key", "ann"}), language="en")
PIECES = (
    "Nobody came.",
    "Then ann asked about the keys.",
    "It was late.",
    "It was 9:30, and no keys.",
    "We left.",
)


def test_sentences_with_the_words_asked_for_come_first_then_those_next_to_the_best() -> None:
    assert rank_sentences(PIECES, ASKED, range(5)) == [1, 3, 2, 0, 4]
    assert rank_sentences((), ASKED, ()) == []


def test_some_are_ranked_by_what_they_say_and_how_near_they_are() -> None:
    worths: dict[int, float] = {}

    assert rank_sentences(PIECES, ASKED, range(2, 4), worths=worths) == [3, 2]
    assert rank_sentences(PIECES, ASKED, [0, 1, 4], nearest=3, worths=worths) == [1, 4, 0]
    assert sorted(worths) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("sentence", "is_specific"),
    [
        ("It is room 3.", True),
        ("Then came Ann.", True),
        ("Nothing at all.", False),
        ("It was. Nobody knew", False),
    ],
)
def test_a_number_or_a_name_inside_says_more(sentence: str, *, is_specific: bool) -> None:
    nothing = QueryTerms(terms=frozenset(), language="en")

    assert (nothing.worth(sentence) > 0) is is_specific


def test_a_word_asked_for_twice_counts_once_and_by_its_language() -> None:
    german = QueryTerms(terms=frozenset({"haus"}), language="de")

    assert german.worth("die häuser und das haus") == german.worth("das haus") > 0


# ── joining ───────────────────────────────────────────────────────────────────────────────────

TEXT = "One is. Two is.\nThree is. Four is."
ONE, TWO, THREE, FOUR = (0, 7), (8, 15), (16, 25), (26, 34)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 34)], TEXT),
        ([ONE, TWO, THREE, FOUR], TEXT),
        ([(0, 15), (16, 34)], TEXT),
        ([ONE], f"One is. {GAP}"),
        ([FOUR], f"{GAP} Four is."),
        ([TWO], f"Two is. {GAP}"),
        ([ONE, FOUR], f"One is. {GAP} Four is."),
        ([ONE, THREE], f"One is. {GAP} Three is."),
        ([TWO, THREE], f"Two is.\nThree is. {GAP}"),
        ([], ""),
    ],
)
def test_what_is_left_out_is_marked_once_at_least(
    spans: list[tuple[int, int]], expected: str
) -> None:
    assert join_spans(TEXT, spans) == expected


def test_blanks_around_all_of_it_leave_out_nothing() -> None:
    assert join_spans(f"\n {TEXT} \n", [(2, 36)]) == TEXT
