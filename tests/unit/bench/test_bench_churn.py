"""The bench of churn: its figures are those of a space that was updated, compacted and asked."""

from typing import Any

import pytest
from tests.unit.bench.labelled import explained

from simonides_bench import churn


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """The figures of a small run, and the progress that it told."""
    reported: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(churn, "QUESTIONS", 4)
        patch.setattr(churn, "PASSAGES_MAX", 60)
        found = churn.run(
            updates=20, items=10, on_progress=lambda done, of: reported.append((done, of))
        )
    return {**found, "told": reported}


def test_every_update_leaves_a_version_and_every_version_goes(figures: dict[str, Any]) -> None:
    assert (figures["updates"], figures["items"]) == (20, 10)
    assert figures["versions_removed"] == 20


def test_the_compacted_file_is_held_against_a_fresh_one(figures: dict[str, Any]) -> None:
    assert figures["churned_file_bytes"] > figures["file_bytes"]
    assert figures["file_ratio"] == figures["file_bytes"] / figures["fresh_file_bytes"]
    assert 0.7 < figures["file_ratio"] < 1.3


def test_times_are_told_of_both_spaces(figures: dict[str, Any]) -> None:
    names = ("update_ms_p50", "compact_s", "search_ms_p50", "fresh_search_ms_p50", "search_ratio")

    assert all(figures[name] > 0.0 for name in names)


def test_every_figure_is_reported_in_the_reference_and_is_there(figures: dict[str, Any]) -> None:
    assert explained("Churn") - {"relaxed"} == set(figures) - {"told"}
    assert figures["same_answers"] == 1.0


def test_progress_is_reported_in_updates(figures: dict[str, Any]) -> None:
    assert figures["told"] == [(done, 20) for done in range(1, 21)]
