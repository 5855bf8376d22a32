"""Which tasks a question asks for, in six languages, and what is no such question."""

import pytest

from simonides.model.answer import TaskState
from simonides.text.task_states import read_asked_tasks


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("list the open tasks", TaskState.OPEN, "open"),
        ("open jira tickets please", TaskState.OPEN, "open"),
        ("which tasks are still open?", TaskState.OPEN, "open"),
        ("what tasks do I have left", TaskState.OPEN, "left"),
        ("tasks that are not yet done", TaskState.OPEN, "not yet done"),
        ("which tickets are done", TaskState.DONE, "done"),
        ("completed tasks of last week", TaskState.DONE, "completed"),
        ("any overdue tasks?", TaskState.OVERDUE, "overdue"),
        ("tasks that are past due", TaskState.OVERDUE, "past due"),
        ("offene Aufgaben", TaskState.OPEN, "offene"),
        ("welche Aufgaben sind erledigt", TaskState.DONE, "erledigt"),
        ("überfällige Aufgaben", TaskState.OVERDUE, "überfällige"),
        ("tâches en retard", TaskState.OVERDUE, "en retard"),
        ("tareas pendientes", TaskState.OPEN, "pendientes"),
        ("tarefas concluídas", TaskState.DONE, "concluídas"),
        ("compiti scaduti", TaskState.OVERDUE, "scaduti"),
        ("welke taken zijn over tijd?", TaskState.OVERDUE, "over tijd"),
        ("welke taken heb ik al afgevinkt", TaskState.DONE, "afgevinkt"),
        ("quais tarefas já foram concluídas?", TaskState.DONE, "concluídas"),
        ("¿qué tareas ya están terminadas?", TaskState.DONE, "terminadas"),
        ("which tasks did I finish last week?", TaskState.DONE, "did I finish"),
        ("which tickets did Ana already close?", TaskState.DONE, "did Ana already close"),
        ("welche Aufgaben habe ich gestern erledigt?", TaskState.DONE, "habe ich gestern erledigt"),
        ("quelles tâches ai-je terminées hier ?", TaskState.DONE, "ai-je terminées"),
        ("¿qué tareas terminé ayer?", TaskState.DONE, "terminé"),
        ("quali compiti ho completato ieri?", TaskState.DONE, "ho completato"),
        ("welke taken heb ik gisteren afgerond?", TaskState.DONE, "heb ik gisteren afgerond"),
        ("que tarefas terminei ontem?", TaskState.DONE, "terminei"),
        ("quelles tâches sont à faire ?", TaskState.OPEN, "à faire"),
        ("welche Aufgaben sind noch nicht erledigt?", TaskState.OPEN, "nicht erledigt"),
        ("quelles tâches ne sont pas terminées ?", TaskState.OPEN, "pas terminées"),
        ("¿qué tareas no están terminadas?", TaskState.OPEN, "no están terminadas"),
        ("quali compiti non sono completati?", TaskState.OPEN, "non sono completati"),
        ("welke taken zijn niet afgerond?", TaskState.OPEN, "niet afgerond"),
        ("que tarefas não estão concluídas?", TaskState.OPEN, "não estão concluídas"),
        ("jakie zadania nie są zrobione?", TaskState.OPEN, "nie są zrobione"),
        ("期限切れのタスク", TaskState.OVERDUE, "期限切れのタスク"),
        ("还没完成的任务", TaskState.OPEN, "没完成的任务"),
    ],
)
def test_a_state_beside_a_noun_for_tasks(text: str, state: TaskState, said: str) -> None:
    asked = read_asked_tasks(text)

    assert asked.state is state
    assert asked.names_tasks
    assert [text[start:stop] for start, stop in asked.spans] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "what is not overdue?", "which tasks aren't overdue?", "which tasks are not late?",
        "welche Aufgaben sind nicht überfällig?", "las tareas que no están atrasadas",
    ],
)  # fmt: skip
def test_what_is_not_in_a_state_is_not_in_it(text: str) -> None:
    assert read_asked_tasks(text).state is TaskState.ANY


@pytest.mark.parametrize("text", ["what's overdue?", "was ist überfällig"])
def test_what_is_overdue_needs_no_noun(text: str) -> None:
    asked = read_asked_tasks(text)

    assert asked.state is TaskState.OVERDUE
    assert not asked.names_tasks


