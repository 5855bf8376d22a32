"""Follow-ups that are a question by themselves, or change one part of the question before."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.assistant.conftest import Desk

    from simonides import Memory

TASKS = {"Renew the passport": "2026-03-09", "Sign the roof form": "2026-03-16"}


@pytest.fixture
def memory(desk: "Desk") -> "Memory":
    for task, due in TASKS.items():
        metadata: dict[str, Any] = {"open": True, "status": "open", "due": due}
        desk.memory.add(task, kind="task", metadata=metadata, happened_at="2026-02-15")
    return desk.memory


@pytest.mark.parametrize(
    "message",
    ["and what is overdue?", "and what's overdue?", "und was ist überfällig?",
     "et qu'est-ce qui est en retard ?", "¿y qué está atrasado?"],
)  # fmt: skip
def test_a_whole_question_stands_alone(memory: "Memory", message: str) -> None:
    memory.chat("what is due next week?", session_id="s")
    reply = memory.chat(message, session_id="s")

    assert [hit.item.content for hit in reply.items] == ["Renew the passport"]
    assert not any(note.startswith("understood") for note in reply.notes)


def test_what_points_back_leans_on_the_question_before(memory: "Memory") -> None:
    memory.chat("what did Sarah write about Alpha?", session_id="s")
    reply = memory.chat("and is that overdue?", session_id="s")

    assert any("(what did Sarah write about Alpha?)" in note for note in reply.notes)
