"""Compounds are found by their last words, and split where both parts are known."""

import pytest

from simonides.text.analyse import analyse
from simonides.text.compounds import compound_parts


@pytest.mark.parametrize(
    ("word", "known", "parts"),
    [
        ("zahnarzttermin", "zahnarzt termin", ("zahnarzt", "termin")),
        ("arbeitsvertrag", "arbeit vertrag", ("arbeit", "vertrag")),
        ("sonnenschirm", "sonne schirm", ("sonne", "schirm")),
        ("verjaardagsfeest", "verjaardag feest", ("verjaardag", "feest")),
        ("mietvertrag", "vertrag", ()),
        ("termin", "ter min", ()),
        ("haus", "haus", ()),
        ("", "", ()),
    ],
)
def test_a_compound_gives_the_parts_that_are_known(
    word: str, known: str, parts: tuple[str, ...]
) -> None:
    assert compound_parts(word, known.split().__contains__) == parts


def test_the_most_even_split_comes_first() -> None:
    known = {"haus", "haustier", "arzt", "tierarzt"}

    assert compound_parts("haustierarzt", known.__contains__) == ("haus", "tierarzt")
    assert compound_parts("haustierarzt", (known - {"haus"}).__contains__) == ("haustier", "arzt")


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("Mietvertrag", "mietvertrag vertrag trag"),
        ("Stromrechnung", "stromrechn rechnung"),
        ("Hautarzt", "hautarzt tarzt arzt"),
        ("Unterschrift", "unterschrift erschrift schrift"),
        ("Vertrag", "vertrag"),
        ("Mietvertrag-2", "mietvertrag-2 mietvertrag vertrag trag 2 mietvertrag2"),
        ("Kx4031vertrag", "kx4031vertrag"),
    ],
)
def test_its_last_words_are_terms_where_a_syllable_may_begin(word: str, terms: str) -> None:
    assert analyse(word, "de") == terms.split()


def test_in_english_a_word_is_one_term() -> None:
    assert analyse("breakfast", "en") == ["breakfast"]
