"""What the owner says of themselves: the later holds, and rules propose it from chats and mails."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from simonides import Memory, Person, Settings
from simonides.models.embedding.minilm import MiniLMEmbedder

OpenMemory = Callable[..., Memory]
NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)
UNTRUSTED = {"_trust": "unknown"}

SAID = """
2025-01-10 I live in Hamburg.
2026-09-01 I moved to Berlin.
2025-01-10 I work at Acme as an accountant.
2026-05-10 I started a new job at Globex.
2025-01-10 My phone number is 0151 1234.
2026-01-10 I have a new phone number: 0170 9988.
2025-01-10 My doctor is Dr Yilmaz.
2026-02-10 I switched to Dr Brandt.
2025-01-10 I'm vegetarian.
2026-02-10 I eat fish again.
2025-02-01 I drink coffee every morning.
2026-03-01 I stopped drinking coffee.
2026-04-01 I quit smoking.
2025-06-01 My cat is called Miko.
"""


@pytest.fixture
def owner(open_memory: OpenMemory) -> Memory:
    memory = open_memory(embedder=MiniLMEmbedder(), settings=Settings(timezone="UTC"))
    for line in SAID.strip().splitlines():
        day, _, text = line.partition(" ")
        memory.remember(text, happened_at=day)
    return memory


@pytest.mark.parametrize(
    ("question", "now_so", "before"),
    [
        ("where do I live?", "I moved to Berlin.", "I live in Hamburg."),
        ("Wo wohne ich?", "I moved to Berlin.", "I live in Hamburg."),
        ("where do I work?", "I started a new job at Globex.", "I work at Acme as an accountant."),
        ("what is my phone number?", "I have a new phone number: 0170 9988.",
         "My phone number is 0151 1234."),
        ("who is my doctor?", "I switched to Dr Brandt.", "My doctor is Dr Yilmaz."),
        ("am I vegetarian?", "I eat fish again.", "I'm vegetarian."),
        ("do I drink coffee?", "I stopped drinking coffee.", "I drink coffee every morning."),
    ],
)  # fmt: skip
def test_the_later_of_two_statements_of_one_matter_is_first_and_says_what_it_replaces(
    owner: Memory, question: str, now_so: str, before: str
) -> None:
    first, second, *_ = owner.search(question, now=NOW)
    lines = owner.brief(question, now=NOW).text.splitlines()

    assert (first.text, second.text) == (now_so, before)
    assert [one.id for one in first.replaces] == [second.id]
    assert second.replaced_by is not None
    assert second.replaced_by.id == first.id
    assert lines[1].endswith(now_so)
    assert "replaced on" in lines[2]


def test_a_change_of_one_thing_replaces_nothing_of_another(owner: Memory) -> None:
    found = {hit.text: hit for hit in owner.search("do I smoke?", now=NOW)}

    assert found["I quit smoking."].replaces == ()
    assert found["I stopped drinking coffee."].replaced_by is None


@pytest.mark.parametrize(
    "question", ["who was my doctor last month?", "did I drink coffee in 2025?"]
)
def test_a_memory_from_before_a_time_answers_what_was_so_then(owner: Memory, question: str) -> None:
    assert owner.search(question, now=NOW).nothing == ""


def test_it_does_not_answer_what_happened_then(owner: Memory) -> None:
    found = owner.search("what did I say to the plumber in 2024?", now=NOW)

    assert "nothing from 1 January 2024 to 31 December 2024 (2024)" in found.nothing
    assert '"2024"' not in found.nothing


def test_rules_propose_what_the_owner_says_and_say_what_they_read(open_memory: OpenMemory) -> None:
    memory = open_memory(embedder=None, settings=Settings(owner=("ana@x.example",)))
    for speaker, text in (
        ("user", "Hi! I live in Hamburg. Can you suggest a cake?"),
        ("assistant", "I live in the cloud."),
        ("Ben", "I moved to Oslo."),
    ):
        memory.add(text, kind="message", session="s", people=[speaker],
                   happened_at="2025-01-10T10:00:00Z")  # fmt: skip
    memory.add("Hello, my new phone number is 0170 9988.", kind="email", title="Number",
               people=[{"name": "Ana", "address": "ana@x.example"}])  # fmt: skip
    made = memory.proposals.make()
    again = memory.proposals.make()

    said = {one.proposed.text: one for one in made.proposed}
    assert said.keys() == {"I live in Hamburg.", "Hello, my new phone number is 0170 9988."}
    assert said["I live in Hamburg."].proposed.happened_at == datetime(2025, 1, 10, 10, tzinfo=UTC)
    assert said["I live in Hamburg."].proposed.note == "said by the owner, about: home"
    assert {one.by for one in made.proposed} == {"rules/1"}
    assert made.read == 4
    assert (again.proposed, again.known) == ((), 2)


def test_an_accepted_proposal_answers(open_memory: OpenMemory) -> None:
    memory = open_memory(embedder=None)
    memory.add("I'm allergic to nuts.", kind="message", people=["me"])
    [proposal] = memory.proposals.make().proposed
    memory.proposals.accept(proposal.id)

    [hit] = memory.search("allergic", filter={"kinds": ["memory"]})
    assert hit.text == "I'm allergic to nuts."


@pytest.mark.parametrize(
    "people",
    [
        [Person(name="Nora Feld", address="zed@evil.example")],
        [Person(name="me", address="zed@evil.example")],
        [Person(address="nora@feld.example"), Person(address="zed@evil.example")],
        [Person(name="user"), Person(address="zed@evil.example")],
    ],
)
def test_nobody_else_speaks_for_the_owner(open_memory: OpenMemory, people: list[Person]) -> None:
    settings = Settings(embedder="none", owner=("Nora Feld", "nora@feld.example"))
    memory = open_memory(embedder=None, settings=settings)
    memory.add("I live in Forgetown.", kind="email", people=people)
    memory.add("I live in Hamburg.", kind="email", people=[Person(address="nora@feld.example")])
    memory.add("I eat fish.", kind="message", people=[Person(name="user")])
    memory.add("I eat nuts.", kind="message", people=[Person(name="user")], metadata=UNTRUSTED)

    texts = {one.proposed.text for one in memory.proposals.make().proposed}

    assert texts == {"I live in Hamburg.", "I eat fish."}


def test_what_a_stranger_sent_replaces_nothing_of_the_owner(owner: Memory) -> None:
    owner.add(
        "I moved to Paris.", kind="memory", happened_at="2026-11-01", metadata={"_trust": "unknown"}
    )
    question = "where do I live?"
    lines = owner.brief(question, now=NOW).text.splitlines()

    assert owner.search(question, now=NOW).hits[0].text == "I moved to Berlin."
    assert not any("replace" in line and "Paris" in line for line in lines)
    assert not any("replaced on Sun 1 Nov" in line for line in lines)
