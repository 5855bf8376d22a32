# ruff: noqa: RUF001  letters that look like others are meant as they stand
import pytest

from simonides.text.sentences import mark_sentences, sentences


def split(text: str) -> list[str]:
    return [text[start:stop] for start, stop in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Lee met J. R. Stone at 3.5 km, e.g. here.",
        "Wir kaufen z.B. Lampen, d.h. am 3. Oktober.",
        "It costs 1.5 or approx. 2.0 in total.",
        "“Really?” she said.",
        "She came at 5 p.m. and left.",
        "Wait... what is it",
        "A line\nthat was wrapped.",
        "See example.com for more",
        "no end at all",
    ],
)
def test_what_looks_like_an_end_is_none(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It was in 2003. Then not.", ["It was in 2003.", "Then not."]),
        ("Lamps, stones, etc. He left.", ["Lamps, stones, etc.", "He left."]),
        ("He said “no.” She left.", ["He said “no.”", "She left."]),
        ("(Yes.) No.", ["(Yes.)", "No."]),
        ("all small. no capitals. works", ["all small.", "no capitals.", "works"]),
        ("So do I. You too.", ["So do I.", "You too."]),
        ("你好。再见！「好。」他说", ["你好。", "再见！", "「好。」", "他说"]),
        ("क्या? हाँ। ठीक", ["क्या?", "हाँ।", "ठीक"]),
        ("What?! Yes… No", ["What?!", "Yes…", "No"]),
    ],
)
def test_sentences_end_at_their_marks(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_headings_entries_and_rows_stand_alone() -> None:
    text = "# Head\nbody\nline\n- one\n- two\n1. three\n\n| a | b |\n| 1 | 2 |\n## Next\nend"

    assert split(text) == [
        *("# Head", "body\nline", "- one", "- two", "1. three", "| a | b |", "| 1 | 2 |"),
        *("## Next", "end"),
    ]


def test_a_sentence_knows_what_begins_with_it() -> None:
    text = "First. Second.\n\nThird.\n# Head\nFourth. Fifth."
    marks = [(s.paragraph, s.heading) for s in mark_sentences(text)]

    assert marks == [
        *((True, False), (False, False), (True, False)),
        *((True, True), (True, False), (False, False)),
    ]


def test_a_hash_without_a_space_is_no_heading() -> None:
    assert not any(s.heading for s in mark_sentences("#tag and more\n\n####### seven"))


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t\r\n"])
def test_white_space_holds_no_sentence(text: str) -> None:
    assert sentences(text) == []
