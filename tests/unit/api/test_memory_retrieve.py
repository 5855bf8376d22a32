"""`memory.retrieve`: items and conversations of a space, through the façade."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.errors import InvalidInput
from simonides.model.chat import Retrieved
from simonides.model.item import Kind

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
DAY = timedelta(days=1)

Open = Callable[..., Memory]


def contents(found: Retrieved) -> list[str]:
    return [hit.item.content for hit in found.hits]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Return a memory of a mail, a ticket and a conversation."""
    memory.add(
        "The Alpha deadline moved to Friday, said the client.", source="gmail", kind="email",
        people=["Sarah Lind <sarah@example.com>"], happened_at=NOW - 2 * DAY,
    )  # fmt: skip
    memory.add("Alpha needs a new logo.", source="jira", kind="task", happened_at=NOW - 40 * DAY)
    memory.sessions.add("s", "user", "I do not like the Alpha deadline at all.")
    return memory


def test_it_finds_items_and_what_was_said(filled: Memory) -> None:
    found = filled.retrieve("what about the Alpha deadline?")

    assert set(contents(found)) == {
        "The Alpha deadline moved to Friday, said the client.",
        "Alpha needs a new logo.",
        "I do not like the Alpha deadline at all.",
    }
    assert [hit.score for hit in found.hits] == sorted(
        (hit.score for hit in found.hits), reverse=True
    )
    assert found.notes == ()


def test_each_score_is_that_of_a_search(filled: Memory) -> None:
    searched = {hit.id: hit.score for hit in filled.search("the Alpha deadline")}

    for hit in filled.retrieve("the Alpha deadline").hits:
        assert searched[hit.id] == hit.score == hit.explanation.score


def test_explicit_sources_times_and_entities_exclude(filled: Memory) -> None:
    mail = ["The Alpha deadline moved to Friday, said the client."]

    assert contents(filled.retrieve("Alpha", sources=["gmail"])) == mail
    assert contents(filled.retrieve("Alpha", entity_filter=["Sarah"])) == mail
    recent = filled.retrieve("Alpha", time_filter="last_week", include_episodic=False)
    assert contents(recent) == mail
    assert contents(filled.retrieve("Alpha", sources=["chat"])) == [
        "I do not like the Alpha deadline at all."
    ]


def test_what_the_words_say_of_sources_steers_and_excludes_nothing(filled: Memory) -> None:
    found = filled.retrieve("the tickets about Alpha", include_episodic=False)

    named = {
        hit.item.source: [part.name for part in hit.explanation.contributions] for hit in found.hits
    }
    assert ("source" in named["jira"], "source" in named["gmail"]) == (True, False)


def test_the_question_itself_is_left_out_by_its_id(filled: Memory) -> None:
    asked = filled.sessions.add("s", "user", "When is the Alpha deadline?")

    found = filled.retrieve("the Alpha deadline, when?", without_ids=[asked.id])
    assert asked.id not in {hit.id for hit in found.hits}
    assert asked.id in {hit.id for hit in filled.retrieve("the Alpha deadline, when?").hits}


def test_sources_without_anything_fall_back_and_say_so(filled: Memory) -> None:
    found = filled.retrieve("Alpha deadline", sources=["outlook"])

    assert len(found.hits) == 3
    assert found.notes == ("nothing was found in outlook; looked in all sources, by words alone",)
    parts = filled.retrieve("adlin", sources=["outlook"])
    assert {lane for hit in parts.hits for lane in hit.explanation.lanes} == {"keyword"}


def test_without_an_embedder_it_says_so(open_memory: Open) -> None:
    settings = Settings(timezone="UTC", durability="relaxed", embedder="none")
    memory = open_memory(settings=settings, embedder=None)
    memory.add("Alpha is due on Friday.")

    assert memory.retrieve("Alpha").notes == (
        "answered without vectors: the space holds no vectors",
    )


def test_a_long_history_crowds_out_no_item(filled: Memory) -> None:
    for n in range(40):
        filled.sessions.add("s", "user", f"Alpha deadline, turn {n}")
    for n in range(10):
        filled.add(f"A paper that mentions, among other things, Alpha in part {n}.")

    for scorer in ("fused", "classic", "rrf"):
        found = filled.retrieve("Alpha deadline", scorer=scorer)
        kinds = [hit.item.kind for hit in found.hits]
        assert len(kinds) == 10
        assert 1 <= kinds.count(Kind.MESSAGE) <= 5


def test_fused_reaches_the_whole_history_classic_the_last_messages(memory: Memory) -> None:
    memory.sessions.add("old", "user", "my bicycle is green", happened_at=NOW - 400 * DAY)
    for n in range(10):
        memory.sessions.add(f"s{n}", "user", f"nothing of interest {n}")

    assert "my bicycle is green" in contents(memory.retrieve("is my bicycle green?"))
    assert "my bicycle is green" not in contents(
        memory.retrieve("is my bicycle green?", scorer="classic")
    )


def test_the_session_asked_in_counts_in_classic(memory: Memory) -> None:
    memory.sessions.add("a", "user", "the ferry leaves at nine")
    memory.sessions.add("b", "user", "the ferry leaves at nine sharp", happened_at=NOW)

    for session_id in ("a", "b"):
        found = memory.retrieve("ferry leaves at nine?", session_id=session_id, scorer="classic")
        scores = {hit.item.session: hit.score for hit in found.hits}
        other = {"a": "b", "b": "a"}[session_id]
        assert scores[session_id] > scores[other]


def test_preferences_come_only_where_their_source_is_asked_for(memory: Memory) -> None:
    kept = memory.preferences.set("letters", "short")
    note = memory.add("Short letters are the best.")

    assert [hit.id for hit in memory.retrieve("short letters").hits] == [note.id]
    found = memory.retrieve("short letters", sources=["preference"])
    assert [hit.id for hit in found.hits] == [kept.id]


def test_now_and_the_zone_are_those_given(memory: Memory) -> None:
    memory.add("The plan of Alpha.", happened_at=datetime(2026, 3, 9, 23, 30, tzinfo=UTC))
    later = datetime(2026, 3, 10, 12, tzinfo=UTC)

    def found(timezone: str) -> int:
        asked = memory.retrieve("Alpha", time_filter="today", now=later, timezone=timezone)
        return asked.found

    assert (found("UTC"), found("Europe/Vienna")) == (0, 1)
    with pytest.raises(InvalidInput, match="timezone"):
        found("Nowhere/Land")


def test_a_space_that_is_not_there_yet_gives_nothing_and_says_so(
    memory: Memory, home: Path
) -> None:
    found = memory.retrieve("Alpha")

    assert (found.hits, found.notes) == ((), ("space 'default' holds nothing yet",))
    assert not home.exists()


def test_an_empty_question_is_refused(filled: Memory) -> None:
    with pytest.raises(InvalidInput, match="query: is empty"):
        filled.retrieve(" ")


def test_it_can_be_awaited(filled: Memory) -> None:
    async def work() -> Retrieved:
        found: Retrieved = await filled.aio.retrieve("Alpha deadline", limit=2)
        return found

    assert asyncio.run(work()) == filled.retrieve("Alpha deadline", limit=2)
