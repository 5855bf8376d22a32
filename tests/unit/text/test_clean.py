import pytest

from simonides.text.clean import printable, squeeze, title_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b\x07c\x1b[0m\x7f", "abc[0m"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc\x0cd\x85e", "a\nb\nc\nd\ne"),
        ("a\ud800b\udc00", "a\ufffdb\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("é e\u0301 \u200d\u202e 字 👍🏽 \u00a0", "é e\u0301 \u200d\u202e 字 👍🏽 \u00a0"),
        ("", ""),
    ],
)
def test_printable_takes_out_what_cannot_be_shown(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_squeeze_takes_off_spaces_at_line_ends_and_extra_blank_lines() -> None:
    assert squeeze("a  \nb\t\n\n \n\n\nc\n\n\nd") == "a\nb\n\nc\n\n\nd"


def test_squeeze_is_linear_in_spaces() -> None:
    assert squeeze("a" + " " * 1_000_000 + "b").endswith(" b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("intro\n## The lamp ##\nmore", "The lamp"),
        ("\n\n  First line  \nsecond", "First line"),
        ("---\n***\n**Bold** `start`", "Bold start"),
        ("> - quoted entry", "quoted entry"),
        ("#tag is no heading", "tag is no heading"),
        ("字のみ", "字のみ"),
        ("...\n\n---", ""),
        ("", ""),
    ],
)
def test_a_title_is_the_first_heading_or_line(text: str, expected: str) -> None:
    assert title_of(text) == expected


def test_a_long_title_is_cut_after_a_word() -> None:
    title = title_of("lamp, " * 50)

    assert len(title) <= 120
    assert title.endswith("lamp…")


def test_a_title_without_spaces_is_cut_all_the_same() -> None:
    assert title_of("x" * 500) == "x" * 119 + "…"
