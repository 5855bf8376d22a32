"""Which of several memories is shown for one entity: by scope, then score, then id."""

from collections.abc import Callable
from typing import Any

import pytest

from simonides import Hit, Item, MemoryTraits, Viewer
from simonides.errors import InvalidInput
from simonides.memories.scoped_merge import (
    MergeStats,
    ScopedMerge,
    entity_in,
    entity_key,
    merge_scoped_candidates,
)
from simonides.model.item import Scope

NAN = float("nan")


def found(name: str, score: float, scope: str = "user", entity: str = "x", **ids: Any) -> Hit:
    traits = MemoryTraits(scope=Scope(scope), entity=entity, **ids)
    return Hit(item=Item(content=f"says {name}", id=name, traits=traits), score=score)


def kept(made: ScopedMerge) -> list[tuple[str, str]]:
    return [(one.hit.id, one.reason.value) for one in made.kept]


def test_the_narrower_scope_wins_against_a_better_score() -> None:
    made = merge_scoped_candidates([found("a", 0.95, "global"), found("b", 0.80, "workspace")])

    assert kept(made) == [("b", "higher_precedence")]
    assert made.kept[0].over == ("a",)
    assert made.stats == MergeStats(
        repeated=0, invisible=0, filtered_candidates=1, kept_candidates=1
    )


def test_scopes_rank_workspace_session_user_global() -> None:
    scopes = ["global", "user", "session", "workspace"]
    made = merge_scoped_candidates(
        [found(scope, 1.0, scope, entity=scope) for scope in scopes], top_k=9
    )

    assert [one.hit.id for one in made.kept] == ["workspace", "session", "user", "global"]


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        (found("a", 0.5), found("b", 0.6), ("b", "higher_score")),
        (found("b", 0.5), found("a", 0.5), ("a", "lower_id")),
        (found("a", NAN), found("b", -5.0), ("b", "higher_score")),
        (found("b", NAN), found("a", NAN), ("a", "lower_id")),
    ],
)
def test_of_one_scope_the_score_decides_and_then_the_id(
    first: Hit, second: Hit, winner: tuple[str, str]
) -> None:
    assert kept(merge_scoped_candidates([first, second])) == [winner]
    assert kept(merge_scoped_candidates([second, first])) == [winner]


def test_what_is_about_nothing_or_about_something_else_contradicts_nothing() -> None:
    made = merge_scoped_candidates(
        [found("a", 0.1, entity=""), found("b", 0.2, entity=""), found("c", 0.3, entity="y")]
    )

    assert kept(made) == [(one, "non_conflicting") for one in ("c", "b", "a")]


def test_the_first_of_one_id_counts_and_repeated_ones_are_not_filtered() -> None:
    made = merge_scoped_candidates([found("a", 0.2), found("a", 0.9)])

    assert [one.hit.score for one in made.kept] == [0.2]
    assert made.stats.repeated == 1
    assert made.stats.filtered_candidates == 0


def test_no_more_than_top_k_are_kept_and_the_rest_counts_as_filtered() -> None:
    made = merge_scoped_candidates([found(f"m{n}", n, entity=f"e{n}") for n in range(12)])

    assert [one.hit.id for one in made.kept] == [f"m{n}" for n in range(11, 3, -1)]
    assert (made.stats.kept_candidates, made.stats.filtered_candidates) == (8, 4)


def test_top_k_is_one_at_least() -> None:
    with pytest.raises(InvalidInput, match="top_k: must be 1 or more, got 0"):
        merge_scoped_candidates([], top_k=0)


def test_nothing_is_merged_into_nothing() -> None:
    assert merge_scoped_candidates([]).kept == ()


def test_what_is_for_others_does_not_win_and_is_counted() -> None:
    ours = found("ours", 0.1, "user", user_id="ana")
    made = merge_scoped_candidates(
        [ours, found("theirs", 0.9, "workspace", workspace_id="w2")],
        viewer=Viewer(user_id="ana", workspace_id="w1"),
    )

    assert kept(made) == [("ours", "non_conflicting")]
    assert made.stats.invisible == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("Alpha-Launch", " alpha  LAUNCH!"), ("Tom.drink", "tom/drink"), ("Ärzte", "ÄRZTE")],
)
def test_names_of_one_entity_have_one_key(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other) != ""


def test_names_that_differ_in_their_marks_alone_can_be_kept_apart() -> None:
    assert len({entity_key(name) for name in ("C", "C++", "C#")}) == 3
    assert entity_key(" … ") == ""


@pytest.mark.parametrize(
    ("text", "entity"),
    [("Tom's favourite is tea", "tom s favourite"), ("Deadline: Friday", "deadline"),
     ("Deadline: it is Friday", "deadline"), ("Tea this time", ""), (": nothing", "")],
)  # fmt: skip
def test_an_entity_can_be_read_out_of_the_words(text: str, entity: str) -> None:
    assert entity_in(text) == entity


def test_entities_are_read_out_of_words_only_if_asked_for() -> None:
    hits = [
        Hit(item=Item(content=f"The deadline is {day}", id=day), score=score)
        for day, score in (("friday", 0.5), ("monday", 0.4))
    ]

    assert len(merge_scoped_candidates(hits).kept) == 2
    assert kept(merge_scoped_candidates(hits, reads_entity=True)) == [("friday", "higher_score")]


def test_an_item_that_is_no_memory_counts_as_the_users(stated: Callable[..., Item]) -> None:
    mail = Hit(item=Item(content="x", kind="email", id="m"), score=1.0)
    note = Hit(item=stated("y", id="n", scope="global"), score=9.0)

    assert [one.hit.id for one in merge_scoped_candidates([note, mail]).kept] == ["m", "n"]
