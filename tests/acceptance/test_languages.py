"""Questions and items in other languages than English, with the packaged models, as a user asks."""

from collections.abc import Iterator

import pytest

from simonides import Memory, Settings

DESK = {
    "rent": "Der Vermieter möchte die Miete ab Januar um achtzig Euro erhöhen.",
    "baby": "Meine Schwester hat heute Morgen eine Tochter bekommen, beiden geht es gut.",
    "train": "Der Zug nach Rügen fährt von Gleis vier, Abfahrt um neun.",
    "tooth": "Die Zahnärztin hat die Wurzelbehandlung auf Donnerstag verschoben.",
    "server": "During the night the server ran out of disk space and all backups failed.",
    "boiler": "The boiler man comes on Tuesday to replace the valve.",
    "roof": "Les tuiles du toit seront remplacées après les vacances.",
    "soup": "最後にニンニクを入れないとスープが苦くなる。",
}


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=Settings(timezone="UTC", embedder="minilm")) as opened:
        for name, text in DESK.items():
            opened.add(text, source="note", source_id=name)
        yield opened


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Wer will mehr Geld für die Wohnung?", "rent"),
        ("Who wants more money for the flat?", "rent"),
        ("Gab es Nachwuchs in der Familie?", "baby"),
        ("Is there a newborn in the family?", "baby"),
        ("wann reisen wir ans Meer", "train"),
        ("When is my dental treatment?", "tooth"),
        ("Warum gibt es keine Sicherungskopien?", "server"),
        ("pourquoi n'y a-t-il pas de sauvegarde ?", "server"),
        ("Wer repariert die Heizung?", "boiler"),
        ("Wann wird das Haus oben neu gedeckt?", "roof"),
        ("How do I keep the broth from turning bitter?", "soup"),
        ("スープの味で気をつけることは?", "soup"),
        ("家賃はどうなる?", "rent"),
    ],
)
def test_what_answers_is_among_the_first_in_any_language(
    memory: Memory, question: str, wanted: str
) -> None:
    found = memory.search(question, limit=3)

    assert wanted in [hit.item.source_id for hit in found.hits]
    assert wanted in [hit.item.source_id for hit in memory.search(question, mode="vector", limit=3)]


def test_a_brief_hands_it_over(memory: Memory) -> None:
    brief = memory.brief("Wer will mehr Geld für die Wohnung?", budget_tokens=120)

    assert "Vermieter" in brief.text


def test_a_space_in_english_has_the_vectors_that_it_had(memory: Memory) -> None:
    english = {name: DESK[name] for name in ("server", "boiler")}
    found = []
    for name in ("desk-minilm/2", "desk-minilm/1"):
        from simonides.models.embedding.minilm import VERSIONS, MiniLMEmbedder

        [identity] = [one for one in VERSIONS if one.model == name]
        embedder = MiniLMEmbedder(identity=identity)
        settings = Settings(timezone="UTC")
        with Memory(":memory:", settings=settings, embedder=embedder) as opened:
            for one, text in english.items():
                opened.add(text, source="note", source_id=one)
            found.append([hit.score for hit in opened.search("who repairs the heating?").hits])

    assert found[0] == found[1]
    assert memory.settings.embedder == "minilm"


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Wann ist die Wurzelbehandlung?", "tooth"),
        ("Schwestertochter", "baby"),
        ("Vermietereuro", "rent"),
    ],
)
def test_words_of_a_compound_are_found_apart(question: str, wanted: str) -> None:
    settings = Settings(timezone="UTC", embedder="none", language="de")
    with Memory(":memory:", settings=settings) as one:
        for name, text in DESK.items():
            one.add(text, source="note", source_id=name)
        found = [hit.item.source_id for hit in one.search(question).hits]

    assert found[:1] == [wanted]
