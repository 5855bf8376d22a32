"""The seed's additive formula, row by row of its own tables."""

import pytest

from simonides.scoring.formulas import (
    ClassicSignals,
    classic_parts,
    entity_share,
    episodic,
    recency,
)


def signals(**changes: object) -> ClassicSignals:
    values: dict[str, object] = {
        "semantic": 0.8, "days": None, "entities": 0, "entity_explicit": False,
        "source": "note", "source_explicit": False, "text_rank": 0.0,
    }  # fmt: skip
    return ClassicSignals(**{**values, **changes})  # type: ignore[arg-type]


def total(**changes: object) -> float:
    return sum(value for _, value in classic_parts(signals(**changes)))


def test_a_perfect_match_of_today_has_the_seeds_score() -> None:
    """The first row of the seed's table (6.3), its full-text share of .05 included."""
    score = total(
        semantic=0.95, days=0, entities=1, entity_explicit=True, source="gmail",
        source_explicit=True, text_rank=1.0,
    )  # fmt: skip

    assert score == pytest.approx(1.425)


@pytest.mark.parametrize(
    ("days", "expected"),
    [(0, 0.2), (-3, 0.2), (365, 0.0), (1000, 0.0), (None, 0.0), (73, 0.16)],
)
def test_recency_falls_to_nothing_over_a_year(days: int | None, expected: float) -> None:
    assert recency(days) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("matches", "explicit", "expected"),
    [(0, False, 0.0), (1, False, 0.1), (2, False, 0.2), (9, False, 0.3), (0, True, 0.2),
     (1, True, 0.2), (5, True, 0.3)],
)  # fmt: skip
def test_entities_count_a_tenth_each_up_to_three(
    matches: int, explicit: bool, expected: float
) -> None:
    assert entity_share(matches, explicit=explicit) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [("gmail", 0.10), ("outlook", 0.10), ("gdrive", 0.08), ("onedrive", 0.08), ("jira", 0.07),
     ("calendar", 0.05), ("carrier pigeon", 0.05)],
)  # fmt: skip
def test_each_source_has_its_priority(source: str, expected: float) -> None:
    parts = dict(classic_parts(signals(source=source)))

    assert parts["source"] == pytest.approx(expected)


def test_the_full_text_share_is_capped() -> None:
    parts = dict(classic_parts(signals(text_rank=17.0)))

    assert parts["text"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("similarity", "same", "days", "expected"),
    [
        (0.29, True, 0, None),
        (float("nan"), True, 0, None),
        (0.3, False, None, 0.09),
        (0.5, False, 15, 0.25),
        (0.5, True, 30, 0.3),
        (1.0, True, 0, 0.5),
        (0.6, False, -4, 0.38),
    ],
)
def test_what_was_said_before_follows_the_episodic_formula(
    similarity: float, same: bool, days: int | None, expected: float | None
) -> None:
    score = episodic(similarity, same_session=same, days=days)

    assert score == (None if expected is None else pytest.approx(expected))
