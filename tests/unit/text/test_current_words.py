"""Whether a question asks how things stand now or ended, in six languages."""

import pytest

from simonides.text.questions import asks_for_current


@pytest.mark.parametrize(
    "question",
    [
        "What do I take in the morning these days?",
        "how much is the renovation costing us now",
        "is the gate code still the same?",
        "where did we end up holding it",
        "What did they agree on in the end?",
        "final head count?",
        "as things stand, which day does it arrive",
        "where do we stand with the lease",
        "wie ist der aktuelle Preis",
        "was haben wir am Ende beschlossen",
        "quel est le prix actuellement",
        "où en est-on aujourd\u2019hui",
        "¿cuánto cuesta ahora?",
        "qual é o preço atual",
        "quanto costa adesso",
        "alla fine quanto abbiamo pagato",
    ],
)
def test_a_question_of_how_things_stand(question: str) -> None:
    assert asks_for_current(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did Sarah say about the lease?",
        "snow in Oslo",
        "the nowhere-man song",
        "where does the bus stop",
        "who wrote the finals list",
        "wann war das Treffen",
        "",
    ],
)
def test_another_question(question: str) -> None:
    assert not asks_for_current(question)
