"""A long question is answered from its beginning and end, says so, and costs no more than that."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import Memory, Settings
from simonides.errors import InvalidInput
from simonides.model.bounds import QUESTION
from simonides.model.query import (
    QUERY_CHARS_READ,
    QUERY_TERMS_MAX,
    cap_terms,
    cut_for_analysis,
)
from simonides.text.dates import find_ranges, words

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Any) -> Any:
    with Memory(tmp_path, settings=Settings(embedder="none", timezone="UTC")) as made:
        made.add(["The alpha launch is on Friday.", "Beta waits.", "omega comes last"])
        yield made


def asked(memory: Memory, text: str) -> tuple[list[str], list[str]]:
    """Return what is found for a question, and what is said of it."""
    found = memory.search(text, now=NOW)
    return [hit.item.content for hit in found.hits], list(found.diagnostics.notes)


@pytest.mark.parametrize("question", ["{word} {filler}", "{filler}\n\n{word}"])
def test_a_question_before_or_below_a_pasted_mail_is_answered(
    memory: Memory, question: str
) -> None:
    filler = "lorem ipsum " * 2_000

    found, notes = asked(memory, question.format(word="alpha", filler=filler))

    assert found == ["The alpha launch is on Friday."]
    assert any("characters; its beginning and its end count, 8,192 in all" in n for n in notes)


def test_what_stands_in_the_middle_of_a_long_question_does_not_count(memory: Memory) -> None:
    filler = "lorem ipsum " * 2_000

    assert asked(memory, f"alpha {filler} beta {filler} omega")[0] == [
        "The alpha launch is on Friday.", "omega comes last",
    ]  # fmt: skip


def test_white_space_before_a_question_is_not_its_beginning(memory: Memory) -> None:
    assert asked(memory, " " * (QUESTION.chars_max - 5) + "alpha")[0] == asked(memory, "alpha")[0]


def test_a_question_that_is_short_enough_says_nothing_of_its_length(memory: Memory) -> None:
    _, notes = asked(memory, ("alpha " * QUERY_CHARS_READ)[:QUERY_CHARS_READ])

    assert not any("characters" in note for note in notes)


def test_of_very_many_terms_some_are_looked_up_and_the_answer_says_so(memory: Memory) -> None:
    words = " ".join(f"w{n}x" for n in range(QUERY_TERMS_MAX))

    found, notes = asked(memory, f"alpha {words} beta {words} omega")

    assert "omega comes last" in found
    assert any(f"terms the first and the last count, {QUERY_TERMS_MAX} in all" in n for n in notes)


def test_one_character_too_many_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="query: must have at most 100,000 characters"):
        memory.search("a" * (QUESTION.chars_max + 1))


def test_a_brief_of_a_long_question_keeps_it_whole_and_is_built_again(memory: Memory) -> None:
    text = "alpha " + "lorem ipsum " * 2_000
    brief = memory.brief(text, now=NOW, budget_tokens=500)

    assert brief.receipt.query == text
    assert memory.replay(brief.receipt).text == brief.text


WORDS = st.lists(st.integers(0, 10**6).map(str), min_size=1, max_size=4_000)


@given(WORDS, st.sampled_from([" ", "\n\n", "\u3000"]))
def test_what_is_analysed_is_bounded_and_made_of_whole_words(words: list[str], space: str) -> None:
    text = space.join(words)
    part = cut_for_analysis(text)

    assert len(part) <= QUERY_CHARS_READ
    kept = part.split()
    ends = range(len(kept) + 1)
    assert part == text or any(
        kept == words[:n] + words[len(words) - len(kept) + n :] for n in ends
    )


@given(st.integers(0, 3 * QUERY_CHARS_READ), st.integers(0, 3 * QUERY_CHARS_READ))
def test_one_long_word_is_cut(length: int, spaces: int) -> None:
    part = cut_for_analysis("a" * length + " " * spaces)

    assert len(part) <= QUERY_CHARS_READ
    assert set(part) <= {"a", " ", "\n"}
    assert "a" in part or not length


@given(st.lists(st.integers(), max_size=3 * QUERY_TERMS_MAX))
def test_terms_are_bounded_and_keep_their_order(terms: list[int]) -> None:
    some = list(cap_terms(terms))

    assert len(some) == min(len(terms), QUERY_TERMS_MAX)
    assert some[:1] == terms[:1]
    assert some[-1:] == terms[-1:]


@pytest.mark.parametrize("dates", [1, 16, 400])
def test_only_so_many_foreign_dates_are_read(dates: int, monkeypatch: Any) -> None:
    read: list[str] = []
    monkeypatch.setattr(words, "_read", read.append)

    find_ranges("5. Blub 2023, 3 May 2023 " * dates, now=NOW, timezone="UTC")

    assert len(read) == min(dates, words.CANDIDATES_MAX)
