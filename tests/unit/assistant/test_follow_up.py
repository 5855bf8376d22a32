"""Follow-up questions: what a message means after the turn before it."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import pytest

from simonides.assistant.follow_up import TurnBefore, understand

ASKED = "What did Sarah write about Alpha?"
BEFORE = TurnBefore(question=ASKED, people=("Sarah Lind",), shown=("a", "b", "c"))


@pytest.mark.parametrize(
    "message",
    ["And when?", "when?", "why", "Und wann?", "Et quand ?", "¿y cuándo?", "E quando?", "E Beta?",
     "and Beta?", "what about that?", "is it late?",
     "en wanneer?", "A kiedy?", "а когда?", "Peki ne zaman?"],
)  # fmt: skip
def test_what_says_too_little_is_asked_of_what_was_asked_before(message: str) -> None:
    assert understand(message, BEFORE).question == f"{message} ({ASKED})"


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("what did she answer?", f"what did Sarah Lind answer? ({ASKED})"),
        ("und was hat sie geantwortet?", f"und was hat sie geantwortet? ({ASKED})"),
        ("What is her phone number?", "What is Sarah Lind phone number?"),
        ("wann kommt ihr Zug an?", "wann kommt Sarah Lind Zug an?"),
        ("wat schreef zij?", f"wat schreef Sarah Lind? ({ASKED})"),
        ("co jej odpisała Ania?", "co Sarah Lind odpisała Ania?"),
        ("а что она ответила?", f"а что Sarah Lind ответила? ({ASKED})"),
        ("onun telefon numarası ne?", "Sarah Lind telefon numarası ne?"),
    ],
)
def test_pronouns_are_the_person_of_the_turn_before(message: str, question: str) -> None:
    assert understand(message, BEFORE).question == question


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("the second one", ("b",)), ("show me the third mail please", ("c",)), ("[1]", ("a",)),
        ("open number 2", ("b",)), ("#3", ("c",)), ("the last one?", ("c",)),
        ("die zweite", ("b",)), ("le deuxième", ("b",)), ("el segundo", ("b",)),
        ("a segunda", ("b",)), ("il terzo", ("c",)),
        ("de tweede", ("b",)), ("pokaż trzeci mail", ("c",)), ("вторую", ("b",)),
        ("son mesaj", ("c",)),
 ("compare [1] and [3]", ("a", "c")),
        ("the fourth one", ()), ("[7]", ()),
        ("what is the second milestone of the Beta plan?", ()),
    ],
)  # fmt: skip
def test_lines_of_the_answer_before_are_named_by_number(
    message: str, meant: tuple[str, ...]
) -> None:
    assert understand(message, BEFORE).meant == meant


@pytest.mark.parametrize(
    "message",
    ["When does the ferry to Elba leave?", "Who is Tom Berger?",
     "and please tell me everything that you know of the harbor pilot in April"],
)  # fmt: skip
def test_a_question_that_says_what_it_is_about_stands_alone(message: str) -> None:
    assert understand(message, BEFORE).question == message


@pytest.mark.parametrize("message", ["And when?", "what did he answer?", "the second one", "[1]"])
def test_without_a_turn_before_nothing_is_read_into_a_message(message: str) -> None:
    found = understand(message, TurnBefore())

    assert (found.question, found.meant) == (message, ())


def test_the_answer_to_a_question_back_belongs_to_what_was_asked() -> None:
    before = TurnBefore(question="When is the launch?", pending="Which launch do you mean?")

    assert understand("Harbor", before).question == "Harbor (When is the launch?)"
    assert understand("Harbor", TurnBefore(question="When is it?")).question == "Harbor"
