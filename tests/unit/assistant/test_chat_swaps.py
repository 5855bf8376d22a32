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


@pytest.fixture
def letters(desk: "Desk") -> "Memory":
    """Return a memory of a letter each of three people."""
    for name, day in (("Tom Becker", 3), ("Sarah Lind", 5), ("Greta Holm", 11)):
        desk.memory.add(
            f"Shall we rent the cabin, asks {name}?", kind="email", session=name,
            people=[f"{name} <{name.split()[0].lower()}@x.example>"],
            happened_at=f"2026-03-{day:02}T12:00:00Z",
        )  # fmt: skip
    return desk.memory


def understood(memory: "Memory", *messages: str) -> str:
    """Return how the last of some messages was understood."""
    notes = [memory.chat(one, session_id="s").notes for one in messages][-1]
    return next((one.removeprefix("understood as: ") for one in notes if "understood" in one), "")


LAST_WEEK = "what did Sarah write last week?"


@pytest.mark.parametrize(
    ("before", "message", "question"),
    [
        (LAST_WEEK, "and Tom?", "what did Tom write last week?"),
        (LAST_WEEK, "and from Greta?", "what did Greta write last week?"),
        (LAST_WEEK, "what about Tom Becker?", "what did Tom Becker write last week?"),
        (LAST_WEEK, "and yesterday?", "what did Sarah write yesterday?"),
        (LAST_WEEK, "and Greta yesterday?", "what did Greta write yesterday?"),
        (LAST_WEEK, "and in April?", "what did Sarah write in April?"),
        ("what did Sarah write in March?", "and today?", "what did Sarah write today?"),
        ("do I owe Tom an answer?", "and greta?", "do I owe greta an answer?"),
        ("was hat Sarah letzte Woche geschrieben?", "und von Tom?",
         "was hat Tom letzte Woche geschrieben?"),
        ("was hat Sarah letzte Woche geschrieben?", "was ist mit gestern?",
         "was hat Sarah gestern geschrieben?"),
        ("ce qu'a écrit Sarah en mars ?", "et Tom ?", "ce qu'a écrit Tom en mars ?"),
    ],
)  # fmt: skip
def test_another_person_or_time_takes_the_place_of_the_one_before(
    letters: "Memory", before: str, message: str, question: str
) -> None:
    assert understood(letters, before, message) == question


def test_only_the_other_persons_letter_is_found(letters: "Memory") -> None:
    letters.chat(LAST_WEEK, session_id="s")
    reply = letters.chat("and Tom?", session_id="s")
    again = letters.chat("and Greta?", session_id="s")

    assert [hit.item.session for hit in reply.items] == ["Tom Becker"]
    assert again.notes[0] == "understood as: what did Greta write last week?"


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (LAST_WEEK, "and Beta?"), (LAST_WEEK, "and when?"), (LAST_WEEK, "and who?"),
        ("what did I write to Tom?", "and from Sarah?"),
        ("what is due next week?", "and Tom?"), ("what did Sarah write?", "and yesterday?"),
    ],
)  # fmt: skip
def test_what_takes_no_place_is_asked_of_the_question_before(
    letters: "Memory", before: str, message: str
) -> None:
    assert understood(letters, before, message) == f"{message} ({before})"


NEXT_WEEK, TOMORROW = "what do I have on next week?", "what do I have tomorrow?"


@pytest.mark.parametrize(
    ("messages", "time"),
    [
        ((NEXT_WEEK, "and the week after?"), "2026-03-23 - 2026-03-29"),
        ((NEXT_WEEK, "and the week after?", "and after that?"), "2026-03-30 - 2026-04-05"),
        ((NEXT_WEEK, "and the week before?"), "2026-03-09 - 2026-03-15"),
        ((NEXT_WEEK, "and the month after?", "and after that?"), "2026-05-01 - 2026-05-31"),
        ((NEXT_WEEK, "and the month before?"), "2026-02-01 - 2026-02-28"),
        ((TOMORROW, "and the day after?"), "2026-03-14"),
        ((TOMORROW, "what about the day before?"), "2026-03-12"),
        ((TOMORROW, "and the next day?"), "2026-03-14"),
        ((TOMORROW, "and the following week?"), "2026-03-16 - 2026-03-22"),
        ((TOMORROW, "and the day after tomorrow?"), "the day after tomorrow"),
        (("what do I have from 16 to 18 March?", "and after that?"), "2026-03-19 - 2026-03-21"),
    ],
)
def test_a_time_beside_the_one_before_is_counted_from_it(
    memory: "Memory", messages: tuple[str, ...], time: str
) -> None:
    assert understood(memory, *messages) == f"what do I have {time}?"


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("was habe ich nächste Woche?", "und die Woche danach?"),
        ("qu'est-ce que j'ai la semaine prochaine ?", "et la semaine d\u2019après ?"),
        ("¿qué tengo la próxima semana?", "¿y la semana siguiente?"),
        ("che cosa ho la prossima settimana?", "e la settimana dopo?"),
        ("wat heb ik volgende week?", "en de week daarna?"),
        ("o que tenho na próxima semana?", "e na semana seguinte?"),
    ],
)
def test_the_week_after_is_counted_in_other_languages(
    memory: "Memory", before: str, message: str
) -> None:
    assert "2026-03-23 - 2026-03-29" in understood(memory, before, message)


def test_what_is_due_then_is_found(memory: "Memory") -> None:
    memory.chat("what do I have this week?", session_id="s")
    reply = memory.chat("and the week after?", session_id="s")

    assert [hit.item.content for hit in reply.items] == ["Sign the roof form"]
