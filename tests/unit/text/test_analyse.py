# ruff: noqa: RUF001  letters that look like others are meant as they stand
import threading

import pytest

from simonides.text import analyse as analysis
from simonides.text import terms
from simonides.text.analyse import (
    analyse,
    clear_caches,
    join_numbers,
    query_terms,
    term_keys,
    words,
)
from simonides.text.terms import KEY_BYTES, term_key


def test_words_are_folded_stemmed_and_freed_of_stop_words() -> None:
    assert analyse("What did the Gardeners say about DEPLOYING?") == ["garden", "say", "deploy"]


def test_a_term_is_repeated_as_often_as_it_occurs() -> None:
    assert analyse("lamp, lamps and a lamp") == ["lamp", "lamp", "lamp"]


@pytest.mark.parametrize("text", ["Sarah's plan", "Sarah’s plan", "SARAH'S PLAN"])
def test_a_possessive_is_taken_off(text: str) -> None:
    assert analyse(text) == ["sarah", "plan"]


@pytest.mark.parametrize("text", ["don't", "don’t", "dont", "I'm", "you’re", "What's"])
def test_contractions_are_stop_words_with_and_without_their_apostrophe(text: str) -> None:
    assert analyse(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALPHA-123", ["alpha-123", "alpha", "123", "alpha123"]),
        ("(ALPHA-123's)", ["alpha-123", "alpha", "123", "alpha123"]),
        ("KX_4031-F", ["kx_4031-f", "kx", "4031", "f", "kx4031f"]),
        ("24/7 1-2", ["24/7", "24", "7", "1-2", "1", "2"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("e-mail", ["e-mail", "email", "e", "mail"]),
        ("state-of-the-art", ["state-of-the-art", "state", "art"]),
        ("c++ C# notepad++", ["c++", "c#", "notepad++", "notepad"]),
        ("heading# #tag @ann", ["head", "tag", "ann"]),
        ("v2.1", ["v2.1", "v2", "1"]),
        ("3.14", ["3.14", "3", "14"]),
        ("10:30", ["10:30", "10", "30"]),
        ("2024-03-14", ["2024-03-14", "2024", "03", "14"]),
        ("1,500.00", ["1,500.00", "1500.00", "1500"]),
        ("1.500,00", ["1.500,00", "1500.00", "1500"]),
        ("12,000", ["12,000", "12000"]),
        ("AT&T", ["at&t", "t"]),
        ("river/bank", ["river", "bank"]),
        ("src/lamp/main.py", ["src/lamp/main.py", "src", "lamp", "main.py", "main", "py"]),
        ("lamp,river", ["lamp", "river"]),
        ("note:lamp", ["note", "lamp"]),
        ("wait...lamp", ["wait", "lamp"]),
        ("word--lamp", ["word", "lamp"]),
    ],
)
def test_identifiers_are_found_whole_in_parts_and_without_separators(
    text: str, expected: list[str]
) -> None:
    assert analyse(text) == expected


def test_an_address_is_found_whole_by_its_name_and_by_its_domain() -> None:
    found = analyse("Write to <Ann.Lee+news@Example.com>.")

    assert found[1] == "ann.lee+news@example.com"
    assert {"ann.lee", "ann", "lee", "example.com"} <= set(found)


def test_a_web_address_is_found_without_scheme_and_closing_mark() -> None:
    with_scheme = analyse("See https://www.example.com/garden/lamp?x=7.")

    assert with_scheme[1] == "example.com/garden/lamp?x=7"
    assert {"example.com", "garden", "lamp", "7"} <= set(with_scheme)
    assert "https" not in with_scheme


def test_a_number_is_found_however_its_thousands_are_set() -> None:
    assert set(analyse("1500")) <= set(analyse("1,500.00")) & set(analyse("1.500,00"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("研究について", ["研究", "究に", "につ", "つい", "いて"]),
        ("字", ["字"]),
        ("AI研究", ["ai", "研究"]),
        ("한국어", ["한국", "국어"]),
        ("ไทย", ["ไท", "ทย"]),
        ("ｶﾞｽ", ["ガス"]),
    ],
)
def test_scripts_without_spaces_give_pairs(text: str, expected: list[str]) -> None:
    assert analyse(text, "ja") == expected


def test_emoji_are_terms_without_joiners_and_skin_tones() -> None:
    assert analyse("👍🏽 ❤️ 🇩🇪 👩\u200d👧") == ["👍", "❤", "🇩🇪", "👩", "👧"]


def test_marks_stay_with_their_letters() -> None:
    assert words("हिन्दी e\u0301tude") == ["हिन्दी", "étude"]


def test_letters_are_folded_alike() -> None:
    assert analyse("STRASSE", "de") == analyse("straße", "de")
    assert analyse("İstanbul") == analyse("istanbul")
    assert analyse("ﬁne Ⅳ x²") == ["fine", "iv", "x2"]


def test_french_and_italian_articles_fall_off() -> None:
    assert analyse("l'hôtel d’Annecy", "fr") == analyse("hôtel Annecy", "fr")
    assert analyse("dell'albergo", "it") == analyse("albergo", "it")
    assert analyse("aujourd'hui") == ["aujourd'hui"]


@pytest.mark.parametrize("text", ["", " \n", "\x00", "\ud800", "...", "__", "''", "\u0301"])
def test_what_has_no_word_has_no_term(text: str) -> None:
    assert analyse(text) == []
    assert words(text) == []
    assert query_terms(text, ["en"]) == ()


def test_a_nul_parts_words() -> None:
    assert analyse("river\x00lamp\ud800stone") == ["river", "lamp", "stone"]


def test_a_word_beyond_measure_is_kept_as_it_is() -> None:
    assert analyse("lamps" * 100) == ["lamps" * 100]


def test_a_language_without_list_or_stemmer_keeps_words() -> None:
    assert analyse("The lamps", "xx") == ["the", "lamps"]


def test_turkish_words_are_found_in_all_their_forms() -> None:
    for forms in (
        "çanta çantası çantalar çantayı",
        "fatura faturası faturayı",
        "toplantıya toplantısı",
    ):
        assert len({analyse(form, "tr")[0] for form in forms.split()}) == 1, forms


def test_words_are_neither_stopped_nor_stemmed() -> None:
    assert words("The Lamps' and Ann's e-mail, don’t") == [
        *("the", "lamps", "and", "ann", "e", "mail", "don't")
    ]
    assert words("東京で lamp") == ["東京", "京で", "lamp"]


def test_a_question_gives_distinct_terms_in_order() -> None:
    asked = query_terms("Which deployments did Ann deploy, and did Ann deploy the lamp?", ["en"])

    assert [term.text for term in asked] == ["deployments", "ann", "lamp"]
    assert asked[0].keys == (term_key("deploy"),)


def test_languages_that_stem_differently_give_one_term_several_keys() -> None:
    (term,) = query_terms("Häuser", ["en", "de"])

    assert term.keys == tuple(map(term_key, ("häuser", "haus", "hauser", "haeuser")))
    assert query_terms("Lamp", ["en", "de"])[0].keys == (term_key("lamp"),)


def test_stop_words_of_the_first_language_are_left_out() -> None:
    german_first = query_terms("Wo ist der Garten?", ["de", "en"])
    english_first = query_terms("Wo ist der Garten?", ["en", "de"])

    assert [term.text for term in german_first] == ["garten"]
    assert [term.text for term in english_first] == ["wo", "ist", "der", "garten"]
    assert english_first[1].keys == (term_key("ist"),)


def test_a_question_of_stop_words_asks_for_nothing() -> None:
    assert query_terms("What was that about?", ["en"]) == ()


def test_no_key_belongs_to_two_terms() -> None:
    asked = query_terms("organisation organise organising Organisationen", ["en", "de"])
    keys = [key for term in asked for key in term.keys]

    assert len(keys) == len(set(keys))


def test_caches_are_bounded_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_RUNS_MAX", 4)
    text = "A lamp stands on every stone by the river, and no stone moves."
    clear_caches()
    before = analyse(text)

    assert len(analysis._terms_of("en")) <= 4
    assert analyse(text) == before


def test_long_runs_are_not_cached() -> None:
    clear_caches()
    analyse("x" * 41)

    assert not analysis._terms_of("en")


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("call +47 912 34 567, please", ["4791234567", "91234567"]),
        ("(0471) 123 456", ["0471123456"]),
        ("container MSKU 907032-3", ["msku9070323"]),
        ("10 000 000", ["10000000"]),
        ("12 450 33 870 22 1 5 9", []),
        ("on 12, 450 33", []),
        ("room 12 in 2026", []),
        ("+1 2", []),
    ],
)
def test_a_number_in_groups_is_found_written_together(text: str, joined: list[str]) -> None:
    assert join_numbers(text.split()) == joined
    assert set(joined) <= set(analyse(text))
    assert all(one in [term.text for term in query_terms(text, ["en"])] for one in joined)


