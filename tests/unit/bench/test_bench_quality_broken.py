"""The benches of quality see an engine that finds nothing, or the wrong things; and their data."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.labelled import SUBJECTS, WORDS_ONLY, explained, item, question, written

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.model.answer import SearchResult
from simonides_bench import recall
from simonides_bench.metrics import CUTS
from simonides_bench.neutral import read_groups
from simonides_bench.recall import FIXED_NOW, ProgressCounter, keep_group, now_of, open_throwaway

# ── recall ────────────────────────────────────────────────────────────────────────────────────


def test_a_whole_engine_finds_what_is_there_to_be_found(data: Path) -> None:
    figures = recall.run(data, settings=WORDS_ONLY)

    assert (figures["recall@5"], figures["mrr"], figures["ndcg@10"]) == (1.0, 1.0, 1.0)


def test_an_engine_that_finds_nothing_has_nothing_but_zeros(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Memory.search

    def empty(self: Memory, *asked: Any, **how: Any) -> SearchResult:
        return replace(search(self, *asked, **how), hits=())

    monkeypatch.setattr(Memory, "search", empty)
    figures = recall.run(data, settings=WORDS_ONLY)

    names = [f"{name}@{k}" for name in ("recall", "any", "all") for k in CUTS]
    assert {figures[name] for name in (*names, "mrr", "ndcg@10", "tokens@10")} == {0.0}
    assert set(map(tuple, figures["interval_95"].values())) == {(0.0, 0.0)}


def test_an_engine_that_ranks_the_wrong_way_round_falls_in_every_rank_measure(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Memory.search

    def reversed_hits(self: Memory, *asked: Any, **how: Any) -> SearchResult:
        found = search(self, *asked, **how)
        return replace(found, hits=found.hits[::-1])

    monkeypatch.setattr(Memory, "search", reversed_hits)
    figures = recall.run(data, settings=WORDS_ONLY)

    assert figures["recall@20"] == 1.0
    assert figures["mrr"] == pytest.approx(1 / len(SUBJECTS))
    assert figures["recall@5"] == 0.0


def test_an_engine_that_keeps_only_half_is_seen(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Memory.add

    def half(self: Memory, items: Any, **rest: Any) -> Any:
        return add(self, items[::2], **rest)

    monkeypatch.setattr(Memory, "add", half)

    assert recall.run(data, settings=WORDS_ONLY)["recall@20"] == 0.5


def test_every_figure_of_recall_is_reported_in_the_reference(data: Path) -> None:
    assert explained("Recall") == set(recall.run(data, settings=WORDS_ONLY))


def test_a_place_that_cannot_be_written_is_reported_before_anything_is_measured(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "open_throwaway", lambda _settings: pytest.fail("it was measured"))

    for place in (tmp_path, tmp_path / "no folder" / "rankings.jsonl"):
        with pytest.raises(InvalidInput, match="cannot be written") as reported:
            recall.run(data, per_question=place, settings=WORDS_ONLY)
        assert reported.value.field == str(place)


def test_rankings_of_an_earlier_run_are_replaced(data: Path, tmp_path: Path) -> None:
    place = tmp_path / "rankings.jsonl"
    place.write_text("old\n" * 100, "utf-8")

    recall.run(data, per_question=place, settings=WORDS_ONLY)
    rows = [json.loads(line) for line in place.read_text("utf-8").splitlines()]

    assert [row["id"] for row in rows] == [f"q-{one}" for one in SUBJECTS]
    assert all(row["mrr"] == 1.0 and row["evidence"] == [row["id"][2:]] for row in rows)
    assert all(row["ranking"][0] == row["evidence"][0] for row in rows)


def test_a_question_is_asked_at_its_own_time_or_that_of_the_last_item(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(
        tmp_path / "data.jsonl",
        item("g", "1", "The ferry.", at="2025-03-01T10:00:00Z"),
        item("g", "2", "The bridge.", at="2025-02-01T10:00:00Z"),
        item("h", "1", "The garden."),
        question("g", "own", "ferry?", "1", at="2024-01-01"),
        question("g", "last", "bridge?", "2"),
        question("h", "none", "garden?", "1"),
    )
    search = Memory.search
    asked: dict[str, Any] = {}

    def noted(self: Memory, text: str, **how: Any) -> SearchResult:
        asked[text] = (how["now"], how["limit"])
        return search(self, text, **how)

    monkeypatch.setattr(Memory, "search", noted)
    recall.run(path, settings=WORDS_ONLY)

    assert asked == {
        "ferry?": (datetime(2024, 1, 1, tzinfo=UTC), 20),
        "bridge?": (datetime(2025, 3, 1, 10, tzinfo=UTC), 20),
        "garden?": (FIXED_NOW, 20),
    }


def test_what_depends_on_the_machine_is_left_out_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open_throwaway(Settings(embedder="none", timezone="", durability="full")) as memory:
        memory.add("The ferry.")
        assert (memory.settings.timezone, memory.settings.durability) == ("UTC", "relaxed")
        assert len(list(tmp_path.iterdir())) == 1
    with open_throwaway(replace(WORDS_ONLY, timezone="Asia/Tokyo")) as memory:
        assert memory.settings.timezone == "Asia/Tokyo"

    assert list(tmp_path.iterdir()) == []


def test_groups_are_kept_in_batches_and_every_item_is_told(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "BATCH_ITEMS", 4)
    [group] = read_groups(data)
    reported: list[tuple[int, int]] = []

    with open_throwaway(WORDS_ONLY) as memory:
        keep_group(
            memory, group, ProgressCounter(total=6, on_progress=lambda *now: reported.append(now))
        )
        assert memory.stats().items == 6

    assert reported == [(4, 6), (6, 6)]
    assert now_of(group) == datetime(2025, 3, 6, 10, tzinfo=UTC)


# ── the data ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (question("g", "q", "  ", "1"), "needs question, a text that is not empty"),
        (question("g", "q", "", "1"), "needs question, a text that is not empty"),
        ({**item("g", "2", "x"), "id": True}, "needs id, a text"),
        ({**item("g", "2", "x"), "group": False}, "needs group, a text"),
        ({**item("g", "2", "x"), "id": 1.5}, "needs id, a text"),
        ({**question("g", "q", "x", "1"), "id": None}, "needs id, a text"),
        (question("g", "q", "x", "1", at="2025-13-01"), "needs at as ISO 8601"),
        ({"type": ["item"]}, "is no object whose type is item or question"),
    ],
)
def test_a_line_that_does_not_fit_is_named_before_anything_is_measured(
    tmp_path: Path, line: Any, problem: str
) -> None:
    path = written(tmp_path / "data.jsonl", item("g", "1", "The ferry."), line)

    with pytest.raises(InvalidInput, match=rf"^data\.jsonl:2: {problem}"):
        read_groups(path)


def test_a_line_nested_without_end_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("[" * 100_000, "utf-8")

    with pytest.raises(InvalidInput, match=r"data\.jsonl:1: is not JSON"):
        read_groups(path)


ids = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=5)


@given(
    names=st.lists(ids, min_size=1, max_size=6, unique=True),
    wanted=st.lists(ids, max_size=6),
    speaker=st.sampled_from(["", "Ana"]),
)
def test_any_ids_keep_their_places_and_only_evidence_that_is_there_counts(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], wanted: list[str], speaker: str
) -> None:
    path = written(
        tmp_path_factory.mktemp("data") / "data.jsonl",
        question("g", "q", "?", *wanted),
        *(item("g", name, "words", speaker=speaker, session="s") for name in names),
    )
    [group] = read_groups(path)

    assert [one.source_id for one in group.items] == names
    assert [one.position for one in group.items] == list(range(len(names)))
    there = frozenset(wanted) & frozenset(names)
    assert [one.evidence for one in group.questions] == ([there] if there else [])
    assert group.skipped == (0 if there else 1)
