"""Compounds are split where both parts are known."""

import pytest

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
