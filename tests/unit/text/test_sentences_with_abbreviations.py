"""Abbreviations, marks and line ends of many languages, as letters and notes have them."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import pytest

from simonides.text.sentences import mark_sentences, sentences


def split(text: str) -> list[str]:
    return [text[start:stop] for start, stop in sentences(text)]


NEVER_LAST = """
Mr Mrs Ms Mx Dr Prof Rev Fr St Messrs Gen Col Capt Lt Sgt Sen Rep Hon Gov Pres vs v cf e.g i.e eg
ie viz approx ca Fig Figs Eq Eqs Sec Ch Vol Vols No Nos p pp ed eds Art al Jan Feb Apr Aug Sept Oct
Nov Dec Mon Tue Wed Thu Fri Tel Hr Frau Herr Dipl Ing bzw z.B d.h u.a s.o s.u i.d.R o.Ä v.a vgl evtl
ggf inkl zzgl Nr Abb Kap Bd Abs sog Abt Mme Mlle chap Sr Sra Srta Ud Uds pág núm ej p.ej Sig Dott
Sigg Avv pag Mevr Dhr Drs Mw bijv o.a d.w.z blz resp t.ex bl.a s.k dvs f.eks т.е т.к и.о
"""


@pytest.mark.parametrize("word", NEVER_LAST.split())
def test_an_abbreviation_goes_on_even_before_a_capital(word: str) -> None:
    text = f"We saw {word}. Reed at the boat."

    assert split(text) == [text]
    assert split(f"({word}. Reed)") == [f"({word}. Reed)"]


SELDOM_LAST = """
etc Inc Ltd Jr Co Corp Bros a.m p.m U.S U.K E.U GmbH Dept Est min max usw u.s.w Std osv o.s.v m.m
ecc т.д т.п
"""


@pytest.mark.parametrize("word", SELDOM_LAST.split())
def test_an_abbreviation_of_both_kinds_ends_before_a_capital_only(word: str) -> None:
    assert split(f"At Reed {word}. we met.") == [f"At Reed {word}. we met."]
    assert split(f"At Reed {word}. 9 people met.") == [f"At Reed {word}. 9 people met."]
    assert split(f"At Reed {word}. We met.") == [f"At Reed {word}.", "We met."]


@pytest.mark.parametrize(
    "text",
    [
        "Am 3. Mai und am 12. Juni kommt sie.",
        "J. S. Bach and C. P. E. Bach wrote it.",
        "J.R.R. Reed wrote it.",
        "She paid 3.50 for it.",
        "Ask at reed.example.com or so.",
        "He waited.. and went.",
        "“Dr. Reed” is here.",
    ],
)
def test_a_stop_within_a_sentence_ends_none(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He has 100. We have none.", ["He has 100.", "We have none."]),
        ("It is I. You know.", ["It is I.", "You know."]),
        ("Go! now? yes.", ["Go!", "now?", "yes."]),
        ("Really...? Yes.", ["Really...?", "Yes."]),
        ("Well... No.", ["Well...", "No."]),
        ("He said it (twice.) Then left.", ["He said it (twice.)", "Then left."]),
        ("It is *so.* It is _so._ Yes.", ["It is *so.*", "It is _so._", "Yes."]),
        ("«Oui.» «Non.»", ["«Oui.»", "«Non.»"]),
        ("See [it.] Then go.", ["See [it.]", "Then go."]),
        ("¿Vienes? ¡Claro! Bien.", ["¿Vienes?", "¡Claro!", "Bien."]),
        ("Komm. „Nein.“ sagt er.", ["Komm.", "„Nein.“ sagt er."]),
        ("هل تأتي؟ نعم.", ["هل تأتي؟", "نعم."]),
        ("یہ گھر ہے۔ وہ نہیں۔", ["یہ گھر ہے۔", "وہ نہیں۔"]),
        ("वह आया। वह गया॥ ठीक", ["वह आया।", "वह गया॥", "ठीक"]),
        ("本当？！はい。（嘘だ。）終", ["本当？！", "はい。", "（嘘だ。）", "終"]),
        ("｢ﾊｲ｡｣ｶ｡", ["｢ﾊｲ｡", "｣ｶ｡"]),
        ("שלום. מה שלומך? טוב.", ["שלום.", "מה שלומך?", "טוב."]),
    ],
)
def test_a_sentence_ends_with_its_mark_and_what_closes_it(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "1.", "12)", "123.", ">", "|"])
def test_each_line_with_a_mark_is_an_entry(mark: str) -> None:
    text = f"We need\n{mark} oars\n  {mark} rope"

    assert split(text) == ["We need", f"{mark} oars", f"{mark} rope"]


@pytest.mark.parametrize("mark", ["-5", "*a*", "1.5", "=", "•x"])
def test_a_line_with_something_like_a_mark_goes_on(mark: str) -> None:
    text = f"We need\n{mark} oars"

    assert split(text) == [text]


@pytest.mark.parametrize("level", range(1, 7))
def test_a_heading_of_each_level_stands_alone(level: int) -> None:
    text = f"Before\n{'#' * level} Oars\nafter. More"
    marks = [(text[s.start : s.stop], s.heading) for s in mark_sentences(text)]

    assert marks == [
        ("Before", False),
        (f"{'#' * level} Oars", True),
        ("after.", False),
        ("More", False),
    ]


def test_entries_begin_no_paragraph_and_blank_lines_do() -> None:
    text = "We need:\n- oars\n- rope\n \t\nThe boat is dry. It floats.\n\n\n\nEnd."
    begins = [text[s.start : s.stop] for s in mark_sentences(text) if s.paragraph]

    assert begins == ["We need:", "The boat is dry.", "End."]


def test_a_text_that_begins_with_an_entry_begins_a_paragraph() -> None:
    first, second = mark_sentences("\n- oars\n- rope")

    assert (first.paragraph, second.paragraph) == (True, False)


def test_a_number_of_four_figures_is_a_year_rather_than_an_entry() -> None:
    assert split("It was in\n1999. We left.") == ["It was in\n1999.", "We left."]
    assert split("1999. We left.") == ["1999.", "We left."]
    assert split("199. We left.") == ["199. We left."]


def test_a_heading_may_hold_full_stops() -> None:
    assert split("# Dr. Reed. The boat\n\nIt floats.") == ["# Dr. Reed.", "The boat", "It floats."]


def test_places_are_those_of_the_text() -> None:
    text = "  Οὐκ ἔστιν. 😀 Yes!\r\n\r\n\u3000终。 "
    found = sentences(text)

    assert [text[start:stop] for start, stop in found] == ["Οὐκ ἔστιν.", "😀 Yes!", "终。"]
    assert found[0].start == 2


@pytest.mark.parametrize("word", ["kettles", "Straßen", "Größere", "километр", "Kettles"])
@pytest.mark.parametrize("following", ["Then", "then", "3", "«Then"])
def test_a_word_longer_than_any_abbreviation_ends_a_sentence(word: str, following: str) -> None:
    text = f"Mind the {word}. {following} we left."

    assert split(text)[0] == f"Mind the {word}."
    assert max(map(len, (NEVER_LAST + " " + SELDOM_LAST).split())) < len(word)


@pytest.mark.parametrize("run", ["a.kettles", "x-kettles", "12kettles", "_kettles"])
def test_a_run_that_only_ends_like_a_long_word_ends_a_sentence_too(run: str) -> None:
    assert split(f"Mind {run}. we left.") == [f"Mind {run}.", "we left."]
