"""The lines of an answer without a model: what they say of an item."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.unit.assistant.conftest import Desk


def test_a_task_shows_its_state_and_due_date(desk: "Desk") -> None:
    due = {"open": True, "status": "open", "due": "2026-03-09"}
    desk.memory.add("Renew the passport", kind="task", source="todo", metadata=due)

    assert "TODO · undated · open · due 2026-03-09: Renew the passport" in (
        desk.memory.chat("what is overdue?").message
    )


def test_an_event_of_a_series_shows_when_it_takes_place(desk: "Desk") -> None:
    desk.memory.add(
        "Pilates", kind="event", source="calendar", title="Pilates",
        happened_at="2026-01-06T18:00:00Z",
        metadata={"starts_at": "2026-01-06T18:00:00Z", "_recurrence": ["RRULE:FREQ=WEEKLY"]},
    )  # fmt: skip

    assert "takes place 2026-03-17" in desk.memory.chat("what do I have next Tuesday?").message
