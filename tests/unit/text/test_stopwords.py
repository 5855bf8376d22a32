from importlib.resources import files

import pytest

from simonides.text.analyse import words
from simonides.text.language import CUT_AT_CHARS, STEMMERS
from simonides.text.stopwords import LISTED, stop_words
from simonides.text.unicode_script import fold

CONTENT = (
    "work day days new first last year month week time people person thing ill may march good home "
    "house job love name man woman friend family money need want think know see call send mail"
)


def test_there_is_a_file_for_each_listed_language_and_no_other() -> None:
    here = files("simonides.text.stopwords")
    found = {entry.name[:-4] for entry in here.iterdir() if entry.name.endswith(".txt")}

    assert found == set(LISTED)


@pytest.mark.parametrize("language", LISTED)
def test_a_list_is_sorted_without_repeats_and_of_sane_size(language: str) -> None:
    path = files("simonides.text.stopwords").joinpath(f"{language}.txt")
    lines = path.read_text(encoding="utf-8").splitlines()

    assert lines == sorted(set(lines))
    assert 40 <= len(lines) <= 150


@pytest.mark.parametrize("language", LISTED)
def test_every_entry_is_one_word_as_the_analysis_cuts_it(language: str) -> None:
    for word in stop_words(language):
        assert words(word) == [word]
        assert fold(word) == word


@pytest.mark.parametrize("language", LISTED)
def test_words_of_every_listed_language_are_stemmed_or_cut(language: str) -> None:
    assert language in {*STEMMERS, *CUT_AT_CHARS}


def test_english_content_words_are_not_stopped() -> None:
    assert stop_words("en").isdisjoint(CONTENT.split())


@pytest.mark.parametrize(
    "word", "what when who did does was you your i me my tell the of to don't dont".split()
)
def test_english_function_words_are_stopped(word: str) -> None:
    assert word in stop_words("en")


def test_a_language_without_a_list_stops_nothing() -> None:
    assert stop_words("zh") == frozenset()
    assert stop_words("../en") == frozenset()