@pytest.mark.parametrize(
    ("word", "typed"),
    [("café", "cafe"), ("Gdańsk", "gdansk"), ("Łódź", "lodz"), ("cửa", "cua"), ("Fähre", "fahre")],
)
def test_a_word_is_found_as_it_is_typed_without_its_accents(word: str, typed: str) -> None:
    assert {word.casefold(), typed} == set(analyse(word, "xx"))
    [asked] = query_terms(word, ["xx"])
    assert asked.text == word.casefold()
    assert {term_key(one) for one in analyse(typed, "xx")} <= {*asked.keys}


@pytest.mark.parametrize("language", ["en", "de", "ja", "xx"])
def test_the_keys_of_runs_are_those_of_the_terms_in_order(language: str) -> None:
    text = "Lamps,\u00a0lamps and ALPHA-123: die Lampen\n研究 e-mail the of"
    keys = term_keys(text.split(), language)

    assert [
        int.from_bytes(keys[at : at + KEY_BYTES], "little") for at in range(0, len(keys), KEY_BYTES)
    ] == list(map(term_key, analyse(text, language)))


def test_runs_without_terms_have_no_keys() -> None:
    assert term_keys([]) == term_keys(["the", "...", "of"]) == b""


def test_threads_do_not_share_a_stemmer() -> None:
    texts = [f"running lamps number{n} cities{n}x" for n in range(500)]
    clear_caches()
    expected = [analyse(text) for text in texts]
    clear_caches()
    results: list[list[list[str]]] = []
    threads = [
        threading.Thread(target=lambda: results.append([analyse(text) for text in texts]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [expected] * 4
