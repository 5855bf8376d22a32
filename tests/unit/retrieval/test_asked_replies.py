"""Mails and messages without an answer: of whom, and what is said where there are none."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides import Memory, Person, ReplyState, Role, Settings

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
NORA = Person(name="Nora Feld", address="nora@feld.example")
TOM = Person(name="Tom Becker", address="tom@becker.example")
SARAH = Person(name="Sarah Lind", address="sarah@lind.example")
SETTINGS = Settings(embedder="none", timezone="UTC", owner=("Nora Feld <nora@feld.example>",))
OWED, AWAITED = "Which mails are unanswered?", "Who hasn't replied to me?"


def put(
    memory: Memory, id_: str, text: str, author: Person, *to: Person, day: int, **given: Any
) -> None:
    sent = [Person(name=one.name, address=one.address, role=Role.TO) for one in to]
    given = {"session": id_, **given}
    memory.add(
        text, id=id_, kind="email", source="gmail", people=[author, *sent],
        happened_at=f"2026-03-{day:02}", **given,
    )  # fmt: skip


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=SETTINGS, clock=lambda: NOW) as opened:
        put(opened, "boiler", "Can the plumber come?", TOM, NORA, day=2)
        put(opened, "thursday", "Thursday at ten.", NORA, TOM, day=3, session="boiler")
        put(opened, "dinner", "Shall we say seven?", SARAH, NORA, day=4)
        put(opened, "photos", "Here are the photos.", SARAH, NORA, day=5)
        put(opened, "keys", "Could you leave the keys?", NORA, SARAH, day=6)
        put(opened, "thanks", "It was lovely.", NORA, SARAH, day=7)
        put(opened, "invoice", "Is the address still right?", TOM, NORA, day=8)
        opened.add("Please buy milk?", id="note", source="note", happened_at="2026-03-09")
        yield opened


def listed(memory: Memory, question: str, **given: Any) -> list[str]:
    return [item.id for item in memory.brief(question, **given).items]


def test_the_mails_that_wait_for_an_answer_those_that_ask_something_first(memory: Memory) -> None:
    assert listed(memory, OWED) == ["invoice", "dinner", "photos"]
    assert listed(memory, "do I owe Sarah a reply?") == ["dinner", "photos"]
    assert listed(memory, "which mails since 6 March have I not answered?") == ["invoice"]


def test_an_out_of_office_reply_answers_nothing_and_no_program_waits(memory: Memory) -> None:
    by_program = {"_automatic": "auto-replied"}
    put(memory, "away", "Away. Urgent?", SARAH, NORA, day=7, session="keys", metadata=by_program)
    put(memory, "offer", "Shall we?", SARAH, NORA, day=8, metadata={"_automatic": "bulk"})

    assert listed(memory, AWAITED) == ["keys"]
    assert listed(memory, OWED) == ["invoice", "dinner", "photos"]


def test_what_was_not_sent_answers_nothing_and_waits_for_nothing(memory: Memory) -> None:
    put(memory, "draft", "Yes. At yours?", NORA, SARAH, day=9, session="dinner", tags=["draft"])

    assert listed(memory, OWED) == ["invoice", "dinner", "photos"]
    assert listed(memory, AWAITED) == ["keys"]
    assert "(draft, not sent): Yes. At yours?" in memory.brief("what did I answer Sarah?").text


def test_an_answer_to_a_later_mail_of_a_thread_answers_the_earlier_ones_too(
    memory: Memory,
) -> None:
    put(memory, "moved", "Or rather Friday?", TOM, NORA, day=9, session="invoice",
        source_id="<moved@becker.example>")  # fmt: skip
    assert listed(memory, OWED) == ["moved", "invoice", "dinner", "photos"]

    put(memory, "fine", "Friday is fine.", NORA, TOM, day=10, session="<moved@becker.example>")
    assert listed(memory, OWED) == ["dinner", "photos"]

    put(memory, "again", "Is Friday still fine?", TOM, NORA, day=11, session="invoice")
    assert listed(memory, OWED) == ["again", "dinner", "photos"]


def test_an_answer_that_names_no_earlier_mail_of_its_thread_answers_the_one_it_names(
    memory: Memory,
) -> None:
    put(memory, "less", "Could they go down to 13,000?", NORA, TOM, day=9,
        session="boiler", source_id="<less@feld.example>")  # fmt: skip
    put(memory, "else", "Is there another?", NORA, TOM, day=9, session="", source_id="")
    assert listed(memory, AWAITED) == ["else", "less", "keys"]

    put(memory, "yes", "They would.", TOM, NORA, day=10, session="<less@feld.example>")
    put(memory, "aside", "By the way, hello.", TOM, NORA, day=10, session="")
    assert listed(memory, AWAITED) == ["else", "keys"]


def test_one_s_own_mails_that_ask_something_and_nobody_answered(memory: Memory) -> None:
    assert listed(memory, AWAITED) == ["keys"]

    put(memory, "yes", "Under the mat.", SARAH, NORA, day=9, session="keys")
    assert "no mail or message of yours waits for an answer" in memory.brief(AWAITED).text
    assert listed(memory, AWAITED, now="2026-03-08T00:00:00Z") == ["keys"]


def test_a_mail_in_no_thread_is_answered_by_none(memory: Memory) -> None:
    put(memory, "loose", "Do you come?", SARAH, NORA, day=9, session="")
    put(memory, "other", "Good morning.", NORA, TOM, day=10, session="")

    assert listed(memory, OWED) == ["loose", "invoice", "dinner", "photos"]


def test_a_stranger_is_owed_an_answer_only_if_they_ask(memory: Memory) -> None:
    ulla = Person(name="Ulla Kern", address="ulla@kern.example")
    put(memory, "flat", "Is the flat still free?", ulla, NORA, day=10)
    put(memory, "booking", "Your booking is confirmed.", ulla, NORA, day=10)

    assert listed(memory, OWED) == ["invoice", "dinner", "flat", "photos"]


@pytest.mark.parametrize("given", [{"metadata": {"list_id": "news.shop.example"}}, {"to": [TOM]}])
def test_a_newsletter_and_what_went_to_others_want_no_answer(
    memory: Memory, given: dict[str, Any]
) -> None:
    to = given.pop("to", [NORA])
    put(memory, "sale", "Ready for summer?", SARAH, *to, day=10, **given)

    assert "sale" not in listed(memory, OWED)


WHOM, WHO = "Whom haven't I answered yet?", "Who hasn't replied to me?"


def say(memory: Memory, chat: str, *said: tuple[str, str, str]) -> None:
    """Put (id, author, text) into a chat, one a minute from 10 March at noon."""
    for minute, (id_, author, text) in enumerate(said):
        memory.add(
            text, id=id_, kind="message", source="whatsapp", session=chat, people=[author],
            position=minute, happened_at=f"2026-03-10T12:{minute:02}",
        )  # fmt: skip


def test_messages_of_a_chat_of_two_that_ask_and_have_no_answer(memory: Memory) -> None:
    say(
        memory,
        "Chat with Ines",
        ("hello", "Ines", "Hi! Did you get home?"),
        ("home", "Nora Feld", "Yes, late. Do you have my scarf?"),
        ("scarf", "Ines", "I do."),
        ("fetch", "Ines", "Will you fetch it on Sunday?"),
    )

    assert listed(memory, WHOM)[0] == "fetch"
    assert {*listed(memory, WHOM)} == {"fetch", "invoice", "dinner", "photos"}
    assert listed(memory, "do I owe Ines an answer?") == ["fetch"]
    assert "fetch" not in listed(memory, OWED)  # of mails
    assert listed(memory, WHO) == ["keys"]

    say(memory, "Chat with Ines", *[(f"{n}", "Ines", "…") for n in range(4)], ("ok", "Nora Feld",
        "Yes! And shall I bring cake?"))  # fmt: skip
    assert "fetch" not in listed(memory, WHOM)
    assert listed(memory, WHO) == ["ok", "keys"]


@pytest.mark.parametrize(
    ("chat", "others"),
    [("Family", ("Ines", "Paul")), ("Help", ("assistant", "assistant"))],
)
def test_chats_of_many_and_with_an_assistant_owe_nothing(
    memory: Memory, chat: str, others: tuple[str, str]
) -> None:
    first, second = others
    say(memory, chat, ("1", first, "Hi"), ("2", "Nora Feld", "Hi"), ("3", second, "Who comes?"))

    assert "3" not in listed(memory, WHOM)


def test_who_never_wrote_back_in_a_chat_owes_nothing(memory: Memory) -> None:
    say(memory, "Unknown", ("win", "Lottery", "Do you want a million?"))

    assert "win" not in listed(memory, WHOM)


def test_where_all_are_answered_it_is_said(memory: Memory) -> None:
    for number, of in enumerate(("invoice", "dinner", "photos")):
        put(memory, f"re-{of}", "Yes.", NORA, TOM, day=10 + number, session=of)

    assert "no mail waits for your answer" in memory.brief(OWED).text


def test_when_an_answer_is_owed_asks_for_a_time(memory: Memory) -> None:
    assert not memory.search("when do I owe Sarah an answer on dinner?").plan.asks_list


def test_the_state_can_be_ignored(memory: Memory) -> None:
    assert memory.search(OWED).plan.reply_state is ReplyState.OWED
    assert memory.search(OWED, ignore=["replies"]).plan.reply_state is ReplyState.ANY


def test_it_is_said_where_nobody_knows_whose_mail_it_is(memory: Memory) -> None:
    memory.set_owner()

    assert "not known whose mail this is" in memory.brief(OWED).text


def test_what_a_stranger_wrote_in_both_names_answers_nothing(memory: Memory) -> None:
    zed = Person(address="zed@evil.example")
    people = [zed, NORA, Person(address=TOM.address, role=Role.TO)]
    memory.add("Done.", kind="email", people=people, session="invoice", happened_at="2026-03-09")
    people = [zed, SARAH, Person(address=NORA.address, role=Role.TO)]
    memory.add("Yes.", kind="email", people=people, session="keys", happened_at="2026-03-09")

    assert "invoice" in listed(memory, OWED)
    assert "keys" in listed(memory, AWAITED)


@pytest.mark.parametrize("name", ["Nora Feld", "me", "User", "nora@feld.example"])
def test_nobody_answers_for_the_owner_under_their_name(memory: Memory, name: str) -> None:
    zed = Person(name=name, address="zed@evil.example")
    put(memory, "done", "All done.", zed, NORA, day=9, session="invoice")
    put(memory, "too", "All done.", Person(name=name), NORA, day=9, session="dinner")
    put(memory, "asked", "Could you pay?", zed, SARAH, day=9)

    assert listed(memory, OWED) == ["invoice", "dinner", "photos"]
    assert listed(memory, AWAITED) == ["keys"]


def test_a_mail_to_another_address_of_the_owners_name_is_answered_from_there(
    memory: Memory,
) -> None:
    at_work = Person(name="Nora Feld", address="nora@work.example")
    put(memory, "shift", "Can you come at nine?", SARAH, at_work, day=9)
    assert "shift" in listed(memory, OWED)

    put(memory, "sure", "I can.", at_work, SARAH, day=10, session="shift")
    assert "shift" not in listed(memory, OWED)