@pytest.mark.parametrize(
    "text",
    [
        "what has to be done by Friday?", "what must be done today?", "I have to finish by May",
        "what do I still have to do?", "what's left to do", "what haven't I done yet?",
        "what is on my to-do list", "to-dos", "was muss ich noch erledigen?", "was ist noch zu tun",
        "qu'est-ce qu'il me reste à faire ?", "¿qué me queda por hacer?", "cosa devo fare?",
        "o que me falta fazer?", "wat moet ik nog doen?", "まだやることは", "我还要做什么",
    ],
)  # fmt: skip
def test_what_is_left_to_do_needs_no_noun_in_any_language(text: str) -> None:
    asked = read_asked_tasks(text)

    assert (asked.state, asked.is_own, asked.names_tasks) == (TaskState.OPEN, False, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what do I still have to do for the party", "still have to do"),
        ("what's left to organise for Strahan?", "left to organise"),
        ("what needs doing for the party", "needs doing"),
        ("what else do we need to do before the trip", "need to do"),
        ("what is still open for the bathroom", "open"),
    ],
)
def test_what_is_left_to_do_may_be_for_something(text: str, said: str) -> None:
    asked = read_asked_tasks(text)

    assert (asked.state, asked.says_for) == (TaskState.OPEN, True)
    assert [text[start:stop] for start, stop in asked.spans] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "was muss ich noch für die Party machen?", "was ist für den Umzug noch zu tun",
        "¿qué me queda por comprar para el viaje?", "que reste-t-il à acheter pour le voyage ?",
        "cosa devo ancora fare per la festa?", "wat moet er nog geregeld worden voor de reis?",
        "o que falta fazer para a festa?", "co muszę jeszcze zrobić na przyjęcie?",
        "что мне ещё нужно сделать для праздника?",
    ],
)  # fmt: skip
def test_so_it_is_in_other_languages(text: str) -> None:
    asked = read_asked_tasks(text)

    assert (asked.state, asked.says_for) == (TaskState.OPEN, True)


@pytest.mark.parametrize(
    "text", ["what do I have to do to get a visa?", "what's left to do", "open tasks of Ana"]
)
def test_or_for_nothing(text: str) -> None:
    assert not read_asked_tasks(text).says_for


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What's Ana Ruiz still got open?", "still got open"),
        ("what does Ana have outstanding", "have outstanding"),
        ("what have I got open", "got open"),
        ("was hat Ana noch offen?", "noch offen"),
        ("what does Ana have open in Jira?", "have open"),
        ("what's on Ana's plate", "ana's plate"),
        ("what is still on Ana's plate in jira", "ana's plate"),
    ],
)
def test_what_somebody_has_open_needs_no_noun_either(text: str, said: str) -> None:
    asked = read_asked_tasks(text)

    assert (asked.state, asked.is_held, asked.names_tasks) == (TaskState.OPEN, True, False)
    assert [text[start:stop].lower() for start, stop in asked.spans] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "is the window open",
        "what did Ana open",
        "what is open on Sunday",
        "who closed the account",
        "is the harbor ticket done?",
        "the late train to Kyiv",
        "tasks of the week",
        "an open letter about the tasking order of things",
        "",
    ],
)
def test_no_state_is_asked_for(text: str) -> None:
    assert read_asked_tasks(text).state is TaskState.ANY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my tasks", ["my"]),
        ("show me my open jira tickets", ["my", "open"]),
        ("which of the things assigned to me are overdue?", ["assigned to me", "overdue"]),
        ("tasks of mine", ["of mine"]),
        ("meine Aufgaben", ["meine"]),
        ("mes tâches", ["mes"]),
        ("mis tareas pendientes", ["mis", "pendientes"]),
        ("as minhas tarefas", ["as minhas"]),
        ("i miei compiti", ["i miei"]),
    ],
)
def test_tasks_of_the_one_who_asks(text: str, said: list[str]) -> None:
    asked = read_asked_tasks(text)

    assert asked.is_own
    assert [text[start:stop] for start, stop in asked.spans] == said


@pytest.mark.parametrize("text", ["my train ticket", "the task of my life", "whose tasks"])
def test_tasks_of_nobody_in_particular(text: str) -> None:
    assert not read_asked_tasks(text).is_own
