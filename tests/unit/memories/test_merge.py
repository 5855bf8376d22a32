"""The decision table of `merge_candidate`: the seeds' rules, and where they are mended."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from simonides import Item
from simonides.errors import InvalidInput
from simonides.memories.merge import SHARE_TOLERANCE, merge_candidate, wording
from simonides.model.memories import MergeConfig, MergeDecision, MergeOp, MergeReason

NINE: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
TEA: Final = "Tom prefers tea."
COFFEE: Final = "Tom prefers coffee."
DRINK: Final = {"entity": "Tom.drink"}
NEWER: Final = "supersede higher_confidence_or_newer_fact"

State = Callable[..., Item]
Given = dict[str, Any]

TABLE: Final[list[tuple[str, Given, str, Given, str]]] = [
    # what is kept, its traits, the candidate, its traits, the decision
    (TEA, {}, TEA, {}, "noop duplicate_text"),
    (TEA, {}, "tom  PREFERS tea", {}, "noop duplicate_text"),
    (TEA, {}, "“Tom prefers tea”", {}, "noop duplicate_text"),
    (TEA, {}, TEA, {"confidence": 0.9}, "update duplicate_text_metadata_update"),
    (TEA, {"importance": 0.9}, TEA, {}, "update duplicate_text_metadata_update"),
    (TEA, {}, TEA, {"confidence": 0.7 + 1e-8}, "noop duplicate_text"),
    (TEA, {}, TEA, {"half_life_hours": 5.0}, "update duplicate_text_metadata_update"),
    (TEA, {"half_life_hours": 5.0}, TEA, {}, "noop duplicate_text"),
    (TEA, {}, TEA, {"expires_at": NINE + HOUR}, "update duplicate_text_metadata_update"),
    (TEA, {}, TEA, DRINK, "update duplicate_text_metadata_update"),
    (TEA, DRINK, TEA, {}, "noop duplicate_text"),
    (TEA, {"scope": "global"}, TEA, {}, "noop duplicate_text"),
    (TEA, {"type": "policy"}, TEA, {}, "noop duplicate_text"),
    (TEA, {"user_id": "a"}, TEA, {"user_id": "b"}, "noop duplicate_text"),
    (TEA, {}, TEA, {"status": "quarantined"}, "noop duplicate_text"),
    (TEA, {"status": "quarantined"}, TEA, {}, "noop duplicate_text"),
    # mended, so that no dead record is updated instead of adding
    (TEA, {"status": "deleted"}, TEA, {}, "add existing_memory_not_active"),
    (TEA, {"status": "superseded"}, TEA, {}, "add existing_memory_not_active"),
    (TEA, {"expires_at": NINE}, TEA, {}, "add existing_memory_not_active"),
    (TEA, {"expires_at": NINE + HOUR}, TEA, {}, "noop duplicate_text"),
    (TEA, {"status": "deleted", "scope": "global"}, TEA, {},
     "add new_memory_scope_or_type_mismatch"),
    # only ever asked for
    (TEA, {}, TEA, {"status": "deleted"}, "delete asked_for"),
    (TEA, {"status": "quarantined"}, TEA, {"status": "deleted"}, "delete asked_for"),
    (TEA, {"status": "deleted"}, TEA, {"status": "deleted"}, "add existing_memory_not_active"),
    (TEA, DRINK, COFFEE, {**DRINK, "status": "deleted"}, "noop candidate_not_active"),
    # scope and type
    (TEA, {**DRINK, "scope": "session"}, COFFEE, DRINK, "add new_memory_scope_or_type_mismatch"),
    (TEA, {**DRINK, "type": "profile"}, COFFEE, DRINK, "add new_memory_scope_or_type_mismatch"),
    # whose it is counts (mended)
    (TEA, {**DRINK, "user_id": "a"}, COFFEE, {**DRINK, "user_id": "b"},
     "add new_memory_scope_or_type_mismatch"),
    (TEA, {**DRINK, "user_id": "a"}, COFFEE, DRINK, "add new_memory_scope_or_type_mismatch"),
    (TEA, {**DRINK, "session_id": "a"}, COFFEE, {**DRINK, "session_id": "b"},
     NEWER),
    (TEA, {**DRINK, "scope": "global", "user_id": "a"}, COFFEE,
     {**DRINK, "scope": "global", "user_id": "b"}, NEWER),
    # statuses
    (TEA, {**DRINK, "status": "superseded"}, COFFEE, DRINK, "add existing_memory_not_active"),
    (TEA, {**DRINK, "status": "quarantined"}, COFFEE, DRINK, "add existing_memory_not_active"),
    (TEA, {**DRINK, "expires_at": NINE}, COFFEE, DRINK, "add existing_memory_not_active"),
    (TEA, {"status": "superseded"}, COFFEE, {"status": "quarantined"},
     "add existing_memory_not_active"),
    (TEA, {}, COFFEE, {"status": "quarantined"}, "noop candidate_not_active"),
    # entities
    (TEA, {}, COFFEE, {}, "add new_memory_non_conflicting"),
    (TEA, DRINK, COFFEE, {}, "add new_memory_non_conflicting"),
    (TEA, {}, COFFEE, DRINK, "add new_memory_non_conflicting"),
    (TEA, {"entity": " "}, COFFEE, {"entity": " "}, "add new_memory_non_conflicting"),
    (TEA, DRINK, COFFEE, {"entity": " TOM.drink "}, NEWER),
    # confidence
    (TEA, DRINK, COFFEE, {**DRINK, "confidence": 0.64}, "noop lower_confidence_candidate"),
    (TEA, DRINK, COFFEE, {**DRINK, "confidence": 0.65}, NEWER),
    (TEA, {**DRINK, "confidence": 0.4}, COFFEE, {**DRINK, "confidence": 0.35},
     NEWER),
    (TEA, DRINK, COFFEE, {**DRINK, "confidence": 0.99}, NEWER),
    # an older fact never supersedes (mended)
    (TEA, DRINK, COFFEE, {**DRINK, "happened_at": NINE - HOUR}, "noop older_than_existing"),
    (TEA, DRINK, COFFEE, {**DRINK, "happened_at": NINE}, NEWER),
    (TEA, {**DRINK, "happened_at": NINE + HOUR}, COFFEE, {**DRINK, "happened_at": NINE},
     "noop older_than_existing"),
    (TEA, {**DRINK, "happened_at": NINE + HOUR}, COFFEE, DRINK,
     NEWER),
    (TEA, {**DRINK, "happened_at": NINE - 3 * HOUR}, COFFEE,
     {**DRINK, "happened_at": NINE - 2 * HOUR}, NEWER),
    (TEA, DRINK, COFFEE, {**DRINK, "confidence": 0.1, "happened_at": NINE - HOUR},
     "noop lower_confidence_candidate"),
]  # fmt: skip


def describe(decision: MergeDecision) -> str:
    return f"{decision.op} {decision.reason}"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[-1])
def test_the_table(row: tuple[str, Given, str, Given, str], stated: State) -> None:
    kept, traits, text, given, decision = row
    existing, candidate = stated(kept, id="a", **traits), stated(text, id="b", **given)
    made = merge_candidate(existing, candidate)

    assert describe(made) == decision
    assert made.ids == ("a",)


@pytest.mark.parametrize("status", ["active", "superseded", "quarantined", "deleted"])
def test_where_nothing_is_like_it_a_candidate_is_added_whatever_its_status(
    status: str, stated: State
) -> None:
    made = merge_candidate(None, stated(TEA, status=status))

    assert (describe(made), made.ids) == ("add no_similar_memory", ())


def test_every_decision_but_those_of_remember_is_in_the_table() -> None:
    reasons = {row[-1].split()[1] for row in TABLE}
    ops = {row[-1].split()[0] for row in TABLE}

    assert set(MergeReason) - reasons == {"no_similar_memory", "recalled_text", "quarantine_lifted"}
    assert set(MergeOp) - ops == set()


def test_an_update_says_which_traits_it_sets(stated: State) -> None:
    kept = stated(TEA, entity="Tom", half_life_hours=3.0)
    said = stated(TEA, entity="tom", confidence=0.9, half_life_hours=5.0)

    assert merge_candidate(kept, said).patch == {"confidence": 0.9, "half_life_hours": 5.0}


def test_shares_are_the_same_within_the_tolerance_and_not_beyond(stated: State) -> None:
    kept = stated(TEA, confidence=0.5)

    assert merge_candidate(kept, stated(TEA, confidence=0.5 + SHARE_TOLERANCE)).op == "noop"
    assert merge_candidate(kept, stated(TEA, confidence=0.5 + 3 * SHARE_TOLERANCE)).op == "update"


def test_a_clock_that_was_set_back_does_not_make_a_new_fact_old(stated: State) -> None:
    kept, said = stated(TEA, **DRINK), stated(COFFEE, at=NINE - HOUR, **DRINK)

    assert merge_candidate(kept, said).op is MergeOp.SUPERSEDE


def test_the_threshold_can_be_set(stated: State) -> None:
    kept, said = stated(TEA, **DRINK), stated(COFFEE, confidence=0.3, **DRINK)

    assert merge_candidate(kept, said, MergeConfig(supersede_threshold=0.5)).op == "supersede"
    assert merge_candidate(kept, said, MergeConfig(supersede_threshold=0.0)).op == "noop"


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(InvalidInput, match=r"supersede_threshold: must lie in \[0, 1\]"):
        MergeConfig(supersede_threshold=threshold)


def test_a_memory_of_a_title_alone_says_its_title() -> None:
    kept, said = Item(title="Tea at four", id="a"), Item(content="tea at four.", id="b")

    assert describe(merge_candidate(kept, said)) == "noop duplicate_text"


@pytest.mark.parametrize(
    ("one", "other"),
    [("I like C", "I like C++"), ("Tom is here", "Tom is here?"), ("5 %", "5"), ("-5", "5"),
     ("😀", "😢"), ("Tom, Sarah called", "Tom Sarah called"), ("...", "…!")],
)  # fmt: skip
def test_marks_that_could_matter_tell_texts_apart(one: str, other: str) -> None:
    assert wording(one) != wording(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Tea.", "tea"), ("Tea …", "tea!"), ("  Tea\n at  four ", "TEA AT FOUR"), ("'Tea'", "tea"),
     ("ｔｅａ", "tea"), ("Straße", "STRASSE")],  # noqa: RUF001  full-width on purpose
)  # fmt: skip
def test_case_spaces_quotes_and_a_full_stop_do_not_matter(one: str, other: str) -> None:
    assert wording(one) == wording(other)
