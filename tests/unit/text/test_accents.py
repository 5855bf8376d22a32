"""Names without accents, and what is no accent."""

import unicodedata

import pytest

from simonides.text.accents import with_digraphs, with_umlauts, without_accents


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("tomas", "tomas"), ("tomáš", "tomas"), ("dvořák", "dvorak"), ("müller", "muller"),
        ("søren", "soren"), ("łukasz", "lukasz"), ("đorđe", "dorde"), ("æther", "aether"),
        ("toma\u0301s", "tomas"), ("ёлка", "елка"), ("νίκος", "νικος"),
    ],
)  # fmt: skip
def test_an_accent_is_dropped(word: str, plain: str) -> None:
    assert without_accents(word) == plain


@pytest.mark.parametrize("word", ["हिन्दी", "日本", "がぎ", "한국", "שָׁלוֹם", "straße"])
def test_what_is_no_accent_stays(word: str) -> None:
    assert without_accents(word) == unicodedata.normalize("NFC", word)


@pytest.mark.parametrize(
    ("word", "marked"),
    [
        ("koeln", "köln"), ("fuer", "für"), ("mobilitaet", "mobilität"), ("neue", "neue"),
        ("frauen", "frauen"), ("bequem", "bequem"), ("teuer", "teuer"), ("plain", "plain"),
    ],
)  # fmt: skip
def test_digraphs_are_read_as_umlauts(word: str, marked: str) -> None:
    assert with_umlauts(word) == marked
    assert with_digraphs(marked) == word
