"""What the words of a question steer, in each language that has a file."""

from collections.abc import Iterator
from typing import Any

import pytest

from simonides import Memory, Plan, Settings
from simonides.model.item import Kind
from simonides.text.questions import (
    asks_assistant,
    asks_for_current,
    asks_nothing,
    asks_own_words,
    is_question,
    says_changed,
)

TEXTS = {
    "de": "Der Vermieter hat geschrieben, dass die Miete ab Januar nicht mehr so hoch ist.",
    "fr": "Le propriétaire a écrit que le loyer ne sera plus aussi élevé dans la maison.",
    "es": "El casero ha escrito que el alquiler de la casa ya no será tan alto como antes.",
    "it": "Il padrone di casa ha scritto che l'affitto della casa non sarà più così alto.",
    "pt": "O senhorio escreveu que a renda da casa não vai ser mais tão alta como antes.",
    "nl": "De huisbaas heeft geschreven dat de huur van het huis niet meer zo hoog zal zijn.",
    "ja": "大家さんから、家賃はもうそんなに高くならないと連絡がありました。",
    "zh": "房东写信说从一月起房租不会再那么高了。",
}


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as opened:
        for language, text in TEXTS.items():
            opened.add(text, source_id=language, language=language)
        opened.add("Lunch", kind="event", source="calendar", happened_at="2026-03-05T12:00:00Z")
        yield opened


def plan(memory: Memory, question: str) -> Plan:
    return memory.search(question, now="2026-03-04T09:00:00Z").plan


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("die E-Mails von Ben", "email"), ("Datei mit dem Vertrag", "document"),
        ("Termine", "event"),
        ("meine Aufgaben", "task"), ("le courriel de Ben", "email"), ("mes tâches", "task"),
        ("los correos de Ben", "email"), ("la posta di Ben", "email"), ("as reuniões", "event"),
        ("de vergaderingen met Ben", "event"), ("het bestand van Ben", "document"),
        ("ベンからのメール", "email"), ("来週の会議", "event"), ("契約書のファイル", "document"),
        ("本的邮件", "email"), ("下周的会议", "event"), ("合同的文件", "document"),
    ],
)  # fmt: skip
def test_a_word_points_to_a_kind(memory: Memory, question: str, kind: str) -> None:
    assert kind in plan(memory, question).kinds


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("was habe ich dem Vermieter geschrieben?", True), ("wo sind meine Schlüssel", True),
        ("où sont mes clés dans la maison ?", True), ("¿dónde están mis llaves?", True),
        ("dove sono le mie chiavi nella casa?", True), ("onde estão as minhas chaves?", True),
        ("waar zijn mijn sleutels in het huis?", True), ("私の鍵はどこ?", True),
        ("我的钥匙在哪里?", True),
        ("was hat der Vermieter geschrieben?", False), ("鍵はどこ?", False), ("钥匙在哪里?", False),
        ("¿qué pasó en el mes de mayo?", False),
    ],
)  # fmt: skip
def test_who_asks_of_themselves_is_known(memory: Memory, question: str, *, asks: bool) -> None:
    assert plan(memory, question).first_person is asks


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("offene Aufgaben", "open"), ("tâches en retard", "overdue"), ("tareas pendientes", "open"),
        ("tarefas pendentes", "open"), ("openstaande taken", "open"), ("afgeronde taken", "done"),
        ("compiti completati", "done"),
    ],
)  # fmt: skip
def test_the_state_of_tasks_is_known(memory: Memory, question: str, state: str) -> None:
    assert plan(memory, question).task_state == state


@pytest.mark.parametrize(
    "question",
    ["was ist fällig", "ce qui est prévu demain", "wat is er gepland", "明日の予定", "明天的日程"],
)
def test_a_question_after_the_agenda_is_known(memory: Memory, question: str) -> None:
    assert plan(memory, question).asks_agenda


@pytest.mark.parametrize(
    ("question", "is_list"),
    [
        ("was muss ich bis Mittwoch erledigen?", True),
        ("was muss ich nächste Woche noch machen?", True),
        ("wat moet ik voor vrijdag nog doen?", True),
        ("was muss ich mit dem Auto machen?", False),
        ("wat moet ik met de auto doen?", False),
    ],
)
def test_a_time_may_stand_inside_of_what_is_still_to_do(
    memory: Memory, question: str, *, is_list: bool
) -> None:
    assert (Kind.TASK in plan(memory, question).kinds) is is_list


@pytest.mark.parametrize(
    ("knows", "yes", "no"),
    [
        (asks_for_current, "wie ist es momentan", "wie war es"),
        (asks_for_current, "wat is de huidige prijs", "wat was de prijs"),
        (asks_for_current, "現在の住所は?", "住所は?"),
        (asks_for_current, "最终决定了什么", "说了什么"),
        (says_changed, "de afspraak is verzet naar maandag", "de afspraak is op maandag"),
        (says_changed, "会議は金曜に変更", "会議は金曜"),
        (says_changed, "会议改到周五", "会议在周五"),
        (asks_own_words, "heb ik dat aan Ben geschreven", "heeft Ben dat geschreven"),
        (asks_assistant, "wat heb je me aangeraden", "wat heeft Ben gezegd"),
        (is_question, "waarom is de rekening zo hoog", "de rekening is hoog"),
    ],
)
def test_what_a_text_says_or_asks_is_known(knows: Any, yes: str, no: str) -> None:
    assert knows(yes)
    assert not knows(no)


def test_greetings_ask_nothing() -> None:
    for words in ("guten morgen", "dank je", "buenos días", "谢谢", "ありがとう"):
        assert asks_nothing(words.split())
    assert not asks_nothing("wo ist ben".split())
