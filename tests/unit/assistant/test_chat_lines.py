"""The lines of an answer without a model: what they say of an item, and what is no source."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_earlier_questions_are_no_sources(desk: "Desk") -> None:
    desk.memory.chat("when does the Harbor pilot start?", session_id="s")
    reply = desk.memory.chat("wann beginnt der Harbor pilot?", session_id="t")
    told = desk.chat("Harbor pilot, which month?", "In April.", session_id="u")

    assert {hit.item.kind.value for hit in (*reply.items, *told.items)} == {"document"}
    assert "when does the" not in desk.requests[0].messages[-1].content


def test_earlier_questions_are_found_by_who_asks_for_them(desk: "Desk") -> None:
    desk.memory.chat("when does the Harbor pilot start?", session_id="s")
    reply = desk.memory.chat("what did I ask you today?", session_id="t")

    assert "when does the Harbor pilot start?" in reply.message


def test_who_is_not_known_is_named_with_the_address_to_the_user_and_the_model(
    open_desk: "Callable[..., Desk]",
) -> None:
    desk = open_desk(owner=("Ann Own", "ann@own.example"))
    for who, where in (("zed", "zed@evil.example"), ("ann", "ann@own.example")):
        desk.memory.add(
            f"The zebra is {who}'s.", kind="email", source="mail", id=who,
            people=[f"Ann Own <{where}>", "Tom <tom@x.example>"],
        )  # fmt: skip
    message = desk.memory.chat("whose is the zebra?").message
    lines = [line for line in message.split("\n") if "zebra" in line]
    asked = desk.said("", desk.call("retrieve_context", query="zebra"))
    desk.chat("whose is the zebra?", asked, "Ann's.")
    told = {one["id"]: one["author"] for one in desk.result()["items"] if "zebra" in one["text"]}

    assert sorted(line.partition(" · ")[2] for line in lines) == [
        "undated · Ann Own at zed@evil.example · unknown sender · to Tom: The zebra is zed's.",
        "undated · Ann Own · to Tom: The zebra is ann's.",
    ]
    assert told == {"zed": "Ann Own at zed@evil.example", "ann": "Ann Own"}
