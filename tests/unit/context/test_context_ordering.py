"""In which order a brief takes candidates: by score, neighbours of the best, questions last."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from simonides.context.selection import ASKS_COST, BESIDE_WORTHS, BEST_COUNT, answer_order
from simonides.model.answer import Hit
from simonides.model.item import Item

MakeHit = Callable[..., Hit]


def order(hits: list[Hit]) -> list[str]:
    return [hit.id for hit in answer_order(hits)]


def worth(hit: Hit, *others: Hit) -> float:
    """Return what a hit is worth beside its score, found out by a yardstick of every score."""
    low, high = -1.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        ids = order([*others, hit, replace(others[0], item=_yardstick(hit), score=middle)])
        if ids.index("yardstick") > ids.index(hit.id):
            low = middle
        else:
            high = middle
    return round(low - hit.score, 4)


def _yardstick(hit: Hit) -> Item:
    return replace(hit.item, id="yardstick", session="", position=None, content="It is.")


def test_the_best_come_first_and_ties_go_by_id(hit: MakeHit) -> None:
    hits = [
        hit("x", id=name, score=score) for name, score in zip("dbca", (1, 2, 1, 3), strict=True)
    ]

    assert order(hits) == ["a", "b", "c", "d"]


def test_scores_are_left_as_they_are(hit: MakeHit) -> None:
    hits = [hit("Is it?", id="a", kind="message", score=0.5), hit("It is.", id="b", score=0.4)]

    assert [(one.id, one.score) for one in answer_order(hits)] == [("b", 0.4), ("a", 0.5)]
    assert answer_order(hits)[0] is hits[1]


def test_what_is_no_number_comes_last(hit: MakeHit) -> None:
    scores = [float("nan"), 0.1, float("nan"), float("-inf"), 9.0]
    hits = [hit("x", id=f"i{n}", score=score) for n, score in enumerate(scores)]

    assert order(hits) == ["i4", "i1", "i0", "i2", "i3"]
    assert order(hits[::-1]) == ["i4", "i1", "i0", "i2", "i3"]


# ── neighbours ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("away", "expected"),
    [(1, BESIDE_WORTHS[0]), (-1, BESIDE_WORTHS[0]), (2, BESIDE_WORTHS[1]), (-2, BESIDE_WORTHS[1]),
     (3, 0.0)],
)  # fmt: skip
def test_what_stands_beside_one_of_the_best_is_worth_more(
    hit: MakeHit, away: int, expected: float
) -> None:
    best = [hit("It was.", id=f"b{n}", score=2.0) for n in range(BEST_COUNT - 1)]
    best.append(hit("It is.", id="best", score=2.0, session="s", position=10))
    one = hit("It will be.", id="one", score=0.1, session="s", position=10 + away)

    assert worth(one, *best) == expected


@pytest.mark.parametrize(
    "fields", [{"session": "t", "position": 11}, {"session": "s"}, {"position": 11}]
)
def test_only_the_same_conversation_has_neighbours(hit: MakeHit, fields: dict[str, object]) -> None:
    best = [hit("It was.", id=f"b{n}", score=2.0) for n in range(BEST_COUNT - 1)]
    best.append(hit("It is.", id="best", score=2.0, session="s", position=10))
    best.append(hit("It is.", id="no place", score=2.0))

    assert worth(hit("Well.", id="one", score=0.1, **fields), *best) == 0.0


def test_only_the_best_have_neighbours_in_whatever_order_they_come(hit: MakeHit) -> None:
    best = [hit("It was.", id=f"b{n}", score=2.0) for n in range(BEST_COUNT)]
    ninth = hit("It is.", id="ninth", score=1.0, session="s", position=10)
    one = hit("It will be.", id="one", score=0.1, session="s", position=11)
    other = hit("It might be.", id="other", score=0.12)

    assert order([one, other, ninth, *best])[-2:] == ["other", "one"]
    assert order([one, other, ninth, *best[1:]])[-2:] == ["one", "other"]


def test_the_order_given_leaves_no_trace(hit: MakeHit) -> None:
    hits = [
        hit("It is.", id=f"i{n}", score=n % 5 / 10, session=f"s{n % 2}", position=n)
        for n in range(20)
    ]
    shuffled = list(hits)
    Random(1).shuffle(shuffled)

    assert order(shuffled) == order(hits)


# ── questions ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "share"),
    [
        ("where did it go?", 1.0),
        ("where did it go", 0.0),
        ("well. where did it go?", 0.5),
        ("oh! well. where did it go?", 0.3333),
        ("where? when?", 1.0),
        ('did she say "where?"', 1.0),
        ("where did it go?)", 1.0),
        ("what about section?3", 0.0),
        ("where did Tom go?", 0.0),
        ("are all 40 in?", 0.0),
        ("Where did it go? Nobody knows.", 0.5),
        ("どこですか\uff1f", 1.0),
        ("أين ذهب؟", 1.0),
        ("kiedy to było? tak.", 0.5),
        (" ".join(["why"] * 29) + " not?", 0.0),
        (" ".join(["why"] * 28) + " not?", 1.0),
    ],
)
def test_a_short_message_that_asks_and_tells_nothing_is_put_back(
    hit: MakeHit, content: str, share: float
) -> None:
    one = hit(content, id="one", kind="message", score=0.5)

    assert worth(one, hit("It is.", id="other", score=0.0)) == round(-ASKS_COST * share, 4)


def test_only_messages_are_conversation(hit: MakeHit) -> None:
    one = hit("where did it go?", id="one", kind="document", score=0.5)

    assert worth(one, hit("It is.", id="other", score=0.0)) == 0.0
