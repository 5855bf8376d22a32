"""Backgrounds on the wire, alone and beside a search."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from simonides.codec.write import to_wire
from simonides.model.answer import Diagnostics, Mode, Plan, Scorer, SearchResult
from simonides.model.stored import Background, BackgroundPage, ScoredBackground

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
MAY = Background(id="b1", collection="main", text="May", created_at=NOON, revision=3)


def result(background: Background | None) -> SearchResult:
    seen = Diagnostics(
        revision=3, mode_requested=Mode.HYBRID, mode_used=Mode.TEXT, scorer=Scorer.FUSED
    )
    return SearchResult(hits=(), plan=Plan(), diagnostics=seen, background=background)


def test_a_search_tells_the_latest_background_and_its_time_in_utc() -> None:
    east = NOON.replace(microsecond=5).astimezone(timezone(timedelta(hours=9)))
    late = Background(id="b2", collection="main", text="June\n", created_at=east, revision=4)

    plain, exact = to_wire(result(MAY)), to_wire(result(late))
    assert (plain["latestContext"], plain["contextTimestamp"]) == ("May", "2026-03-12T12:00:00Z")
    assert exact["latestContext"] == "June\n"
    assert exact["contextTimestamp"] == "2026-03-12T12:00:00.000005Z"


def test_without_a_background_it_is_empty_and_null() -> None:
    wire = to_wire(result(None))

    assert (wire["latestContext"], wire["contextTimestamp"]) == ("", None)


def test_the_best_one_stands_between_the_latest_and_the_diagnostics() -> None:
    best = ScoredBackground(score=0.25, background=MAY)
    wire = to_wire(replace(result(None), best_context=(best,)))

    assert list(wire) == [
        "entries", "latestContext", "contextTimestamp", "bestContext", "bestContextTimestamp",
        "bestContextScore", "nothing", "diagnostics",
    ]  # fmt: skip
    assert (wire["latestContext"], wire["bestContext"]) == ("", "May")
    assert (wire["bestContextTimestamp"], wire["bestContextScore"]) == (
        "2026-03-12T12:00:00Z",
        0.25,
    )
    assert to_wire(wire) == wire


def test_where_none_fits_it_is_empty_and_null() -> None:
    wire = to_wire(replace(result(MAY), best_context=()))

    assert wire["latestContext"] == "May"
    assert wire["bestContext"] == ""
    assert wire["bestContextTimestamp"] is wire["bestContextScore"] is None


@pytest.mark.parametrize("best", [(), (ScoredBackground(score=0.25, background=MAY),)])
def test_the_rest_of_the_answer_is_that_of_the_search(best: tuple[ScoredBackground, ...]) -> None:
    plain = to_wire(result(MAY))
    found = to_wire(replace(result(MAY), best_context=best))

    assert {name: found[name] for name in plain} == plain
    assert set(found) - set(plain) == {"bestContext", "bestContextTimestamp", "bestContextScore"}


def test_snapshots_pages_and_scores_have_all_their_fields() -> None:
    snapshot = {
        "id": "b1", "collection": "main", "text": "May", "created_at": "2026-03-12T12:00:00Z",
        "revision": 3,
    }  # fmt: skip

    assert to_wire(MAY) == snapshot
    assert to_wire(BackgroundPage(snapshots=(MAY,), cursor="c")) == {
        "snapshots": [snapshot],
        "cursor": "c",
    }
    assert to_wire(ScoredBackground(score=0.5, background=MAY)) == {
        "score": 0.5,
        "background": snapshot,
    }
