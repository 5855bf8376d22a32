"""Which lanes run, what they say of themselves, and that no question breaks them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Filter, Item, Memory, Person
from simonides.errors import EmbedderError, EmbedderTimeout, InvalidInput
from simonides.model.answer import LaneReport, Mode, SearchResult
from simonides_bench.testing.hashing import HashingEmbedder

TEXTS: Final = {
    "a": "The harbor budget was moved to Friday.",
    "b": "Lunch with the harbor master",
    "c": "zebra crossings are removed",
    "cjk": "東京で来週の会議があります",
    "ar": "موعد الاجتماع غدا",
    "emoji": "Great launch 🚀 party",
    "c++": "A course on c++ and C#",
}
LANES: Final = ("semantic", "lexical", "entity", "temporal", "source", "keyword", "phrase")
SCORERS: Final = ("fused", "rrf", "classic")


class Failing(HashingEmbedder):
    """Embeds what is kept, and no question."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        del text
        raise self.error


def filled(memory: Memory) -> Memory:
    memory.add([Item(id=name, content=text) for name, text in TEXTS.items()])
    return memory


def lanes(result: SearchResult) -> dict[str, LaneReport]:
    return {lane.name: lane for lane in result.diagnostics.lanes}


def ran(result: SearchResult) -> set[str]:
    return {name for name, lane in lanes(result).items() if lane.ran}


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result]


def test_every_lane_reports_once_and_says_why_it_did_not_run(memory: Memory) -> None:
    result = filled(memory).search("harbor budget")

    assert tuple(lane.name for lane in result.diagnostics.lanes) == LANES
    assert ran(result) == {"semantic", "lexical"}
    assert all(lane.note for lane in result.diagnostics.lanes if not lane.ran)
    assert result.diagnostics.mode_used is Mode.HYBRID
    assert result.diagnostics.notes == ()


def test_lanes_count_items_that_are_present(memory: Memory) -> None:
    filled(memory)
    memory.add("harbor " * 300, id="long")
    memory.add("harbor", id="gone")
    memory.forget("gone")
    found = lanes(memory.search("harbor"))

    assert found["lexical"].found == 3
    assert found["semantic"].found <= len(TEXTS) + 1


def test_mode_text_uses_no_vectors(memory: Memory) -> None:
    result = filled(memory).search("harbor", mode="text")

    assert set(ids(result)) == {"a", "b"}
    assert "semantic" not in ran(result)
    assert result.diagnostics.mode_used is Mode.TEXT
    assert all(hit.explanation.lanes == ("lexical",) for hit in result)


def test_mode_vector_uses_no_words(memory: Memory) -> None:
    result = filled(memory).search("lunch with the harbor master", mode="vector")

    assert ids(result)[0] == "b"
    assert ran(result) == {"semantic"}
    assert result.diagnostics.mode_used is Mode.VECTOR


def test_without_an_embedder_hybrid_answers_and_says_so(
    open_memory: Callable[..., Memory],
) -> None:
    result = filled(open_memory(embedder=None)).search("harbor")

    assert set(ids(result)) == {"a", "b"}
    assert result.diagnostics.mode_used is Mode.TEXT
    assert "the space holds no vectors" in result.diagnostics.notes[0]
    assert "the space holds no vectors" in lanes(result)["semantic"].note


def test_without_an_embedder_mode_vector_fails_and_says_what_to_do(
    open_memory: Callable[..., Memory],
) -> None:
    with pytest.raises(EmbedderError, match="use mode hybrid or text"):
        filled(open_memory(embedder=None)).search("harbor", mode="vector")


@pytest.mark.parametrize("error", [EmbedderError("no model"), EmbedderTimeout("too slow")])
def test_an_embedder_that_fails_costs_hybrid_its_vectors_and_is_named(
    open_memory: Callable[..., Memory], error: EmbedderError
) -> None:
    result = filled(open_memory(embedder=Failing(error))).search("harbor")

    assert set(ids(result)) == {"a", "b"}
    assert result.diagnostics.mode_used is Mode.TEXT
    assert str(error) in result.diagnostics.notes[0]


def test_an_embedder_that_fails_fails_mode_vector(open_memory: Callable[..., Memory]) -> None:
    memory = filled(open_memory(embedder=Failing(EmbedderTimeout("too slow"))))

    with pytest.raises(EmbedderTimeout, match="too slow"):
        memory.search("harbor", mode="vector")


def test_an_embedder_that_fails_does_not_matter_to_mode_text(
    open_memory: Callable[..., Memory],
) -> None:
    memory = filled(open_memory(embedder=Failing(EmbedderError("no model"))))

    assert len(memory.search("harbor", mode="text")) == 2


def test_parts_of_words_are_looked_for_where_no_whole_word_is_found(memory: Memory) -> None:
    result = filled(memory).search("moved", mode="text")
    parts = memory.search("rossin", mode="text")

    assert ids(result) == ["a"]
    assert "keyword" not in ran(result)
    assert ids(parts) == ["c"]
    assert parts[0].explanation.lanes == ("keyword",)


