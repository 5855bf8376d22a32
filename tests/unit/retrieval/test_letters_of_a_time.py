"""Mails and messages of a time: those that came, and those that the owner wrote."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from simonides import Memory, Person, Role, Settings

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", owner=("Nora Feld <nora@feld.example>",))
NORA = ("Nora Feld", "nora@feld.example")
TOM = ("Tom Becker", "tom@becker.example")


def mail(memory: Memory, id_: str, text: str, author: tuple[str, str], day: int) -> None:
    to = TOM if author == NORA else NORA
    people = [
        Person(name=author[0], address=author[1]),
        Person(name=to[0], address=to[1], role=Role.TO),
    ]
    memory.add(
        text, id=id_, kind="email", source="mail", people=people, happened_at=f"2026-03-{day:02}T08"
    )


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=SETTINGS, clock=lambda: NOW) as opened:
        mail(opened, "old", "Who writes to whom about yesterday?", TOM, day=2)
        mail(opened, "got", "The boiler is warm again.", TOM, day=11)
        mail(opened, "wrote", "Thanks for the plumber.", NORA, day=11)
        for minute, (id_, author, text) in enumerate(
            (("asked", "Ines", "Got home?"), ("said", "Nora Feld", "Yes, by bus."))
        ):
            opened.add(
                text, id=id_, kind="message", source="whatsapp", session="Ines", people=[author],
                position=minute, happened_at=f"2026-03-11T12:0{minute}",
            )  # fmt: skip
        opened.add("Bought bread", id="note", source="note", happened_at="2026-03-11")
        opened.add("Minutes", id="file", kind="document", source="file", happened_at="2026-03-11")
        yield opened


def test_what_one_told_somebody_is_what_was_sent_to_them() -> None:
    with Memory(":memory:", settings=SETTINGS, clock=lambda: NOW) as opened:
        mail(opened, "to-tom", "The strings are worn.", NORA, day=3)
        mail(opened, "from-tom", "Are you in?", TOM, day=3)
        people = [
            Person(name=NORA[0], address=NORA[1]),
            Person(name="Ines Lind", address="ines@lind.example", role=Role.TO),
        ]
        opened.add(
            "The bow of my piano is broken.", id="to-ines", kind="email", source="mail",
            people=people, happened_at="2026-03-10T08",
        )  # fmt: skip
        found = opened.search("what did I tell Tom was wrong with the piano")

    of_people = {
        hit.id: part.value
        for hit in found
        for part in hit.explanation.contributions
        if part.name == "people"
    }
    assert set(of_people) & {"to-tom", "to-ines"} == {"to-tom"}


def listed(memory: Memory, question: str) -> list[str]:
    return sorted(item.id for item in memory.brief(question).items)


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("Which mails did I get yesterday?", ["got"]),
        ("Which mails did I write yesterday?", ["wrote"]),
        ("mails from yesterday", ["got", "wrote"]),
        ("show me my sent mails from yesterday", ["wrote"]),
        ("Who wrote to me yesterday?", ["asked", "got"]),
        ("messages I received yesterday", ["asked", "got"]),
        ("What did I write yesterday?", ["said", "wrote"]),
        ("Wer hat mir gestern geschrieben?", ["asked", "got"]),
        ("Welche Mails habe ich gestern verschickt?", ["wrote"]),
        ("Quels mails ai-je reçus hier ?", ["got"]),
        ("Quels mails ai-je envoyés hier ?", ["wrote"]),
        ("¿Quién me ha escrito ayer?", ["asked", "got"]),
        ("Chi mi ha scritto ieri?", ["asked", "got"]),
        ("Quem me escreveu ontem?", ["asked", "got"]),
        ("who wrote yesterday?", ["asked", "got"]),
        ("who contacted me yesterday?", ["asked", "got"]),
        ("Wer hat gestern geschrieben?", ["asked", "got"]),
        ("Qui m'a écrit hier ?", ["asked", "got"]),
        ("quien me escribio ayer", ["asked", "got"]),
        ("Wie heeft mij gisteren gemaild?", ["asked", "got"]),
        ("Kto do mnie wczoraj pisał?", ["asked", "got"]),
        ("Jakie maile wczoraj dostałam?", ["got"]),
        ("Кто мне вчера писал?", ["asked", "got"]),
        ("Какие письма я вчера отправила?", ["wrote"]),
    ],
)
def test_letters_of_a_time_are_those_of_the_side_that_is_asked_for(
    memory: Memory, question: str, ids: list[str]
) -> None:
    assert listed(memory, question) == ids


@pytest.mark.parametrize(
    "question",
    ["What's new since yesterday?", "Was gibt es Neues seit gestern?", "Co nowego od wczoraj?"],
)
def test_what_is_new_is_all_since_then_and_nothing_that_comes(
    memory: Memory, question: str
) -> None:
    memory.add("Dentist", id="ahead", kind="event", source="calendar", happened_at="2026-03-20")
    news = {"got", "wrote", "asked", "said", "note", "file"}

    assert {item.id for item in memory.brief(question).items[: len(news)]} == news


def test_other_words_and_named_people_are_looked_for(memory: Memory) -> None:
    assert memory.search("Who wrote to me yesterday about the boiler?").plan.searched
    assert memory.search("What did Tom tell me yesterday?").plan.kinds == ()
    assert memory.search("What did I buy yesterday?").plan.kinds == ()


@pytest.mark.parametrize(
    "question",
    ["Who is coming today?", "What is coming up tomorrow?", "Is anyone else coming on Friday?",
     "Co mam w przyszły wtorek?", "Who came yesterday?", "What did you tell me yesterday?"],
)  # fmt: skip
def test_who_comes_and_what_the_assistant_said_are_no_letters(
    memory: Memory, question: str
) -> None:
    assert not {"email", "message"} & {*memory.search(question).plan.kinds}


@pytest.mark.parametrize("is_mixed", [True, False])
@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("Which mails did I send?", ["wrote", "before"]),
        ("show me all mails I sent", ["wrote", "before"]),
        ("which mails did I send last week?", ["before"]),
        ("Which mails did I get?", ["got", "asked"]),
        ("Welche Mails habe ich verschickt?", ["wrote", "before"]),
        ("Quels mails ai-je envoyés ?", ["wrote", "before"]),
        ("¿Qué correos he enviado?", ["wrote", "before"]),
    ],
)
def test_letters_of_a_side_are_first_whatever_others_say_in_theirs(
    question: str, ids: list[str], *, is_mixed: bool
) -> None:
    with Memory(":memory:", settings=SETTINGS, clock=lambda: NOW) as opened:
        mail(opened, "asked", "Can you send me the mails that I got? Mails sent again!", TOM, day=4)
        mail(opened, "before", "The strings are worn.", NORA, day=5)
        mail(opened, "got", "Ich habe die Mails verschickt, envoyé, enviado.", TOM, day=10)
        mail(opened, "wrote", "Thanks for the plumber.", NORA, day=11)
        if is_mixed:
            opened.add("Bought bread", id="note", source="note", happened_at="2026-03-11")
        found = [hit.id for hit in opened.search(question)]

    assert found[: len(ids)] == ids
