"""Words that name nobody, in the languages that are supported."""

import pytest

from simonides import Item
from simonides.entities.extract import mentions_of
from simonides.entities.not_names import is_role, names_nothing, without_greeting


def topics(text: str, language: str = "en") -> list[str]:
    return [one.name for one in mentions_of(Item(content=text, language=language))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dear Jonas, thank you", ["Jonas"]), ("Hi Daniel", ["Daniel"]),
        ("we said Hello there", []), ("Kind Regards", []), ("Best Regards, Tom", ["Tom"]),
        ("the call is at 3 PM today", []), ("on 12 Jan we met", []),
        ("it was Jan who came", ["Jan"]),
        ("on Jan 12 we met", []), ("please ask User and Assistant", []), ("Good Morning Team", []),
        ("see you on Black Friday", ["Black Friday"]), ("Dear Dr", []),
        ("Thanks Marek for that", ["Marek"]),
    ],
)  # fmt: skip
def test_greetings_roles_and_clock_words_are_no_names(text: str, found: list[str]) -> None:
    assert topics(text) == found


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("wir treffen uns um 15 Uhr im Büro", "de", []),
        ("Sehr geehrte Frau Weber", "de", ["Frau Weber"]),
        ("Liebe Anna, danke", "de", ["Anna"]),
        ("er kommt mit Anna Schmidt am Montag", "de", ["Anna Schmidt"]),
        ("Viele Grüße", "de", []),
        ("il viendra à 15 Heures en Avril", "fr", []),
        ("Chère Claire, merci", "fr", ["Claire"]),
        ("Olá João", "pt", ["João"]), ("Ciao Giulia", "it", ["Giulia"]),
    ],
)  # fmt: skip
def test_so_it_is_in_other_languages(text: str, language: str, found: list[str]) -> None:
    assert topics(text, language) == found


def test_roles_are_whole_names() -> None:
    assert [is_role(name) for name in ("user", "Assistant", "User Smith", "")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_nothing_but_such_words_names_nothing() -> None:
    assert names_nothing(["Dear", "Team"])
    assert not names_nothing(["Dear", "Jonas"])
    assert without_greeting(["Hi", "Jonas", "Thanks"]) == ["Jonas"]
