"""Phrases of time in eleven languages at fixed clocks, with the ranges that each means.

A table has a clock after `@`, then a phrase a line: its range, and where the tense is open the
further one as well. `-` is an open end; times are those of the zone of the clock.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from simonides.text.dates import asks_when, find_ranges, ranges_asked, time_direction
from simonides.text.vocabulary import LANGUAGES

TABLES = sorted((Path(__file__).parent / "time_phrases").glob("*.txt"))
Range = tuple[datetime | None, datetime | None]


def moment(shown: str, zone: ZoneInfo) -> datetime | None:
    return None if shown == "-" else datetime.fromisoformat(shown).replace(tzinfo=zone)


def rows(table: Path) -> Iterator[tuple[datetime, str, list[Range]]]:
    now = datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC"))
    for line in table.read_text("utf-8").splitlines():
        if line.startswith("@ "):
            day, hour, zone = line[2:].split()
            now = datetime.fromisoformat(f"{day} {hour}").replace(tzinfo=ZoneInfo(zone))
            continue
        phrase, *ends = line.split(" | ")
        times = [moment(end, ZoneInfo(str(now.tzinfo))) for end in ends]
        yield now, phrase, list(zip(times[::2], times[1::2], strict=True))


PHRASES = [
    pytest.param(*row, id=f"{table.stem}: {row[1]} @{row[0]:%Y-%m}")
    for table in TABLES
    for row in rows(table)
]


def test_each_language_has_as_many_phrases_as_it_is_meant_to_have() -> None:
    counts = {table.stem: len(list(rows(table))) for table in TABLES}

    assert sorted(counts) == sorted(LANGUAGES)
    assert counts["en"] >= 400
    assert min(counts.values()) >= 60


@pytest.mark.parametrize(("now", "phrase", "ranges"), PHRASES)
def test_a_phrase_means_its_ranges(now: datetime, phrase: str, ranges: list[Range]) -> None:
    matches = find_ranges(phrase, now=now, timezone=str(now.tzinfo))
    asked = ranges_asked(phrase, matches)

    assert [(one.since, one.until) for one in asked] == ranges
    assert asked[0].text in phrase


@pytest.mark.parametrize(
    "question",
    [
        "Wann ist der Termin?", "Bis wann ist das fällig?", "Wie lange dauert der Umbau?",
        "um wie viel Uhr kommt er", "um wieviel Uhr kommt er",
        "Quand est la réunion ?", "À quelle heure part le train ?", "Depuis quand est-il malade ?",
        "¿Cuándo es la reunión?", "¿A qué hora sale el tren?", "Quando è la riunione?",
        "A che ora parte il treno?", "Quando é a reunião?", "Que dia é a consulta?",
        "Wanneer is de afspraak?", "Hoe laat vertrekt de trein?", "会議はいつですか?",
        "Kiedy jest spotkanie?", "O której godzinie odjeżdża pociąg?", "Kiedy mam dentystę",
        "Когда встреча?", "До какого числа?", "Какого числа собрание?",
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
