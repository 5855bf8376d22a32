"""Which whole sentences of a text are shown, checked against every choice there is."""

from itertools import combinations

import pytest

from simonides.text.excerpt import (
    ASKED_WORTH,
    GAP,
    GAP_COST,
    SPECIFIC_WORTH,
    QueryTerms,
    SentenceStats,
    choose,
    is_shown_whole,
    joined,
    sentence_stats,
    worth,
)

Choice = tuple[int, ...]
NOTHING_ASKED = QueryTerms(terms=frozenset(), language="en")


def told(
    words: list[int], *, query: dict[int, int] | None = None, specific: tuple[int, ...] = ()
) -> SentenceStats:
    """Return sentences of so many words each, of which some are asked for or specific."""
    count = len(words)
    return SentenceStats(
        words=tuple(words),
        matches=tuple((query or {}).get(n, 0) for n in range(count)),
        specific=tuple(n in specific for n in range(count)),
    )


# ── reading ───────────────────────────────────────────────────────────────────────────────────


def test_sentences_are_read_with_what_they_tell() -> None:
    pieces = (
        "Nobody came.", "Then Ann asked about the keys.", "It was 9:30, and the keys were gone.",
    )  # fmt: skip
    stats = sentence_stats(pieces, QueryTerms(terms=frozenset({"key", "ann"}), language="en"))

    assert stats.words == (2, 6, 8)
    assert stats.matches == (0, 2, 1)
    assert stats.specific == (False, True, True)


def test_nothing_has_no_sentences() -> None:
    stats = sentence_stats([], QueryTerms(terms=frozenset({"x"}), language="en"))

    assert (stats.words, stats.matches, stats.specific) == ((), (), ())


@pytest.mark.parametrize(
    ("sentence", "is_specific"),
    [
        ("It is room 3.", True),
        ("We saw Bob there.", True),
        ("We (Bob and I) left.", False),
        ("We left, Żaneta too.", True),
        ("Мы видели Анну вчера.", True),
        ("Είδα την Άννα χθες.", True),
        ("Nobody was there.", False),
        ("I am here.", False),
        ("Вчера было очень холодно.", False),
        ("χθες έκανε πολύ κρύο.", False),
        ("wczoraj było żal łez.", False),
        ("어제는 아주 추웠습니다.", False),
        ("לא היה שם איש.", False),
        ("昨日はとても寒かった。", False),
    ],
)
def test_a_number_or_a_name_inside_is_specific(sentence: str, *, is_specific: bool) -> None:
    assert sentence_stats([sentence], NOTHING_ASKED).specific == (is_specific,)


def test_a_text_without_spaces_counts_as_a_word_at_least() -> None:
    assert sentence_stats(["潮汐。", "気圧計。"], NOTHING_ASKED).words == (1, 1)


def test_a_capital_or_a_letter_of_the_sentence_before_makes_none_specific() -> None:
    assert (
        sentence_stats(["We saw it. ", "Bob left", "I ", "B"], NOTHING_ASKED).specific
        == (False,) * 4
    )


def test_a_word_asked_for_twice_counts_once_and_by_its_language() -> None:
    query = QueryTerms(terms=frozenset({"key"}), language="en")

    assert query.counts(["Keys, and another key", "A monkey"]) == (1, 0)
    assert QueryTerms(terms=query.terms, language="de").counts(["Keys"]) == (0,)


def test_worth_is_what_is_asked_and_what_is_specific() -> None:
    stats = told([5, 5], query={0: 3}, specific=(0,))

    assert worth(stats, 0) == 3 * ASKED_WORTH + SPECIFIC_WORTH
    assert worth(stats, 1) == 0.0


