# ruff: noqa: RUF001  letters that look like others are meant as they stand
import pytest

from simonides.text.excerpt import is_boilerplate, is_greeting, without_greeting


@pytest.mark.parametrize(
    "sentence",
    [
        *("Hi Tom,", "Hello!", "Hey Caroline!", "Dear Mr Okafor,", "Good morning everyone"),
        *("Hi all,", "Liebe Sarah,", "Sehr geehrte Frau Berger,", "Bonjour Claire,", "Hola Ana!"),
        *("Thanks!", "Thank you so much, Tom!", "Danke", "Merci Claire", "hello there"),
        *("田中さん、こんにちは。", "お世話になっております。", "你好", "谢谢大家！", "안녕하세요"),
    ],
)
def test_a_greeting_or_thanks_with_names_is_only_that(sentence: str) -> None:
    assert is_greeting(sentence)
    assert is_boilerplate(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        *("Hi Tom, the lamp is broken.", "Hiking is fun", "Thanks to Tom we found the lamp"),
        *(
            "Hello, 4 pm works",
            "Dear diary costs 5 EUR",
            "The lamp is broken.",
            "",
            "Hi-res pictures",
        ),
        *("Thank you Tom Sarah Ann Bob Eve Kim Lee", "你好吗朋友们今天的会议取消了"),
        "Caroline adopted a dog.",
    ],
)
def test_what_says_something_besides_is_no_greeting(sentence: str) -> None:
    assert not is_greeting(sentence)
    assert not is_boilerplate(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        *("Best regards,\nSarah Lindqvist\nHead of Finance", "Mit freundlichen Grüßen", "Cheers"),
        *("Sent from my iPhone", "If you no longer want these mails, please unsubscribe."),
        "This message is intended only for the named recipient.",
        "You received this email because you signed up.",
        "© 2025 Lamps Ltd, all rights reserved",
        "View this newsletter in your browser",
    ],
)
def test_closings_and_small_print_say_nothing_of_their_own(sentence: str) -> None:
    assert is_boilerplate(sentence)
    assert not is_greeting(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I want to unsubscribe the old supplier list and tell them why. " + "More words. " * 40,
        "Best\nwe meet at nine and talk about the lamp and the stone and the river tomorrow",
        "She was the intended heir.",
        "The privacy policy must be rewritten by Friday.",
    ],
)
def test_words_of_small_print_in_a_real_sentence_are_none(sentence: str) -> None:
    assert not is_boilerplate(sentence)


def test_a_greeting_on_a_line_of_its_own_is_taken_off() -> None:
    assert without_greeting("Hi Tom,\nthe lamp is broken.") == "the lamp is broken."


@pytest.mark.parametrize(
    "text", ["Hi Tom,", "Hi Tom,\n ", "The lamp\nis broken.", "Hi, it is\nred"]
)
def test_nothing_else_is_taken_off(text: str) -> None:
    assert without_greeting(text) == text
