"""In which language items are kept that are too short to tell it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Item, Memory, Settings

GERMAN = "Wir haben gestern im Hafen mit der Verwaltung gesprochen und das ist sehr gut"
ENGLISH = "We have spoken with the people of the harbour and it is all very good for us"
TITLES = """
Zahnarzt mit Frieda
Elternabend in der Schule
Fest bei den Nachbarn im Garten
Fahrt nach Hamburg und zur Insel
Termin für die Heizung
Premiere im Theater
Essen mit der Familie
Ferien auf dem Hof
Karten für das Konzert
Besuch bei der Oma und dem Opa
Frühstück mit den Kollegen
Konzert in der Kirche
Treffen mit der Lehrerin
Ausflug an den See
"""


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path, settings=Settings(embedder="none", durability="relaxed"))


def languages(memory: Memory) -> dict[str, str]:
    return {item.content or item.title: item.language for item in memory.list(limit=500).items}


def test_a_short_text_is_in_the_language_of_what_came_with_it(memory: Memory) -> None:
    memory.add(["schick mir das", GERMAN])

    assert set(languages(memory).values()) == {"de"}


def test_a_short_text_is_in_the_language_of_what_was_stored_before(memory: Memory) -> None:
    memory.add("ok danke")
    memory.add(GERMAN)
    memory.add("bis gleich")

    assert languages(memory) == {"ok danke": "en", GERMAN: "de", "bis gleich": "de"}


def test_what_is_kept_again_stays_in_its_language(memory: Memory) -> None:
    memory.add("bis gleich", source_id="1")
    memory.add(GERMAN)

    again = memory.add("bis gleich", source_id="1")

    assert again.change == "unchanged"
    assert languages(memory)["bis gleich"] == "en"


def test_short_texts_of_one_source_are_read_as_one(memory: Memory) -> None:
    titles = TITLES.strip().split("\n")
    events = [Item(content=title, source="calendar", source_id=title) for title in titles]

    memory.add([*events, *(f"{ENGLISH}, {n}" for n in range(9)), "see you there"])

    found = languages(memory)
    assert {found[title] for title in titles} == {"de"}
    assert found["see you there"] == "en"


def test_figures_names_and_a_stray_word_do_not_make_a_language(memory: Memory) -> None:
    short = [
        (
            "| Category | Jan | Feb | Total |\n| Rent | 1285 | 1285 |\n| Food | 412.35 | 388.9 |\n"
            "| Electricity | 96 | 96 |\n| Piano lessons | 120 | 90 |\n| Tom | 20 | 20 | 40 |"
        ),
        "Dear Sirs,\n\nflight LX 1578 on 6 January was delayed by 5 hours; I claim 250 €.",
        "Only one page now",
        "Anna 12, Tom 14, Ola 15, Bo 7, Jan 9, Tak 3, Ania 4, Marek 5, Piotr 6, Zofia 8, Ewa 2",
        "Kowalski Nowak Wisniewska Lewandowski Kaminski Zielinski Szymanski Wozniak Dabrowski",
    ]

    memory.add([*short, *(f"{ENGLISH}, {n}" for n in range(5))])

    assert set(languages(memory).values()) == {"en"}


def test_among_two_languages_a_short_text_is_in_that_of_its_words(memory: Memory) -> None:
    long = [f"{GERMAN}, {n}" for n in range(4)] + [f"{ENGLISH}, {n}" for n in range(3)]

    memory.add([*long, "Book train to Ghent", "Fahrt zur Insel", "Roadmap 2"])

    found = languages(memory)
    assert found["Book train to Ghent"] == "en"
    assert found["Fahrt zur Insel"] == found["Roadmap 2"] == "de"


@pytest.mark.parametrize(
    "settings", [{"language": "fi"}, {"language": "fi", "detect_language": False}]
)
def test_what_nothing_tells_is_in_the_language_of_the_settings(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    memory = Memory(tmp_path, settings=Settings(embedder="none", durability="relaxed", **settings))
    memory.add("ok")

    assert languages(memory) == {"ok": "fi"}


def calendar(*titles: str) -> str:
    events = "".join(
        f"BEGIN:VEVENT\nUID:{n}\nDTSTART:202603{n:02}T100000Z\nDTEND:202603{n:02}T110000Z\n"
        f"SUMMARY:{title}\nLOCATION:Room {n}\nEND:VEVENT\n"
        for n, title in enumerate(titles, start=1)
    )
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{events}END:VCALENDAR\n"


def tasks(*titles: str) -> str:
    return calendar(*titles).replace("VEVENT", "VTODO").replace("DTEND", "DUE")


@pytest.mark.parametrize("form", [calendar, tasks])
@pytest.mark.parametrize(
    ("titles", "language"),
    [
        (TITLES.strip().split("\n"), "de"),
        (["Стоматолог", "Забрать посылку"], "ru"),
        (["歯医者さん", "町内会のそうじ"], "ja"),
    ],
)
def test_an_event_and_a_task_are_in_the_language_of_their_own_words(
    memory: Memory,
    tmp_path: Path,
    form: Callable[..., str],
    titles: list[str],
    language: str,
) -> None:
    (tmp_path / "own.ics").write_text(form(*titles), "utf-8")
    report = memory.import_(tmp_path / "own.ics")

    assert report.languages == {language: len(titles)}
