"""The story of a matter: what was said of it over time, and what changed."""

import pytest

from simonides import InvalidInput, Memory


@pytest.fixture
def launch(memory: Memory) -> Memory:
    """Return a memory in which a launch was moved twice."""
    said = [
        ("2026-01-03", "The Alpha launch is on 15 September."),
        ("2026-01-20", "The Alpha launch was moved to 1 October."),
        ("2026-02-10", "The Alpha launch was postponed again, to 20 October."),
    ]
    for day, text in reversed(said):
        memory.add(text, kind="email", source="mail", title="Alpha launch", happened_at=day)
    memory.add("The boat is painted green.", kind="document", happened_at="2026-02-01")
    return memory


def test_a_story_goes_from_the_first_to_the_last_word(launch: Memory) -> None:
    story = launch.story("When is the Alpha launch?")

    assert [one.hit.text.split(" ")[-2:] for one in story.steps] == [
        ["15", "September."], ["1", "October."], ["20", "October."],
    ]  # fmt: skip
    assert [one.changes for one in story.steps] == [False, True, True]


def test_a_story_is_shown_as_a_table_also_where_nobody_says_when(memory: Memory) -> None:
    stored = memory.add("The boat is painted green.", kind="document").id

    story = memory.story("What colour is the boat?")

    day = memory.get(stored).stored_at
    assert day is not None
    assert f"{day:%Y-%m-%d}" in story._repr_html_()


def test_memories_that_were_superseded_belong_to_it(memory: Memory) -> None:
    memory.remember("I live in Hamburg", entity="me.home", happened_at="2025-05-01")
    memory.remember("I live in Berlin now", entity="me.home", happened_at="2026-01-01")

    story = memory.story("Where do I live?")

    assert [(one.hit.text, one.replaced, one.changes) for one in story.steps] == [
        ("I live in Hamburg", True, False), ("I live in Berlin now", False, True),
    ]  # fmt: skip
    assert len(memory.story("Where do I live?", filter={"statuses": ["quarantined"]}).steps) == 0


def test_it_takes_the_arguments_of_a_search(launch: Memory) -> None:
    later = launch.story("When is the Alpha launch?", filter={"since": "2026-01-15"})

    assert len(later.steps) == 2
    assert launch.story("When is the Alpha launch?", limit=1).steps[0].hit.text
    assert "moved" in launch.story("When is the Alpha launch?")._repr_html_()
    with pytest.raises(InvalidInput, match="limit"):
        launch.story("When?", limit=0)


def test_nothing_has_no_story(memory: Memory) -> None:
    assert memory.story("When is the Alpha launch?").steps == ()
