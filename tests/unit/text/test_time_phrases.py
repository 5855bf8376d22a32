"""Phrases of time in eight languages: each is read as what it says in English, and as a whole."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from simonides.model.answer import TimeRange
from simonides.text.dates import asks_when, find_ranges, time_direction

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=ZoneInfo("Europe/Vienna"))
TABLES = sorted((Path(__file__).parent / "time_phrases").glob("*.txt"))
PHRASES = [
    pytest.param(*line.split(" = "), id=f"{table.stem}: {line.split(' = ')[0]}")
    for table in TABLES
    for line in table.read_text("utf-8").splitlines()
]


def read(text: str) -> list[TimeRange]:
    return [found.range for found in find_ranges(text, now=NOW, timezone="Europe/Vienna")]


def test_each_language_has_sixty_phrases() -> None:
    counts = {table.stem: len(table.read_text("utf-8").splitlines()) for table in TABLES}

    assert sorted(counts) == ["de", "es", "fr", "it", "ja", "nl", "pt", "zh"]
    assert min(counts.values()) >= 60


@pytest.mark.parametrize(("phrase", "english"), PHRASES)
def test_a_phrase_is_read_as_its_english_whole(phrase: str, english: str) -> None:
    [wanted] = read(english)
    [found] = read(phrase)

    assert (found.since, found.until) == (wanted.since, wanted.until)
    assert len(found.text) >= 0.5 * len(phrase)


@pytest.mark.parametrize(
    "question",
    [
        "Wann ist der Termin?", "Bis wann ist das fällig?", "Wie lange dauert der Umbau?",
        "um wie viel Uhr kommt er", "um wieviel Uhr kommt er",
        "Quand est la réunion ?", "À quelle heure part le train ?", "Depuis quand est-il malade ?",
        "¿Cuándo es la reunión?", "¿A qué hora sale el tren?", "Quando è la riunione?",
        "A che ora parte il treno?", "Quando é a reunião?", "Que dia é a consulta?",
        "Wanneer is de afspraak?", "Hoe laat vertrekt de trein?", "会議はいつですか?",
        "何時に出発?",
        "什么时候开会?", "火车几点开?",
    ],
)  # fmt: skip
def test_a_question_after_a_time_is_known_in_each_language(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize(
    "question",
    [
        "Wer kommt zum Essen?", "J'étais malade quand il est venu ?", "Chi viene a cena?",
        "¿Quién viene a cenar?", "Wie komt er eten?", "誰が来ますか?", "谁来吃饭?",
    ],
)  # fmt: skip
def test_other_questions_ask_for_no_time(question: str) -> None:
    assert not asks_when(question)


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("die neueste Mail von Ben", "newest"), ("zuletzt gekauft", "newest"),
        ("der ursprüngliche Preis", "oldest"), ("der nächste Termin", "next"),
        ("le dernier mail de Ben", "newest"), ("le premier devis", "oldest"),
        ("la prochaine réunion", "next"), ("el último correo", "newest"),
        ("la primera oferta", "oldest"), ("la próxima reunión", "next"),
        ("l'ultima mail", "newest"), ("il primo preventivo", "oldest"),
        ("o último e-mail", "newest"), ("a primeira proposta", "oldest"),
        ("de laatste mail", "newest"), ("de oorspronkelijke prijs", "oldest"),
        ("de eerstvolgende afspraak", "next"), ("最新のメール", "newest"),
        ("最初の見積もり", "oldest"),
        ("次回の会議", "next"), ("最新的邮件", "newest"), ("最初的报价", "oldest"),
        ("下次会议", "next"),
        ("wer ist der Vermieter", ""), ("où est la clé", ""), ("鍵はどこ", ""),
    ],
)  # fmt: skip
def test_the_end_of_time_that_is_asked_for_is_known_in_each_language(
    question: str, direction: str
) -> None:
    assert time_direction(question, ())[0] == direction
