"""The tasks in a state on what a question is about stand before what is only said about it."""

from collections.abc import Iterator

import pytest

from simonides import Memory, Settings
from simonides.model.answer import TaskState


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as opened:
        for id_, title, tag, is_open in (
            ("kennel", "Find a kennel for April", "strahan", True),
            ("cabin", "Book the cabin", "strahan", False),
            ("tiles", "Choose tiles", "bathroom", True),
        ):
            opened.add(
                title, id=id_, title=title, kind="task", tags=[tag], metadata={"open": is_open}
            )
        opened.add("# Strahan\n- [ ] gloves\n- [x] boots", id="packing", kind="document")
        opened.add("What to do in Strahan: what is left of the mine, cruises.", id="newsletter")
        opened.add("We do Strahan, still, and have to do the dunes.", id="chat")
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "what do I still have to do for Strahan",
        "whats left to organise for strahan",
        "open tasks for Strahan",
        "what needs doing for strahan?",
    ],
)
def test_the_open_ones_stand_first(memory: Memory, question: str) -> None:
    found = memory.search(question)

    assert found.plan.task_state is TaskState.OPEN
    assert {hit.id for hit in found.hits[:2]} == {"kennel", "packing"}
    assert "chat" in {hit.id for hit in found.hits}
    named = [part for part in found.hits[0].explanation.contributions if part.name == "named"]
    assert named[0].detail == "a task on it in the state that is asked for"


def test_those_that_are_done_where_they_are_asked_for(memory: Memory) -> None:
    assert memory.search("which tasks for Strahan are done?").hits[0].id == "cabin"


def test_none_on_what_no_item_names(memory: Memory) -> None:
    found = memory.search("what do I still have to do for zanzibar")

    assert all(part.name != "named" for hit in found.hits for part in hit.explanation.contributions)
