"""The judgement of hits by labels, on names alone."""

import pytest

from simonides_bench.desk.answers import figures_and_names, words_in
from simonides_bench.desk.judged import (
    BriefShares,
    Judged,
    by_category,
    figures,
    is_must_not_before,
    ranks_of,
    share_of,
)
from simonides_bench.metrics import auc
from simonides_bench.neutral import Question

NO_NAMES: frozenset[str] = frozenset()


def names(*each: str) -> list[frozenset[str]]:
    """Return the names of hits: `ab` is one hit with the names a and b."""
    return [frozenset(one) for one in each]


def asked(evidence: str = "", must_not: str = "", category: str = "") -> Question:
    return Question(
        id="q",
        group="",
        text="?",
        evidence=frozenset(evidence),
        must_not=frozenset(must_not),
        category=category,
    )


def judged(question: Question, **given: float | bool | None) -> Judged:
    names_of_briefs = ("evidence", "answer", "pasted", "tokens", "is_denied", "is_in_doubt")
    own = {name: given.pop(name) for name in names_of_briefs if name in given}
    brief = BriefShares(
        **{"evidence": 0.0, "answer": None, "pasted": None, "tokens": 0, "is_denied": False,
           "is_in_doubt": False, **own}  # type: ignore[arg-type]
    )  # fmt: skip
    usual = {
        "is_first_right": False,
        "is_must_not_before": False,
        "certainty": 0.0,
        "briefs": {700: brief},
    }
    ranks = {"ranks": ranks_of(question.evidence, names("x", "a")), "titles": ("X", "A")}
    return Judged(question=question, **{**usual, **ranks, **given})  # type: ignore[arg-type]


def test_a_rank_is_that_of_the_first_hit_of_a_name() -> None:
    assert ranks_of(frozenset("abz"), names("", "xa", "ab", "a")) == {"a": 2, "b": 3, "z": None}


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        (("m", "e"), True),
        (("e", "m"), False),
        (("x", "m"), True),
        (("x",), False),
        (("me", "m"), False),
        ((), False),
    ],
)
def test_what_must_not_counts_where_it_is_found_before_all_evidence(
    hits: tuple[str, ...], expected: bool
) -> None:
    assert is_must_not_before(asked("e", "m"), names(*hits)) is expected


def test_a_share_counts_names_and_not_items() -> None:
    assert share_of(frozenset("abcd"), names("ab", "a", "x")) == 0.5
    assert share_of(NO_NAMES, names("a")) == 0.0


def test_recall_is_the_share_of_the_evidence_up_to_the_cut() -> None:
    one = judged(asked("az"))

    assert (one.recall(1), one.recall(2), one.recall(20)) == (0.0, 0.5, 0.5)
    assert one.is_missed
    assert not judged(asked("a")).is_missed


def test_a_question_that_nothing_answers_is_never_missed() -> None:
    assert not judged(asked()).is_missed


def test_figures_are_means_over_the_questions_that_they_are_about() -> None:
    found = figures(
        [
            judged(asked("a", "m"), is_first_right=True, certainty=0.9, tokens=100),
            judged(asked("z"), evidence=1.0, certainty=0.4, answer=1.0, pasted=0.5),
            judged(
                asked("x", "m"), is_must_not_before=True, certainty=0.4, answer=0.5, is_denied=True
            ),
            judged(asked("a"), certainty=0.1, tokens=300),
            judged(asked(), certainty=0.4, tokens=50, is_first_right=True, is_in_doubt=True),
        ]
    )

    assert found == {
        "questions": 5,
        "answerable": 4,
        "first": 0.25,
        "recall@5": 0.75,
        "recall@10": 0.75,
        "recall@20": 0.75,
        "must_not_before_evidence": 0.5,
        "brief_evidence": 0.25,
        "answer_in_brief": 0.5,
        "denied": 0.25,
        "abstention_auc": (1 + 0.5 + 0.5 + 0) / 4,
        "brief_tokens": {"answerable": 100.0, "abstention": 50.0},
        "in_doubt": {"answerable": 0.0, "abstention": 1.0},
        "budgets": {
            "700": {
                "brief_evidence": 0.25, "answer": 0.75, "pasted": 0.5, "denied": 0.25,
                "tokens": 100.0,
            }
        },
    }  # fmt: skip


def test_what_no_question_is_about_is_none() -> None:
    found = figures([judged(asked())])

    assert (found["first"], found["abstention_auc"], found["recall@5"]) == (None, None, None)
    assert found["brief_tokens"] == {"answerable": None, "abstention": 0.0}


def test_categories_have_figures_of_their_own_in_order_of_name() -> None:
    found = by_category(
        [
            judged(asked("a", category="who"), is_first_right=True, tokens=7),
            judged(asked("z", category="list")),
            judged(asked("a")),
        ]
    )

    assert list(found) == ["list", "who"]
    assert (found["who"]["first"], found["who"]["brief_tokens"]) == (1.0, 7.0)
    assert found["list"]["recall@10"] == 0.0


def test_the_area_under_the_curve_counts_pairs_and_ties_half() -> None:
    assert auc([3.0, 1.0], [2.0, 1.0]) == (1 + 1 + 0 + 0.5) / 4
    assert auc([2.0], [1.0]) == 1.0
    assert auc([], [1.0]) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Mia Kovac, on 3 March: at 09:30.", {"mia", "kovac", "3", "march", "09", "30"}),
        ("The ferry, they said.", set()),
        ("Hannah's, in Q3.", {"hannah", "q3"}),
        ("", set()),
    ],
)
def test_figures_and_names_are_words_with_digits_and_capital_letters(
    answer: str, expected: set[str]
) -> None:
    assert figures_and_names(answer) == expected


def test_words_are_compared_whole_and_without_letter_case() -> None:
    assert figures_and_names("Ana, 12") <= words_in("(ANA) came at 12:05")
    assert not figures_and_names("Ana, 12") <= words_in("Anabel came at 1205")
