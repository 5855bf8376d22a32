"""What is read out of the words of a question: whole words only, and people as they are named."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import pytest

from simonides import Memory, Settings
from simonides.entities.directory import Directory, Names, proper_words
from simonides.model.answer import Direction, Plan, Query, TaskState
from simonides.model.item import Kind, Role
from simonides.retrieval.plan import plan_of, without_time

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
SARAH: Final = "person:sarah@example.com"
OTHER: Final = "person:~sarah okafor"
PEOPLE: Final = (
    (SARAH, "person", "Sarah Lindqvist"),
    (SARAH, "person", "Lindqvist, Sarah"),
    (OTHER, "person", "Sarah Okafor"),
    ("person:~tom berger", "person", "Tom Berger"),
    ("person:desk@mail.example.co.uk", "person", "desk@mail.example.co.uk"),
    ("person:~jean-luc o\u2019brien", "person", "Jean-Luc O\u2019Brien"),
    ("person:~user", "person", "user"),
    ("person:~assistant", "person", "Assistant"),
    ("topic:sarah and tom", "topic", "Sarah and Tom"),
    ("topic:bank of england", "topic", "Bank of England"),
    ("issue:alpha-7", "issue", "ALPHA-7"),
)
EVERYDAY: Final = (
    ("person:~will smith", "person", "Will Smith"),
    ("person:~may wong", "person", "May Wong"),
    ("person:~mark", "person", "Mark"),
    ("person:~tom price", "person", "Tom Price"),
)


def names(mentions: Iterable[tuple[str, str, str]]) -> Names:
    directory = Directory()
    directory.extend(mentions)
    return Names(directory=directory, has_name=lambda _entity, _name: True)


def plan(
    text: str,
    *,
    known: Iterable[tuple[str, str, str]] = PEOPLE,
    owner: tuple[str, ...] = (),
    language: str = "en",
) -> Plan:
    asked = Query(text=text, now=NOW)
    return plan_of(asked, names=names(known), owner=owner, language=language)


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("the email from Tom", ("gmail", "outlook", "mail")),
        ("Inbox?", ("gmail", "outlook", "mail")),
        ("that e-mail", ("gmail", "outlook", "mail")),
        ("my DOCS", ("gdrive", "onedrive", "file")),
        ("which ticket", ("jira",)),
        ("the next meeting", ("calendar",)),
        ("mails and files", ("gmail", "outlook", "mail", "gdrive", "onedrive", "file")),
        ("the doctor", ()),
        ("my profile", ()),
        ("eventually", ()),
        ("a tissue", ()),
        ("mailbox", ()),
        ("a multitasking person", ()),
    ],
)
def test_sources_are_pointed_at_by_whole_words(text: str, sources: tuple[str, ...]) -> None:
    assert plan(text).sources == sources


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("the last mail", Direction.NEWEST),
        ("a blast from Tom", Direction.NONE),
        ("firstly", Direction.NONE),
        ("the first note", Direction.OLDEST),
        ("next deadline", Direction.NEXT),
        ("last week", Direction.NONE),
    ],
)
def test_the_end_of_time_is_asked_for_by_whole_words(text: str, direction: Direction) -> None:
    assert plan(text).direction is direction


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("what did Tom say", ("person:~tom berger",)),
        ("what did tom say", ("person:~tom berger",)),
        ("Tom's invoice", ("person:~tom berger",)),
        ("tomorrow", ()),
        ("Berger?", ("person:~tom berger",)),
        ("what did Sarah say", (SARAH, OTHER)),
        ("what did Sarah Lindqvist say", (SARAH,)),
        ("Lindqvist, Sarah", (SARAH,)),
        ("what did Sarah Okafor and Tom say", (OTHER, "person:~tom berger")),
        ("did Sarah and Tom meet", (SARAH, OTHER, "person:~tom berger")),
        ("what did the assistant say", ()),
        ("ask sarah@example.com", (SARAH,)),
        ("ask desk@mail.example.co.uk", ("person:desk@mail.example.co.uk",)),
        ("an example", ()),
        ("what did Jean-Luc say", ("person:~jean-luc o\u2019brien",)),
        ("O'Brien's", ("person:~jean-luc o\u2019brien",)),
        ("sarah-tom", (SARAH, OTHER, "person:~tom berger")),
    ],
)
def test_people_are_known_by_the_longest_name_said(text: str, people: tuple[str, ...]) -> None:
    assert plan(text).people == tuple(sorted(people))


def test_a_topic_that_holds_names_hides_no_person() -> None:
    asked = plan("what did Sarah and Tom say about the Bank of England")

    assert asked.entities == ("topic:bank of england", "topic:sarah and tom")
    assert "person:~tom berger" in asked.people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("will the budget pass", ()),
        ("Will the budget pass", ()),
        ("did Will pass the budget", ("person:~will smith",)),
        ("did will smith pass the budget", ("person:~will smith",)),
        ("may I ask", ()),
        ("Done. May I ask", ()),
        ("what happened in May", ()),
        ("ask May about it", ("person:~may wong",)),
        ("what marks did he get, and mark them", ()),
        ("what did Mark say", ("person:~mark",)),
        ("the price of it", ()),
        ("what did Price say", ("person:~tom price",)),
        ("WHAT DID MARK SAY", ("person:~mark",)),
    ],
)
def test_an_everyday_word_names_somebody_only_with_a_capital_inside_a_sentence(
    text: str, people: tuple[str, ...]
) -> None:
    assert plan(text, known=EVERYDAY).people == people


def test_proper_words_begin_with_a_capital_and_begin_no_sentence() -> None:
    text = "Ask Émile, then Tom. Will he? Yes: Never (Maybe) or O'Brien's and ÁNA"

    assert proper_words(text) >= {"émile", "tom", "ána"}
    assert proper_words(text).isdisjoint({"ask", "will", "yes", "never", "maybe", "then"})


@pytest.mark.parametrize(
    "text",
    ["what did I say", "what I told them", "my mail to the bank", "what have I written about it",
     "was habe ich geschrieben", "qu'ai-je écrit", "qué escribí yo de my plan", "cosa ho detto"],
)  # fmt: skip
def test_who_asks_for_their_own_words_means_the_owner(text: str) -> None:
    asked = plan(f"{text}, I ask", owner=("sarah@example.com",))

    assert asked.first_person
    assert asked.owner == (SARAH, "person:~user")
    assert asked.people == ()


@pytest.mark.parametrize(
    "text", ["my notes", "I'm late", "I\u2019m late", "our plan", "I said no?"]
)
def test_the_first_person_means_the_speakers_called_user(text: str) -> None:
    asked = plan(text, owner=("sarah@example.com",))

    assert asked.first_person
    assert "person:~user" in asked.owner
    assert (SARAH in asked.owner) == ("said" in text)


def test_a_person_who_is_named_is_meant_instead_of_the_owner() -> None:
    asked = plan("what did Tom send me", owner=("sarah@example.com",))

    assert asked.first_person
    assert (asked.people, asked.owner) == (("person:~tom berger",), ())


def test_what_the_owner_told_somebody_is_the_owners_and_to_them() -> None:
    asked = plan("what did I tell Tom", owner=("sarah@example.com",))

    assert (asked.people, asked.role) == (("person:~tom berger",), Role.TO)
    assert SARAH in asked.owner


@pytest.mark.parametrize("text", ["what did they say", "the image of it", "wet meadow"])
def test_without_the_first_person_nobody_is_the_owner(text: str) -> None:
    asked = plan(text, owner=("sarah@example.com",))

    assert (asked.first_person, asked.owner) == (False, ())


def test_an_owner_whom_nothing_mentions_is_nobody() -> None:
    assert plan("what did I say", known=(), owner=("ines@example.com",)).owner == ()


def test_an_owners_name_means_people_only() -> None:
    topics = (("topic:harbor", "topic", "Harbor"), ("person:~harbor", "person", "Harbor"))

    asked = plan("what did I say", known=topics, owner=("Harbor",))

    assert asked.owner == ("person:~harbor",)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('who said "Not Now" and “soon enough”', ("not now", "soon enough")),
        ('"one"  «deux mots» "one"', ("one", "deux mots")),
        ('an "open quote', ()),
        ('"" and "x"', ()),
        (" ".join(f'"phrase {n}"' for n in range(20)), tuple(f"phrase {n}" for n in range(8))),
    ],
)
def test_quoted_phrases_are_kept_folded_and_few(text: str, phrases: tuple[str, ...]) -> None:
    assert plan(text).phrases == phrases


def test_an_issue_is_named_by_its_key() -> None:
    assert plan("how is ALPHA-7").entities == ("issue:alpha-7",)
    assert plan("how is alpha-77").entities == ()


def test_a_time_is_read_by_the_clock_of_the_question() -> None:
    asked = plan("what happened last week?")

    assert asked.time is not None
    assert asked.time.since == datetime(2026, 3, 2, tzinfo=UTC)
    assert asked.time.until == datetime(2026, 3, 9, tzinfo=UTC)
    assert without_time(asked).time is None
    assert without_time(asked).words == asked.words


def test_asking_for_a_time_is_noticed() -> None:
    assert plan("when did Tom call?").asks_when
    assert not plan("what did I eat when I was in Rome").asks_when


def test_an_empty_plan_comes_of_signs_alone() -> None:
    assert plan("?!") == Plan()


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("what did Tom send me last week", ""),
        ("what did Tom send me about the lease", "what did Tom about the lease"),
        ("what did Tom write about Bank of England", "what did Tom write about Bank of England"),
        ("what did Tom say last about Bank of England", "what did Tom about Bank of England"),
        ("latest email", ""),
        ("any events on my calendar?", ""),
        ("What's on next week?", ""),
        ("show me the invoice of yesterday", "the invoice of"),
        ("At what time did the line go live?", "did the line go live?"),
        ("the offer of 4 July", "the offer of 4 July"),
        ("lunch friday", "lunch friday"),
        ("what happens on Friday?", ""),
        ("jira tasks about the harbor", "about the harbor"),
    ],
)
def test_words_that_steer_are_used_up(text: str, searched: str) -> None:
    assert plan(text).searched == searched


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("what did Tom say", Role.AUTHOR),
        ("mails from Tom", Role.AUTHOR),
        ("what did I write to Tom", Role.TO),
        ("what did I tell Tom", Role.TO),
        ("lunch with Tom", Role.ATTENDEE),
        ("tickets assigned to Tom", Role.ASSIGNEE),
        ("anything about Tom", Role.MENTIONED),
        ("von Tom", Role.AUTHOR),
        ("correo de Tom", Role.AUTHOR),
        ("Tom", None),
    ],
)
def test_the_words_around_a_name_say_its_role(text: str, role: Role | None) -> None:
    assert plan(text).role is role


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("what's on next week", (Kind.EVENT, Kind.TASK)),
        ("when am I free on Tuesday", (Kind.EVENT, Kind.TASK)),
        ("what is due", (Kind.EVENT, Kind.TASK)),
        ("was steht morgen an", (Kind.EVENT, Kind.TASK)),
        ("was steht in der Bibel an Vorschriften", ()),
        ("was steht an", (Kind.EVENT, Kind.TASK)),
        ("what is it based on the plan", ()),
        ("when is the harbor due", ()),
        ("what is overdue", (Kind.TASK,)),
        ("is the harbor plan overdue", ()),
        ("why couldn't they meet when originally scheduled", ()),
        ("who complained first about the noise coming up from below", ()),
        ("which meetings are on next week", (Kind.EVENT,)),
        ("what is coming up", (Kind.EVENT, Kind.TASK)),
    ],
)
def test_an_agenda_is_asked_for_by_its_words(text: str, kinds: tuple[Kind, ...]) -> None:
    asked = plan(text)

    assert asked.kinds == kinds
    assert asked.asks_agenda == (Kind.EVENT in kinds)


def test_a_state_of_tasks_is_used_up_where_a_noun_for_them_stands_by() -> None:
    asked = plan("open harbor tasks")

    assert (asked.task_state, asked.searched) == (TaskState.OPEN, "harbor")
    assert plan("is the harbor plan overdue").task_state is TaskState.ANY
    assert plan("is the harbor gate open").searched == "is the harbor gate open"


@pytest.mark.parametrize(
    ("text", "asks_agenda"),
    [
        ("Christmas plans", True),
        ("any plans for next Saturday?", True),
        ("what are we doing over Christmas", True),
        ("Pläne für Weihnachten", True),
        ("what plans did Sarah send last week", False),
        ("plans for the harbor", False),
    ],
)
def test_plans_of_a_time_ahead_are_an_agenda(text: str, *, asks_agenda: bool) -> None:
    assert plan(text).asks_agenda is asks_agenda


def test_what_is_left_to_do_is_asked_by_itself_or_of_a_time() -> None:
    assert plan("what do I have to do").task_state is TaskState.OPEN
    assert plan("what do I have to do to open the harbor gate").task_state is TaskState.ANY

    tomorrow = plan("what do I have to do tomorrow")

    assert tomorrow.task_state is TaskState.ANY
    assert {*tomorrow.kinds} == {Kind.EVENT, Kind.TASK}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "what do I have to do by Friday"),
        ("en", "what should I do before Friday?"),
        ("nl", "wat moet ik nog doen vóór 2 april"),
        ("pl", "Co muszę zrobić do końca miesiąca?"),
        ("ru", "Что мне нужно сделать до 2 апреля"),
        ("tr", "ay sonuna kadar neleri yapmam lazim"),
        ("en", "to do before the end of the month"),
        ("de", "was muss ich bis naechsten freitag noch erledigen"),
    ],
)
def test_what_is_left_to_do_until_a_day_is_tasks(language: str, text: str) -> None:
    asked = plan(text, language=language)

    assert (asked.task_state, {*asked.kinds}) == (TaskState.OPEN, {Kind.TASK})
    assert not asked.searched


@pytest.mark.parametrize(
    ("language", "text", "state"),
    [
        ("en", "which tasks have I already finished", TaskState.DONE),
        ("en", "which of my tasks are overdue by now", TaskState.OVERDUE),
        ("de", "welche aufgaben habe ich schon erledigt", TaskState.DONE),
        ("fr", "quelles tâches sont encore ouvertes", TaskState.OPEN),
        ("es", "qué tareas siguen pendientes", TaskState.OPEN),
        ("it", "quali attività sono già completate", TaskState.DONE),
        ("nl", "welke taken staan nog open", TaskState.OPEN),
        ("pt", "quais tarefas já estão concluídas", TaskState.DONE),
        ("pl", "które zadania są już zrobione", TaskState.DONE),
        ("ru", "какие задачи ещё открыты", TaskState.OPEN),
        ("tr", "hangi görevler tamamlandi", TaskState.DONE),
        ("ja", "どのタスクがもう終わっている", TaskState.DONE),
        ("ko", "이미 끝난 할 일이 뭐야", TaskState.DONE),
        ("zh", "还有哪些任务没完成", TaskState.OPEN),
    ],
)
def test_tasks_in_a_state_are_a_list_however_it_is_asked(
    language: str, text: str, state: TaskState
) -> None:
    asked = plan(text, language=language)

    assert (asked.task_state, asked.searched) == (state, "")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "what are we up to on saturday"),
        ("de", "was machen wir am wochenende"),
        ("de", "was ist am samstag los"),
        ("fr", "qu'est-ce qu'on fait samedi"),
        ("es", "qué hacemos este fin de semana"),
        ("it", "cosa facciamo nel weekend"),
        ("nl", "wat doen we dit weekend"),
        ("pt", "o que vamos fazer no fim de semana"),
        ("zh", "这周末我们干什么"),
    ],
)
def test_what_one_does_at_a_time_to_come_is_an_agenda(language: str, text: str) -> None:
    asked = plan(text, language=language)

    assert asked.asks_agenda
    assert not asked.searched


def test_how_things_stand_as_of_now_names_no_time() -> None:
    asked = plan("what do I call my thesis as of today?")

    assert asked.time is None
    assert asked.searched == "what do I call my thesis ?"


@pytest.mark.parametrize("question", ["kosten der mobilitaet", "Kosten der Mobilität"])
@pytest.mark.parametrize("stored", ["Mobilität im Januar", "Mobilitaet im Januar"])
def test_german_is_found_with_and_without_its_umlauts(question: str, stored: str) -> None:
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(":memory:", settings=settings) as memory:
        memory.add(stored, id="found", language="de")
        memory.add("Kein Wort davon", id="other", language="de")

        assert [hit.id for hit in memory.search(question)] == ["found"]


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("what did Tom write to me in February", ""),
        ("what did Tom write last week", ""),
        ("what did I write to Tom in November", ""),
        ("what did Tom write in February about the boiler", "boiler"),
    ],
)
def test_all_that_somebody_wrote_at_a_time_is_a_list_whatever_the_time_is_called(
    text: str, searched: str
) -> None:
    asked = plan(text)

    assert asked.time is not None
    assert bool(asked.searched) == bool(searched)
    assert searched in asked.searched
