"""Which words of a Japanese, Chinese or Korean question are grammar, and which are looked for."""

# ruff: noqa: RUF001  the question mark of these languages

import pytest

from simonides.text.function_words import quiet_words, without_function_words


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("大輔は何て書いてきた", ["大輔", "て", "書"]),
        ("結婚式の会場はどこでしたか", ["結婚式", "会場"]),
        ("手帳カバーの単価はいくらになった", ["手帳カバー", "単価"]),
        ("まだやらないといけないこと", []),
        ("みなとノートの発売日", ["みなと", "ノート", "発売日"]),
        ("ごみの日はいつ", ["ごみ", "の日"]),
        ("宿はどこ", ["宿は"]),
        ("お皿とおみやげ", ["お皿", "おみやげ"]),
        ("我还有什么没做完的事", ["没做完", "事"]),
        ("幼儿园春游是哪天啊", ["幼儿园春游"]),
        ("周婷的老公叫什么名字？", ["周婷", "老公叫", "名字？"]),
        ("하늘이 결혼식 어디서 한다고 했어?", ["하늘", "결혼식", "?"]),
        ("박과장님한테 뭐라고 답장했지", ["박과장"]),
        ("병원비랑 약값으로 얼마나 썼지", ["병원비", "약값"]),
        ("지도", ["지도"]),
        ("where is it", ["where", "is", "it"]),
        ("où est-ce", ["où", "est-ce"]),
    ],
)
def test_what_is_left_of_a_question(text: str, left: list[str]) -> None:
    assert without_function_words(text).split() == left


def test_a_long_run_takes_no_longer_than_it_is() -> None:
    """Were the ways to part it tried one after the other, this would not end."""
    text = f"ぬ{'には' * 20_000}ぬ"

    assert without_function_words(text).split() == [text]
    assert without_function_words("곰" * 40_000) == "곰" * 40_000
    assert without_function_words(f"곰돌{'까지' * 20_000}") == "곰돌"


def test_quiet_words_are_stop_words_and_more() -> None:
    assert {"de", "weer", "allemaal"} <= quiet_words("nl")
    assert "weer" not in quiet_words("en")
    assert quiet_words("xx") == frozenset()
