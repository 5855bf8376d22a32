"""Ends of time order what fits, agendas are answered by when things take place, roles decide."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from simonides.api.memory import Memory
from simonides.model.answer import SearchResult
from simonides.model.item import Item, Person, Role
from simonides.retrieval.by_time import DIRECTION

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
"""A Thursday."""
SARAH: Final = Person(name="Sarah Johnson", address="sarah@company.example")


@pytest.fixture
def tasks(open_memory: Callable[..., Memory]) -> Memory:
    """Tasks in every state, beside a mail that says the words for them."""
    memory = open_memory()
    for id_, due, is_open in (
        ("late", "2026-03-10", True),
        ("today", "2026-03-12", True),
        ("later", "2026-05-01", True),
        ("someday", "", True),
        ("paid", "2026-03-01", False),
        ("built", "", False),
    ):
        metadata = {"open": is_open, **({"due": due} if due else {})}
        age = {"paid": 30, "built": 3}.get(id_, 60)
        memory.add(f"About the {id_} matter.", id=id_, kind="task", source="jira",
                   metadata=metadata, happened_at=NOW - timedelta(days=age))  # fmt: skip
    memory.add("Tasks overdue: 3 open tasks, 2 done tasks.", id="mail", kind="email",
               source="gmail", happened_at=NOW)  # fmt: skip
    return memory


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what tasks are overdue?", ["late"]),
        ("what is overdue", ["late"]),
        ("list my open tasks", ["someday", "late", "today", "later"]),
        ("which tickets are done?", ["built", "paid"]),
        ("how many tasks are not done yet", ["someday", "late", "today", "later"]),
        ("offene Aufgaben", ["someday", "late", "today", "later"]),
        ("what do I still have to do?", ["someday", "late", "today", "later"]),
        ("what do I have to do", ["someday", "late", "today", "later"]),
    ],
)
def test_tasks_are_found_by_their_state(tasks: Memory, question: str, wanted: list[str]) -> None:
    found = asked(tasks, question)

    assert ids(found)[: len(wanted)] == wanted
    assert {hit.id for hit in found if hit.relevance > 0.5} == set(wanted)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("my open tasks this week", ["mon", "fri"]),
        ("which tasks are open until Friday?", ["old", "mon", "fri"]),
        ("open tasks for next week", ["next"]),
        ("which tasks were overdue in February?", ["old"]),
        ("tasks done in February", ["done"]),
        ("which tasks were done last week?", ["ticket"]),
    ],
)
def test_of_tasks_in_a_state_a_time_says_when_they_are_due_or_were_done(
    open_memory: Callable[..., Memory], question: str, wanted: list[str]
) -> None:
    memory = open_memory()
    for id_, due, done in (
        ("old", "2026-02-20", {}), ("mon", "2026-03-09", {}), ("fri", "2026-03-13", {}),
        ("next", "2026-03-18", {}), ("never", "", {}),
        ("done", "2026-03-11", {"completed_at": "2026-02-27T11:00:00Z"}),
        ("ticket", "2026-03-18", {"resolved_at": "2026-03-05T10:00:00+00:00"}),
    ):  # fmt: skip
        metadata = {"due": due, "open": not done, **done}
        memory.add(f"Task {id_}.", id=id_, kind="task", source="todo", happened_at="2026-01-15",
                   metadata={name: one for name, one in metadata.items() if one != ""})  # fmt: skip
    memory.add("See you on Friday 13 March!", id="mail", kind="email", happened_at="2026-03-08")
    found = asked(memory, question)

    assert [hit.id for hit in found if hit.relevance > 0.5] == wanted


def test_that_no_task_is_due_then_is_said(tasks: Memory) -> None:
    found = asked(tasks, "my open tasks in August")

    assert "nothing from 1 to 31 August" in found.nothing


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what's Ana still got open?", {"hers"}),
        ("what does Ana have outstanding", {"hers"}),
        ("what have I got open?", {"mine"}),
    ],
)
def test_what_somebody_still_has_open_are_their_tasks(
    open_memory: Callable[..., Memory], question: str, wanted: set[str]
) -> None:
    memory = open_memory()
    memory.set_owner("Dan Osei")
    for id_, name, is_open in (
        ("hers", "Ana Ruiz", True), ("closed", "Ana Ruiz", False), ("mine", "Dan Osei", True),
    ):  # fmt: skip
        person = Person(name=name, role=Role.ASSIGNEE)
        memory.add("The boiler.", id=id_, kind="task", source="jira", people=[person],
                   metadata={"open": is_open}, happened_at=NOW)  # fmt: skip
    memory.add("Still open, said Ana.", id="mail", kind="email", people=["Ana Ruiz"])
    found = asked(memory, question)

    assert ids(found)[: len(wanted)] == list(wanted)
    assert {hit.id for hit in found if hit.relevance > 0.5} == wanted


@pytest.mark.parametrize(
    ("text", "is_overdue"),
    [
        ("- [ ] Send the draft by 6 March", True),
        ("* [ ] Den Bericht bis zum 6. März schicken", True),
        ("- [ ] Send the draft by 20 March", False),
        ("- [x] Send the draft by 6 March\n- [ ] Call Ana", False),
        ("- [ ] Call Ana\n\nThe draft was sent on 6 March.", False),
    ],
)
@pytest.mark.parametrize("written", [datetime(2026, 3, 2, 9, tzinfo=UTC), None])
def test_an_empty_check_box_is_overdue_by_the_day_it_names(
    memory: Memory, written: datetime | None, text: str, *, is_overdue: bool
) -> None:
    memory.add(text, id="note", kind="document", happened_at=written)
    found = asked(memory, "what is overdue?")

    assert ([hit.id for hit in found if hit.relevance > 0.5] == ["note"]) is is_overdue
    assert ("no task is overdue" in found.nothing) is not is_overdue


def test_of_a_very_long_list_the_first_boxes_are_read(memory: Memory) -> None:
    late = "- [ ] Send the draft by 6 March"
    for id_, lines in (("first", [late, *["- [ ] Call Ana"] * 400]), ("last", [late])):
        written = datetime(2026, 3, 3 if id_ == "first" else 2, 9, tzinfo=UTC)
        memory.add("\n".join(lines), id=id_, kind="document", happened_at=written)
    found = asked(memory, "what is overdue?")

    assert [hit.id for hit in found if hit.relevance > 0.5] == ["first"]


def test_what_is_due_soon_is_not_what_is_done_already(tasks: Memory) -> None:
    tasks.add("Sort out the cellar, shelf by shelf.", id="early", kind="task", source="jira",
              metadata={"open": False, "due": "2026-03-13"}, happened_at=NOW)  # fmt: skip

    assert ids(asked(tasks, "what is due this week?"))[:2] == ["late", "today"]
    assert "early" not in {
        h.id for h in asked(tasks, "what is due this week?") if h.relevance > 0.5
    }
    later = tasks.search("what was due last week?", now=NOW + timedelta(days=7), limit=20)
    assert {"late", "today", "early"} <= {hit.id for hit in later if hit.relevance > 0.5}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is overdue?", "no task is overdue"),
        ("which tasks are overdue?", "no task is overdue"),
        ("which tasks are done?", "no task is done"),
        ("which of Sarah's tasks are overdue?", "no task of theirs is overdue"),
    ],
)
def test_that_there_are_no_such_tasks_is_said(memory: Memory, question: str, said: str) -> None:
    memory.add("Repair the boiler.", id="boiler", kind="task", source="todo", people=[SARAH],
               metadata={"open": True, "due": "2026-04-01"})  # fmt: skip
    found = asked(memory, question)

    assert f"answers this: {said}" in found.nothing
    assert asked(memory, "which tasks are open?").nothing == ""


def test_the_day_of_the_one_who_asks_says_what_is_overdue(tasks: Memory) -> None:
    late = NOW.replace(hour=23)
    there = tasks.search("what is overdue", now=late, timezone="Asia/Tokyo", mode="text")

    assert {hit.id for hit in there if hit.relevance > 0.5} == {"late", "today"}


def test_what_the_assistant_was_asked_is_nothing_that_happened(memory: Memory) -> None:
    memory.add("The ferry to Bergen is booked.", id="note", source="note", happened_at=NOW)
    reply = memory.chat("when does the ferry leave?", now=NOW)

    def likely(question: str) -> set[str]:
        return {hit.id for hit in asked(memory, question) if hit.relevance > 0.5}

    assert likely("what is new since yesterday?") == {"note"}
    assert reply.message_id in likely("what did I ask you today?")


def test_all_that_an_agenda_holds_belongs_to_the_answer(memory: Memory) -> None:
    """Many events of one week do not make each other less relevant."""
    for number in range(14):
        starts = NOW + timedelta(days=4, hours=number)
        memory.add(f"Meeting number {number}", id=f"m{number}", kind="event", source="calendar",
                   happened_at=starts, metadata={"starts_at": starts.isoformat()})  # fmt: skip
    memory.add("Meeting of the past", id="past", kind="event", source="calendar",
               happened_at=NOW - timedelta(days=40))  # fmt: skip
    memory.add("A note", id="note", source="note", happened_at=NOW)
    likely = {hit.id: hit.relevance for hit in asked(memory, "what's on next week?", limit=20)}

    assert min(likely[f"m{number}"] for number in range(14)) > 0.5 > likely["past"]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("when is the standup this week?", 11),  # of today, Thursday, and this Wednesday
        ("is there a standup next week?", 18),
        ("wann ist der standup nächste Woche?", 18),
        ("when was the last standup?", 11),
        ("the last standup meeting", 11),
    ],
)
def test_a_series_is_known_to_take_place_in_a_time_that_is_no_list(
    memory: Memory, question: str, day: int
) -> None:
    memory.add("Standup", id="standup", kind="event", source="calendar",
               happened_at=NOW - timedelta(days=29),
               metadata={"starts_at": "2026-02-11T09:00:00+00:00",
                         "_recurrence": ["RRULE:FREQ=WEEKLY"]})  # fmt: skip
    memory.add("Another note about lunch", id="note", source="note", happened_at=NOW)
    found = asked(memory, question)

    [hit] = [one for one in found if one.id == "standup"]
    assert hit.takes_place_at == datetime(2026, 3, day, 9, tzinfo=UTC)
    assert (found.hits[0].id, found.nothing) == ("standup", "")


@pytest.fixture
def desk(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory()

    def add(id_: str, text: str, days: int, **fields: Any) -> None:
        memory.add(text, id=id_, happened_at=NOW + timedelta(days=days), **fields)

    add(
        "plan",
        "Could you review the harbor plan?",
        -7,
        kind="email",
        source="gmail",
        people=[SARAH],
    )
    add("lunch", "Lunch some day?", -29, kind="email", source="outlook", people=[SARAH])
    add("bill", "Invoice 2231 is waiting.", -1, kind="email", source="gmail")
    add("export", "Implement the export.", -11, kind="task", source="jira",
        metadata={"due": "2026-03-17"})  # fmt: skip
    add("review", "Client review in room 4", 5, kind="event", source="calendar",
        metadata={"starts_at": "2026-03-17T14:00:00+00:00"})  # fmt: skip
    add("walk", "Walk in the park", -2, kind="event", source="calendar",
        metadata={"starts_at": "2026-03-10T08:00:00+00:00",
                  "_recurrence": ["RRULE:FREQ=WEEKLY"]})  # fmt: skip
    add("dinner", "Dinner at the old harbor", 6, kind="event", source="calendar",
        metadata={"starts_at": "2026-03-18T19:00:00+00:00", "status": "cancelled"})  # fmt: skip
    add("policy", "Travel in economy class.", -280, kind="document", source="onedrive")
    return memory


def asked(memory: Memory, question: str, **fields: Any) -> SearchResult:
    return memory.search(question, now=NOW, timezone="UTC", mode="text", **fields)


def ids(result: SearchResult) -> list[str]:
    return [hit.id for hit in result]


def parts(result: SearchResult, id_: str) -> dict[str, float]:
    [hit] = [one for one in result if one.id == id_]
    return {part.name: part.value for part in hit.explanation.contributions}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("latest email", ["bill", "plan", "lunch"]),
        ("recent emails", ["bill", "plan", "lunch"]),
        ("first email", ["lunch", "plan", "bill"]),
        ("last email from Sarah", ["plan", "lunch"]),
        ("first mail from Sarah", ["lunch", "plan"]),
        ("next meeting", ["walk", "review"]),
        ("what's on next week?", ["export", "walk", "review"]),
        ("what is due next week?", ["export", "walk", "review"]),
        ("jira tasks", ["export"]),
        ("newest documents", ["policy"]),
        ("What did Sarah send me last week?", ["plan"]),
        ("what happens on Tuesday?", ["export", "walk", "review"]),
        ("which events are on next week?", ["walk", "review"]),
    ],
)
def test_a_question_of_steering_words_is_answered_in_their_order(
    desk: Memory, question: str, first: list[str]
) -> None:
    found = asked(desk, question)

    assert ids(found)[: len(first)] == first
    for hit in found:
        assert hit.score == hit.explanation.score


def test_what_only_is_new_gains_nothing_where_words_are_searched(desk: Memory) -> None:
    found = asked(desk, "latest harbor plan")

    assert ids(found)[0] == "plan"
    assert parts(found, "plan")["direction"] == DIRECTION
    assert all("direction" not in parts(found, one) for one in ids(found) if one == "bill")


def test_the_newer_of_two_that_fit_alike_is_the_latest(memory: Memory) -> None:
    for days in (400, 300):
        memory.add("harbor fees", id=f"{days}", happened_at=NOW - timedelta(days=days))

    assert ids(asked(memory, "latest harbor fees")) == ["300", "400"]
    assert ids(asked(memory, "first harbor fees")) == ["400", "300"]


def test_what_lies_ahead_is_not_the_latest(desk: Memory) -> None:
    assert ids(asked(desk, "latest meeting"))[0] == "walk"


def test_a_cancelled_event_ranks_below_what_takes_place_and_says_so(memory: Memory) -> None:
    for id_, status in (("off", "cancelled"), ("on", "confirmed")):
        memory.add("harbor tour", id=id_, kind="event", source="calendar", happened_at=NOW,
                   metadata={"status": status})  # fmt: skip
    found = asked(memory, "harbor tour")

    assert ids(found) == ["on", "off"]
    assert parts(found, "off")["cancelled"] < 0.0
    [said] = [p.detail for p in found[1].explanation.contributions if p.name == "cancelled"]
    assert said == "it was cancelled"


def test_an_order_depends_on_no_filter_and_no_limit(desk: Memory) -> None:
    whole = {hit.id: hit.score for hit in asked(desk, "latest email")}
    cut = asked(desk, "latest email", limit=2, filter={"sources": ["gmail"]})

    assert {hit.id: hit.score for hit in cut} == {one: whole[one] for one in ids(cut)}


def test_a_mail_leans_on_its_thread_less_than_a_message(memory: Memory) -> None:
    for kind in ("email", "message"):
        memory.add([
            Item(content="harbor crane", id=f"{kind}-a", kind=kind, source="x", session=kind,
                 position=0, happened_at=NOW),
            Item(content="thanks", id=f"{kind}-b", kind=kind, source="x", session=kind,
                 position=1, happened_at=NOW + timedelta(minutes=1)),
        ])  # fmt: skip
    found = asked(memory, "harbor crane")
    leant = {one: parts(found, one).get("session", 0.0) for one in ids(found)}

    assert leant["email-a"] == pytest.approx(leant["message-a"])
    assert "message-b" in leant or "email-b" not in leant


def test_a_source_that_is_named_is_a_lane(desk: Memory) -> None:
    found = asked(desk, "calendar of the opera")

    assert {"walk", "review", "dinner"} <= set(ids(found))
    assert all(hit.explanation.lanes == ("source",) for hit in found if hit.id == "walk")


def test_words_of_one_kind_steer_nothing_where_all_is_of_it(memory: Memory) -> None:
    memory.add("retrieval of documents", id="a", kind="document", source="file")
    memory.add("retrieval of bones", id="b", kind="document", source="file")
    found = asked(memory, "documents")

    assert ids(found)[0] == "a"
    assert (found.plan.kinds, found.plan.searched) == ((), "documents")


def test_roles_of_a_person_decide(memory: Memory) -> None:
    memory.add("harbor", id="hers", kind="email", source="mail", people=[SARAH], happened_at=NOW)
    memory.add("harbor", id="to", kind="email", source="mail", happened_at=NOW,
               people=[Person(name="Ana", address="ana@b.example"),
                       Person(name=SARAH.name, address=SARAH.address, role=Role.TO)])  # fmt: skip
    memory.add("harbor notes", id="note", kind="document", source="file", happened_at=NOW)

    assert ids(asked(memory, "harbor mail from Sarah"))[0] == "hers"
    assert ids(asked(memory, "harbor mail to Sarah"))[0] == "to"


def test_the_classic_scorer_prefers_the_time_that_is_named(desk: Memory) -> None:
    found = asked(desk, "What did Sarah send me last week?", scorer="classic")

    assert ids(found)[0] == "plan"


def test_what_tells_of_a_person_comes_after_what_they_sent(desk: Memory) -> None:
    desk.add("Sarah Sarah", id="about", happened_at=NOW - timedelta(days=8), source="note")

    found = asked(desk, "What did Sarah send me last week?")

    assert ids(found)[:2] == ["plan", "about"]


def test_tasks_need_neither_a_date_nor_a_word_on_whether_they_are_open(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    for id_, metadata in (
        ("call", {}),
        ("fee", {"status": "needs action", "due": "2026-03-10"}),
        ("ferry", {"status": "completed"}),
        ("tent", {"completed_at": "2026-03-01T10:00:00+00:00"}),
        ("roof", {"status": "completed", "open": True}),
    ):
        memory.add(Item(content=f"About the {id_} matter.", id=id_, kind="task", source="todo",
                        metadata=metadata))  # fmt: skip

    assert ids(asked(memory, "which tasks are open?"))[:3] == ["fee", "call", "roof"]
    assert {*ids(asked(memory, "which tasks are done?"))[:2]} == {"ferry", "tent"}
    [late] = [hit.id for hit in asked(memory, "what is overdue?") if hit.relevance > 0.5]
    assert late == "fee"


def test_a_note_with_empty_check_boxes_is_a_list_of_open_tasks(tasks: Memory) -> None:
    tasks.add(Item(content="- [ ] Call Ana\n- [x] Tar", id="list", source="file"))
    tasks.add(Item(content="Of tasks and open windows", id="essay", source="file"))

    assert ids(asked(tasks, "what do I still have to do?"))[:5] == [
        "someday", "late", "today", "later", "list"
    ]  # fmt: skip
    assert "list" not in {h.id for h in asked(tasks, "what is overdue?") if h.relevance > 0.5}


@pytest.fixture
def assigned(open_memory: Callable[..., Memory]) -> Memory:
    """Tasks of two people and of nobody, and a list of one's own."""
    memory = open_memory(owner=("ana@company.example",))
    ana = Person(name="Ana Reyes", address="ana@company.example", role=Role.ASSIGNEE)
    hers = Person(name=SARAH.name, address=SARAH.address, role=Role.ASSIGNEE)
    for id_, people, source, is_open in (
        ("anas", (ana,), "jira", True),
        ("anas-done", (ana,), "jira", False),
        ("sarahs", (hers,), "jira", True),
        ("sarahs-done", (hers,), "jira", False),
        ("nobodys", (), "jira", True),
        ("listed", (), "todo", True),
    ):
        memory.add(f"About the {id_} matter.", id=id_, kind="task", source=source, people=people,
                   metadata={"open": is_open, "due": "2026-03-10"},
                   happened_at=NOW - timedelta(days=9))  # fmt: skip
    memory.add("My tasks: see what is assigned to me.", id="mail", kind="email", source="gmail",
               people=[SARAH], happened_at=NOW)  # fmt: skip
    return memory


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("my tasks", {"anas", "listed"}),
        ("what is assigned to me?", {"anas", "listed"}),
        ("which of my tasks are done", {"anas-done"}),
        ("which things assigned to me are overdue", {"anas", "listed"}),
        ("tasks assigned to Sarah Johnson", {"sarahs"}),
        ("open tickets of Sarah Johnson", {"sarahs"}),
        ("Sarah Johnson's tasks", {"sarahs"}),
    ],
)
def test_tasks_are_those_of_whom_the_question_means(
    assigned: Memory, question: str, wanted: set[str]
) -> None:
    found = asked(assigned, question)

    assert set(ids(found)[: len(wanted)]) == wanted
    assert {hit.id for hit in found if hit.relevance > 0.5} == wanted


