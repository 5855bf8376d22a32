"""Items with a compound that is written as one word are found by its last word."""

import pytest

from simonides import Item, Memory

SAID = {
    "hut": "Am Samstag gehen wir zur Lackenhütte und bleiben dort bis Sonntag.",
    "doctor": "Der Zahnarzttermin von Jana ist am Montag, danach hole ich sie ab.",
    "policy": "Die Haftpflichtversicherungen haben wir im Frühjahr gekündigt.",
    "ticket": "Wir haben zwei Eintrittskarten für das Konzert in der Kirche.",
    "fine": "De verkeersboete hebben we vorige week betaald, zei mijn broer.",
    "trip": "After breakfast we went to the grasshopper museum with the children.",
}


@pytest.mark.parametrize(
    ("query", "item"),
    [
        ("welche Hütte?", "hut"),
        ("der Termin?", "doctor"),
        ("unsere Versicherung?", "policy"),
        ("die Karten?", "ticket"),
        ("hoe hoog was de boete?", "fine"),
    ],
)
def test_a_compound_is_found_by_its_last_word(memory: Memory, query: str, item: str) -> None:
    assert found_by_terms(memory, query) == [item]


@pytest.mark.parametrize("query", ["is it fast?", "a hopper?", "eine Hose?", "Tritt?", "Karton?"])
def test_other_words_do_not_find_it(memory: Memory, query: str) -> None:
    assert found_by_terms(memory, query) == []


def found_by_terms(memory: Memory, query: str) -> list[str]:
    """Return the items found by whole terms; where none is, parts of any words are looked for."""
    memory.add([Item(id=name, content=text) for name, text in SAID.items()])
    hits = memory.search(query, mode="text").hits
    return [hit.id for hit in hits if "lexical" in hit.explanation.lanes]