def test_a_question_of_stop_words_alone_is_answered_by_parts_of_words(memory: Memory) -> None:
    result = filled(memory).search("with the", mode="text")

    assert ids(result)[0] == "b"
    assert lanes(result)["lexical"].note == "the question has only stop words"
    assert "keyword" in ran(result)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("会議", "cjk"),
        ("東京の会議は", "cjk"),
        ("الاجتماع", "ar"),
        ("🚀", "emoji"),
        ("c++?", "c++"),
        ("\uff28\uff21\uff32\uff22\uff2f\uff32 lunch", "b"),
        ("zébra zebra", "c"),
    ],
)
def test_questions_in_any_script_find_their_item(memory: Memory, question: str, found: str) -> None:
    assert ids(filled(memory).search(question, mode="text"))[0] == found


HOSTILE: Final = (
    'harbor" OR NEAR(a b)', "harbor'; DROP TABLE item; --", "harbor*", "^harbor -budget", "%", "_",
    "harbor AND (", '"', '""""', "\\", "content:harbor", "{harbor}", "?", "¿?", "...", "harbor\x00",
    "\u202eharbor", "\ufeff", "\u0301", "a" * 5000, "harbor\n\n\nbudget", "🚀" * 500, "NULL",
    "1e999",
)  # fmt: skip


@pytest.mark.parametrize("question", HOSTILE)
@pytest.mark.parametrize("scorer", SCORERS)
def test_no_question_is_read_as_a_command(memory: Memory, question: str, scorer: str) -> None:
    filled(memory)
    for mode in Mode:
        result = memory.search(question, scorer=scorer, mode=mode, limit=50)

        assert len({hit.id for hit in result}) == len(result) <= len(TEXTS)
        assert [hit.score for hit in result] == sorted((h.score for h in result), reverse=True)
        assert ("harbor" not in question) or {"a", "b"} <= set(ids(result)) or mode == "vector"


@pytest.mark.parametrize(
    "question", ["harbor " * 14_285, " ".join(f"w{n}" for n in range(14_000)) + " harbor"]
)
def test_a_question_of_a_hundred_thousand_characters_is_answered(
    memory: Memory, question: str
) -> None:
    result = filled(memory).search(question, mode="text")

    assert len(question) <= 100_000
    assert set(ids(result)) == {"a", "b"}


@pytest.mark.parametrize("question", ["", "  \n\t ", "\u00a0", "x" * 100_001])
def test_a_question_of_nothing_or_too_much_is_refused(memory: Memory, question: str) -> None:
    with pytest.raises(InvalidInput, match="query"):
        filled(memory).search(question)


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_out_of_range_is_refused_even_by_an_empty_space(memory: Memory, limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        memory.search("harbor", limit=limit)


def test_a_clock_without_a_zone_is_in_that_of_the_question(memory: Memory, now: datetime) -> None:
    naive, zone = now.replace(tzinfo=None), "Asia/Tokyo"
    text, aware = "harbor yesterday", naive.replace(tzinfo=ZoneInfo(zone))

    there = memory.search(text, now=aware, timezone=zone)
    assert memory.search(text, now=naive, timezone=zone).plan == there.plan


@pytest.mark.parametrize(
    "wrong", [{"mode": "fuzzy"}, {"scorer": "best"}, {"timezone": "Mars/Olympus"}]
)
def test_an_unknown_mode_scorer_or_zone_is_refused(memory: Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        memory.search("harbor", **wrong)


@pytest.mark.parametrize("scorer", SCORERS)
def test_a_space_without_items_gives_no_hits(
    open_memory: Callable[..., Memory], scorer: str
) -> None:
    never, emptied, failed = (open_memory(home=name) for name in ("never", "emptied", "failed"))
    emptied.add("harbor", id="a")
    emptied.forget("a")
    with pytest.raises(InvalidInput):
        failed.add("harbor", metadata={"n": object()})
    for memory in (never, emptied, failed):
        result = memory.search("when was the harbor budget of user last week?", scorer=scorer)

        assert len(result) == 0
        assert result.diagnostics.scorer == scorer


def test_only_what_scores_enough_is_found(memory: Memory) -> None:
    filled(memory)
    whole = memory.search("harbor budget friday", limit=50)
    edge = whole[1].score

    assert ids(memory.search("harbor budget friday", limit=50, min_score=edge)) == ids(whole)[:2]
    assert len(memory.search("harbor budget friday", min_score=99.0)) == 0
    assert len(memory.search("harbor budget friday", min_score=float("nan"))) == 0


@pytest.mark.parametrize("scorer", SCORERS)
def test_the_passage_is_the_chunk_that_answers(memory: Memory, scorer: str) -> None:
    filler = "Nothing of note was said about the weather in town that day. " * 14
    memory.add(f"{filler}\n\nThe harbor budget was moved.\n\n{filler}", id="long")
    passage = memory.search("harbor budget moved", scorer=scorer)[0].passage

    assert "The harbor budget was moved." in passage
    assert len(passage) < len(filler) * 2


def test_an_explicit_time_is_not_second_guessed_by_the_words(memory: Memory, now: datetime) -> None:
    memory.add("harbor", id="a", happened_at=now - timedelta(days=300))
    wanted = Filter(since=now - timedelta(days=400))
    result = memory.search("harbor last week", filter=wanted)

    assert result.plan.time is None
    assert ids(result) == ["a"]


def test_a_person_in_the_question_is_found_without_any_word_in_common(memory: Memory) -> None:
    memory.add("fine by me", id="s", people=[Person(name="Sarah Lindqvist")])
    memory.add("fine by me", id="t", people=[Person(name="Tom Berger")])
    result = memory.search("Sarah?", mode="text")

    assert ids(result) == ["s"]
    assert "entity" in result[0].explanation.lanes