def test_the_tasks_of_a_person_without_any_are_those_that_name_them(assigned: Memory) -> None:
    tom = Person(name="Tom Price", address="tom@b.example")
    assigned.add("Tom asked for the harbor plan.", id="tom", kind="task", source="jira",
                 people=[tom], metadata={"open": True}, happened_at=NOW)  # fmt: skip

    assert ids(asked(assigned, "tasks assigned to Tom Price"))[0] == "tom"


@pytest.mark.parametrize(
    "question",
    [
        "What did I write to Léa?", "Qu'ai-je écrit à Léa ?", "Was habe ich Léa geschrieben?",
        "¿Qué le escribí a Léa?", "Cosa ho scritto a Léa?", "O que escrevi à Léa?",
        "Wat heb ik Léa geschreven?",
    ],
)  # fmt: skip
def test_what_the_owner_wrote_to_somebody_is_a_list_of_it(
    open_memory: Callable[..., Memory], question: str
) -> None:
    memory = open_memory(embedder=None, owner=("Nora <nora@feld.example>",))
    nora, lea, tom = (
        Person(name=name, address=f"{address}@feld.example")
        for name, address in (("Nora", "nora"), ("Léa", "lea"), ("Tom", "tom"))
    )
    for id_, author, to in (("asked", nora, lea), ("other", nora, tom), ("answer", lea, nora)):
        people = [author, replace(to, role=Role.TO)]
        memory.add("Shall we go?", id=id_, kind="email", people=people, happened_at="2026-03-10")
    found = memory.search(question)

    assert [hit.id for hit in found if hit.relevance >= 0.75] == ["asked"]