@pytest.mark.parametrize("count", [1, 2, 8, 9, 30])
@pytest.mark.parametrize("share_min", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("spare", [-1, 0, 5])
def test_what_is_shown_whole_is_what_any_choice_would_show_whole(
    count: int, share_min: float, spare: int
) -> None:
    costs = [3 + place % 4 for place in range(count)]
    cost_max = sum(costs) + spare
    chosen = choose(told(costs), costs, cost_max=cost_max, share_min=share_min)

    is_whole = is_shown_whole(costs, cost_max=cost_max, share_min=share_min)

    assert is_whole == (spare >= 0 and (share_min == 1.0 or count == 1))
    assert not is_whole or chosen == tuple(range(count))


def test_nothing_is_shown_whole_for_free() -> None:
    assert is_shown_whole([], cost_max=0, share_min=1.0)
    assert choose(told([]), [], cost_max=0, share_min=1.0) == ()
    assert not is_shown_whole([], cost_max=0, share_min=0.5)


# ── choosing among few ────────────────────────────────────────────────────────────────────────


def price(stats: SentenceStats, costs: list[int], choice: Choice) -> float:
    """Return the price of a choice as the docstring tells it, counted another way."""
    gaps = sum(1 for n in range(len(costs)) if n not in choice and (n == 0 or n - 1 in choice))
    return sum(costs[n] - worth(stats, n) for n in choice) + GAP_COST * gaps


@pytest.mark.parametrize("share_min", [0.0, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(
    ("words", "query", "specific"),
    [
        ([5, 9, 4, 8], {}, ()),
        ([5, 9, 4, 8], {1: 2}, (2,)),
        ([5, 9, 4, 8, 3, 3], {0: 1, 5: 6}, (0, 3)),
        ([2, 2, 2], {1: 9}, ()),
        ([7], {}, ()),
    ],
)
def test_the_cheapest_choice_that_keeps_the_share_is_taken(
    words: list[int], query: dict[int, int], specific: tuple[int, ...], share_min: float
) -> None:
    stats, costs = told(words, query=query, specific=specific), [one + 2 for one in words]
    choices = [
        choice
        for size in range(1, len(words) + 1)
        for choice in combinations(range(len(words)), size)
        if sum(words[n] for n in choice) >= share_min * sum(words)
    ]
    chosen = choose(stats, costs, cost_max=1000, share_min=share_min)

    assert chosen in choices
    assert price(stats, costs, chosen) == min(price(stats, costs, one) for one in choices)


def test_all_of_it_is_asked_for_by_a_share_of_one() -> None:
    assert choose(told([3, 4, 5]), [3, 4, 5], cost_max=12, share_min=1.0) == (0, 1, 2)


def test_some_sentence_is_shown_even_where_no_share_is_asked_for() -> None:
    assert choose(told([3, 4, 5]), [30, 40, 50], cost_max=99, share_min=0.0) == (0,)


def test_sentences_side_by_side_save_a_mark() -> None:
    costs = [5, 5, 5, 5]

    assert choose(told([5] * 4), costs, cost_max=99, share_min=0.5) == (0, 1)
    one_match = told([5] * 4, query={2: 1})
    assert choose(one_match, costs, cost_max=99, share_min=0.5) == (2, 3)


# ── choosing where not everything fits ────────────────────────────────────────────────────────


def test_what_tells_most_is_shown_with_its_surroundings_up_to_the_cost() -> None:
    stats = told([5] * 8, query={5: 2})

    assert choose(stats, [5] * 8, cost_max=12, share_min=1.0) == (0, 5)
    assert choose(told([5] * 8), [5] * 8, cost_max=16, share_min=1.0) == (0, 1, 2)


def test_a_long_text_is_shown_at_its_most_telling_places_and_around_them() -> None:
    count = 40
    stats = told([5] * count, query={10: 5, 30: 4, 20: 3, 35: 2, 2: 1})
    costs = [5] * count

    assert choose(stats, costs, cost_max=20, share_min=0.5) == (10, 20, 30, 35)
    assert choose(stats, costs, cost_max=40, share_min=0.5) == (9, 10, 11, 19, 20, 21, 30, 35)
    assert choose(stats, costs, cost_max=999, share_min=0.1) == (10, 20, 30, 35)
    assert len(choose(stats, costs, cost_max=999, share_min=1.0)) == count


def test_a_telling_sentence_that_does_not_fit_is_passed_over() -> None:
    stats = told([5, 50, 5], query={1: 9})

    assert choose(stats, [5, 50, 5], cost_max=12, share_min=1.0) == (0, 2)


@pytest.mark.parametrize("count", [3, 20])
def test_where_no_sentence_fits_there_is_none(count: int) -> None:
    assert choose(told([9] * count), [9] * count, cost_max=8, share_min=0.5) == ()
    assert choose(told([]), [], cost_max=8, share_min=0.5) == ()


def test_no_more_than_the_cost_is_ever_taken() -> None:
    for count in (5, 8, 9, 30):
        costs = [3 + n * 7 % 5 for n in range(count)]
        for cost_max in range(60):
            chosen = choose(told(costs), costs, cost_max=cost_max, share_min=0.6)
            assert sum(costs[n] for n in chosen) <= cost_max
            assert list(chosen) == sorted(set(chosen))


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
    assert joined(TEXT, spans) == expected


def test_blanks_around_all_of_it_leave_out_nothing() -> None:
    assert joined(f"\n {TEXT} \n", [(2, 36)]) == TEXT
