import re
from unicodedata import category

import pytest

from simonides.text.unicode_script import boundary, marks

FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize("position", [0, 3, 6])
def test_between_plain_letters_any_place_will_do(position: int) -> None:
    assert boundary("a lamp", position) == position


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        (f"a{FAMILY}b", 3, 1),
        (f"a{FAMILY}b", 6, 6),
        ("xe\u0301y", 2, 1),
        ("a\r\nb", 2, 1),
        ("🇩🇪🇫🇷", 3, 2),
        ("👍🏽!", 1, 0),
        ("字字", 1, 1),
    ],
)
def test_a_place_within_a_grapheme_moves_before_it(text: str, position: int, expected: int) -> None:
    assert boundary(text, position) == expected


def test_nothing_lies_before_the_floor() -> None:
    assert boundary(f"ab{FAMILY}", 4, floor=2) == 2


def test_a_grapheme_beyond_reason_is_torn() -> None:
    assert boundary("e" + "\u0301" * 200, 150) == 150


def test_a_long_run_of_emoji_is_cut_between_two() -> None:
    text = FAMILY * 2000

    assert boundary(text, 9_001) % len(FAMILY) == 0


def test_every_mark_below_the_rare_scripts_is_known() -> None:
    every = "".join(map(chr, range(0x300, 0x1F000)))

    assert re.findall(f"[{marks()}]", every) == [c for c in every if category(c)[0] == "M"]
