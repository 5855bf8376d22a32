"""What people say of themselves, in eleven languages, and which matter it is about."""

import pytest

from simonides.text.statements import matter_of, own_statements, tells_own_change

STATES = """
home    | I live in Hamburg. | I'm based in Lisbon. | Ich wohne in Hamburg. | J'habite à Paris.
home    | Vivo en Madrid. | Vivo a Roma. | Moro em Lisboa. | Ik woon in Gent.
home    | 我住在北京。 | 東京に住んでいます。 | Mieszkam w Poznaniu. | Я живу в Казани.
home    | My address is Lindenweg 4. | Meine Adresse ist Lindenweg 4.
work    | I work at Acme. | I'm a nurse. | Ich arbeite bei Acme. | Je travaille chez Acme.
work    | Trabajo en Acme. | Ik werk bij Acme. | Pracuję w Acme. | Я работаю в Acme.
phone   | My phone number is 0151 1234. | Meine Handynummer ist 0151 1234.
phone   | 私の電話番号は1234です。
doctor  | My doctor is Dr Yilmaz. | Mein Hausarzt ist Dr. Yilmaz. | Mon médecin est le Dr Ay.
diet    | I'm vegetarian. | Ich bin Vegetarier. | Soy vegetariana. | Sono vegetariano.
partner | My girlfriend is called Anna. | Meine Frau heißt Anna. | Mi novia se llama Ana.
"""

CHANGES = """
home    | I moved to Berlin. | We have relocated to Munich. | Ich bin nach Berlin gezogen.
home    | J'ai déménagé à Lyon. | Me mudé a Sevilla. | Mi sono trasferita a Milano.
home    | Mudei-me para o Porto. | Ik ben verhuisd naar Brugge. | 我搬到上海了。
home    | 大阪に引っ越しました。 | Przeprowadziłam się do Gdańska. | Мы переехали в Тулу.
work    | I started a new job at Globex. | Ich habe eine neue Stelle bei Globex.
phone   | I have a new phone number: 0170 9988. | Ich habe eine neue Nummer.
doctor  | I switched to Dr Brandt.
diet    | I eat fish again. | Ich esse wieder Fisch.
partner | Anna and I broke up. | Wir haben uns getrennt.
"""


def rows(table: str) -> list[tuple[str, str]]:
    parts = [line.split("|") for line in table.strip().splitlines()]
    return [(matter.strip(), one.strip()) for matter, *said in parts for one in said]


@pytest.mark.parametrize(("matter", "text"), rows(STATES) + rows(CHANGES))
def test_a_statement_is_of_a_matter(matter: str, text: str) -> None:
    assert matter_of(text) == matter
    assert list(own_statements(text)) == [text]


@pytest.mark.parametrize("text", [text for _, text in rows(CHANGES)])
def test_a_change_is_reported(text: str) -> None:
    assert tells_own_change(text)


@pytest.mark.parametrize(
    "text",
    ["Ben moved to Berlin.", "Ben is vegetarian.", "The meeting moved to Friday.", "Anna works.",
     "Do I live far away?", "I'd move to Berlin if I could.", "If I moved to Berlin, I'd tell you.",
     "Wenn ich nach Berlin gezogen wäre", "The weather is fine.", "I like that.", ""],
)  # fmt: skip
def test_what_others_do_and_what_is_asked_or_supposed_is_no_statement(text: str) -> None:
    assert list(own_statements(text)) == []


def test_only_the_plain_sentences_of_a_text_are_taken() -> None:
    text = (
        "Hi Ana, I live in Hamburg now. Do I live far away? If I moved to Berlin I would tell you. "
        f"I'm allergic to nuts. I prefer tea {'and tea ' * 60}."
    )

    assert list(own_statements(text)) == ["Hi Ana, I live in Hamburg now.", "I'm allergic to nuts."]
