"""A brief withholds nothing that was found; what is in doubt, or was replaced, says so."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from simonides import Memory
from simonides_bench.testing.hashing import HashingEmbedder

OpenMemory = Callable[..., Memory]
NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedder=HashingEmbedder(64), clock=lambda: NOW)


def offsite(memory: Memory) -> None:
    memory.add(
        "The offsite is on 24 April in Lisbon.", id="old", kind="email", source="gmail",
        title="Offsite", session="t1", happened_at=NOW - timedelta(days=30),
    )  # fmt: skip
    memory.add(
        "Change of plan: the offsite was moved to 8 May in Lisbon.", id="new", kind="email",
        source="gmail", title="Offsite", session="t1", happened_at=NOW - timedelta(days=8),
    )  # fmt: skip


def test_everything_that_was_found_is_in_the_brief_while_it_fits(memory: Memory) -> None:
    memory.add([f"Alpha note {n}: crane {n * 7} stands at pier {n}." for n in range(12)])
    found = memory.search("xylophone of the crane?", limit=50, now=NOW)
    brief = memory.brief("xylophone of the crane?", now=NOW)

    assert [one.id for one in brief.items] == [hit.id for hit in found]


def test_a_replacement_stands_first_and_both_say_so(memory: Memory) -> None:
    offsite(memory)
    found = memory.search("when is the offsite?", now=NOW)
    brief = memory.brief("when is the offsite?", now=NOW)
    first, second = found.hits

    assert [(one.id, one.happened_at) for one in first.replaces] == [
        ("old", NOW - timedelta(days=30))
    ]
    assert second.replaced_by is not None
    assert (second.id, second.replaced_by.id) == ("old", "new")
    assert "(replaces what Tue 10 Feb said; unknown sender): Change of plan" in brief.text
    assert "(replaced on Wed 4 Mar; unknown sender): The offsite is on 24 April" in brief.text
    assert memory.replay(brief.receipt).exact


def test_what_was_only_said_again_replaces_nothing(memory: Memory) -> None:
    for day in (30, 8):
        memory.add(
            f"The offsite is in Lisbon, {day} of us come.", id=f"m{day}", kind="email",
            session="t1", happened_at=NOW - timedelta(days=day),
        )  # fmt: skip

    assert "replace" not in memory.brief("where is the offsite?", now=NOW).text


def test_a_question_to_the_assistant_is_no_line_of_a_brief(memory: Memory) -> None:
    memory.add("Rex is the dog of Sarah.", id="dog")
    memory.sessions.add("s", "user", "What is the name of Sarah's dog?")
    reported = memory.sessions.add("s", "user", "Sarah's dog bit me. What is its name?").id
    found = {hit.id: hit.relevance for hit in memory.search("name of the dog of Sarah", now=NOW)}
    brief = memory.brief("name of the dog of Sarah", now=NOW)

    assert {one.id for one in brief.items} == {"dog", reported}
    assert [relevance for relevance in found.values() if not relevance] == [0.0]


def test_where_nothing_answers_clearly_the_nearest_is_shown_with_a_line_that_says_so(
    open_memory: OpenMemory,
) -> None:
    memory = open_memory(embedder=HashingEmbedder(64))
    memory.add("The crane stands at the pier, and nobody knows who left it there.", id="crane")
    memory.add([f"Note {n} says that the tea of day {n} was cold." for n in range(40)])
    brief = memory.brief("which xylophone zither kazoo quartet plays Brahms there", now=NOW)

    assert brief.items
    said = 'no item has the words "xylophone", "zither", "kazoo"'
    assert brief.text.splitlines()[1] == f"Nothing here clearly answers this: {said}; nearest:"
    assert memory.replay(brief.receipt).exact


@pytest.mark.parametrize("question", ["Thanks!", "hello"])
def test_who_asks_nothing_gets_nothing(memory: Memory, question: str) -> None:
    memory.add("hello and thanks to all", id="x")

    assert "Nothing in memory answers this." in memory.brief(question, now=NOW).text
