"""Which names mean whom: the same in any order of mentions, and only what is still borne."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.entities.directory import Directory, Names, Words, name_words, proper_words

MENTIONS: Final = (
    ("person:sarah@example.com", "person", "Sarah Lindqvist"),
    ("person:sarah@example.com", "person", "Sal"),
    ("person:~sarah okafor", "person", "Sarah Okafor"),
    ("person:~tom", "person", "Tom"),
    ("person:~anna maria schmidt", "person", "Schmidt, Anna Maria"),
    ("person:desk@example.com", "person", "desk@example.com"),
    ("person:~assistant", "person", "Assistant"),
    ("person:~ai weiwei", "person", "Ai Weiwei"),
    ("topic:tom sawyer", "topic", "Tom Sawyer"),
    ("topic:sawyer", "topic", "Sawyer"),
    ("issue:alpha-7", "issue", "ALPHA-7"),
)


def directory(*mentions: tuple[str, str, str]) -> Directory:
    built = Directory()
    built.extend(mentions)
    return built


def everything(_entity: str, _name: Words) -> bool:
    return True


NAMES: Final = Names(directory=directory(*MENTIONS), has_name=everything)


def named(text: str, names: Names = NAMES) -> dict[str, Words]:
    return names.find_named(name_words(text))


def test_a_person_answers_to_each_word_of_the_name_and_a_topic_to_all() -> None:
    assert named("anna") == {"person:~anna maria schmidt": ("anna",)}
    assert named("about sawyer") == {"topic:sawyer": ("sawyer",)}
    assert named("tom sawyer") == {
        "topic:tom sawyer": ("tom", "sawyer"),
        "person:~tom": ("tom",),
    }


def test_the_longest_name_of_a_person_wins_and_says_which_words_it_was() -> None:
    assert named("ask sarah lindqvist about it") == {
        "person:sarah@example.com": ("sarah", "lindqvist")
    }
    assert set(named("sarah")) == {"person:sarah@example.com", "person:~sarah okafor"}


def test_names_are_read_in_either_order_and_from_addresses() -> None:
    assert set(named("schmidt, anna maria")) == {"person:~anna maria schmidt"}
    assert set(named("from sarah@example.com")) == {"person:sarah@example.com"}
    assert set(named("desk@example.com")) == {"person:desk@example.com"}
    assert named("the desk of an example com") == {}


def test_those_whom_chats_call_by_a_role_are_named_by_no_question() -> None:
    assert named("what did the assistant say") == {}
    assert set(named("who is weiwei")) == {"person:~ai weiwei"}


def test_a_filter_means_an_id_an_address_a_whole_name_or_one_word_of_a_persons() -> None:
    assert NAMES.matching("SARAH") == {"person:sarah@example.com", "person:~sarah okafor"}
    assert NAMES.matching("Sarah  Lindqvist") == {"person:sarah@example.com"}
    assert NAMES.matching("person:~tom") == {"person:~tom"}
    assert NAMES.matching("Tom") == {"person:~tom"}
    assert NAMES.matching("Sarah@Example.com") == {"person:sarah@example.com"}
    assert NAMES.matching("alpha-7") == {"issue:alpha-7"}
    assert NAMES.matching("issue:ALPHA-7") == {"issue:alpha-7"}
    assert NAMES.matching("Assistant") == {"person:~assistant"}
    assert NAMES.matching("anna schmidt") == set()
    assert NAMES.matching("") == set()
    assert NAMES.matching("  ") == set()


def test_a_name_that_nothing_bears_any_more_means_nobody() -> None:
    gone = {("person:sarah@example.com", ("sal",)), ("person:~tom", ("tom",)), ("person:~tom", ())}
    names = Names(directory=NAMES.directory, has_name=lambda *who: who not in gone)

    assert named("sal", names) == {}
    assert set(named("lindqvist", names)) == {"person:sarah@example.com"}
    assert named("tom", names) == {}
    assert names.matching("sal") == set()
    assert names.matching("person:~tom") == set()


@pytest.mark.parametrize(
    ("language", "text", "people"),
    [
        ("pl", "maile od pawła", {"paweł"}),
        ("pl", "co wysłałam pawlowi", {"paweł"}),
        ("pl", "rozmowa z markiem", {"marek"}),
        ("pl", "wizyta u zofii kowalskiej", {"zofia kowalska"}),
        ("pl", "dla kasi", {"kasia"}),
        ("pl", "ostatni mail od Ani", {"ania"}),
        ("pl", "nie mam ani jednego", set()),  # "neither"
        ("en", "the mail of pawła", set()),
        ("tr", "paweł'dan gelen mail", {"paweł"}),
        ("tr", "marekin telefonu", {"marek"}),
        ("tr", "kasia'ya ne dedim", {"kasia"}),
        ("tr", "zofia kowalska'da", {"zofia kowalska"}),
        ("ru", "письмо от игоря", {"игорь"}),
        ("ru", "что я написала ане", {"аня"}),
        ("ru", "марине сергеевне кузнецовой", {"марина сергеевна кузнецова"}),
        ("ru", "разговор петра", {"пётр"}),
        ("ru", "встреча рустамом", {"rustam galiev"}),
        ("ru", "юлии хан", {"yulia khan"}),
        ("ru", "письмо от андрея", {"andrei petrov"}),
    ],
)
def test_names_are_known_in_the_cases_of_a_language(
    language: str, text: str, people: set[str]
) -> None:
    every = [
        *("Paweł", "Marek", "Zofia Kowalska", "Kasia", "Ania"),
        *("Игорь", "Аня", "Марина Сергеевна Кузнецова", "Пётр"),
        *("Rustam Galiev", "Yulia Khan", "Andrei Petrov"),
    ]
    mentions = [(f"person:~{one.casefold()}", "person", one) for one in every]
    mentions.append(("topic:ani", "topic", "Ani"))  # of a title: "Kino z Ani"
    names = Names(directory=directory(*mentions), has_name=everything)

    found = names.find_named(name_words(text), proper=proper_words(text), language=language)

    assert {one.removeprefix("person:~") for one in found if "person" in one} == people
    assert all(" ".join(run) in text.casefold() for run in found.values())


def test_what_hides_behind_a_longer_name_comes_out_once_that_is_gone() -> None:
    lindqvist = ("person:sarah@example.com", ("sarah", "lindqvist"))
    names = Names(directory=NAMES.directory, has_name=lambda *who: who != lindqvist)

    assert set(named("sarah lindqvist", names)) == {"person:~sarah okafor"}


def test_everyday_words_name_somebody_only_where_they_are_written_as_names() -> None:
    mentions = [("person:~will may", "person", "Will May"), ("topic:price", "topic", "Price")]
    names = Names(directory=directory(*mentions), has_name=everything)

    assert names.find_named(["will", "it"]) == {}
    assert names.find_named(["the", "price"]) == {}
    assert set(names.find_named(["will", "it"], proper={"will"})) == {"person:~will may"}
    assert set(names.find_named(["will", "may"])) == {"person:~will may"}


def test_names_kept_are_names_given_back() -> None:
    assert NAMES.directory.names() == set(MENTIONS)
    assert directory(*NAMES.directory.names()).names() == set(MENTIONS)


@given(
    order=st.permutations(MENTIONS),
    cut=st.integers(0, len(MENTIONS)),
    words=st.lists(st.sampled_from("sarah lindqvist sal tom sawyer anna maria alpha 7".split())),
)
def test_the_order_of_mentions_leaves_no_trace(
    order: list[Any], cut: int, words: list[str]
) -> None:
    shuffled = Directory()
    shuffled.extend(order[:cut])
    shuffled.extend([*order[cut:], *order[:cut]])
    names = Names(directory=shuffled, has_name=everything)

    assert names.find_named(words) == NAMES.find_named(words)
    assert names.matching(" ".join(words)) == NAMES.matching(" ".join(words))
    assert shuffled.names() == NAMES.directory.names()


@pytest.mark.parametrize("asked", ["Tomas Dvorak", "tomáš dvořák", "DVORAK", "Toma\u0301s\u030c"])
def test_a_name_is_meant_with_and_without_its_accents(asked: str) -> None:
    directory = Directory()
    directory.extend([("person:~tomáš dvořák", "person", "Tomáš Dvořák")])
    present = Names(directory=directory, has_name=lambda _entity, _words: True)

    assert present.matching(asked) == {"person:~tomáš dvořák"}
    assert set(present.find_named(name_words(f"what did {asked} say"))) == {"person:~tomáš dvořák"}


def test_a_name_written_without_accents_is_meant_by_one_with_them() -> None:
    directory = Directory()
    directory.extend([("person:~soren moller", "person", "Soren Moller")])
    present = Names(directory=directory, has_name=lambda _entity, _words: True)

    assert present.matching("Søren Møller") == {"person:~soren moller"}
    assert present.matching("Søren Mëier") == set()
