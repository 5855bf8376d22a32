"""Whom a name in a question means: by its address, and told apart by what else is said."""

from collections.abc import Iterable
from typing import Final

import pytest

from simonides.entities.directory import Directory, Names, proper_words
from simonides.retrieval.people import Named, people_named
from simonides.text.analyse import words

NAIR: Final = "person:priya.nair@carrick.example"
RAMAN: Final = "person:priya.raman@northgatecold.example"
CHAT: Final = "person:~priya nair"
OFFICE: Final = "person:bookings@shifthappens.example"
KNOWN: Final = (
    (NAIR, "person", "Priya Nair"),
    (RAMAN, "person", "Priya Raman"),
    (CHAT, "person", "Priya Nair"),
    (OFFICE, "person", "Shift Happens"),
    ("person:billing@stratus.example", "person", "Stratus Billing"),
    ("person:sj@work.example", "person", "Sarah Johnson"),
)
OWNER: Final = ("daniel@carrick.example",)


def named(text: str, known: Iterable[tuple[str, str, str]] = KNOWN) -> Named:
    directory = Directory()
    directory.extend(known)
    names = Names(directory=directory, has_name=lambda _entity, _name: True)
    spoken = tuple(words(text))
    found = names.named_in(spoken, proper=proper_words(text))
    return people_named(found, spoken, names=names, owner=OWNER)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("who is on shift", ()),
        ("did shift happens call", (OFFICE,)),
        ("what did stratus send", ("person:billing@stratus.example",)),
        ("what did sarah say", ("person:sj@work.example",)),
    ],
)
def test_one_word_of_a_title_is_nobodys_name(text: str, people: tuple[str, ...]) -> None:
    assert named(text).people == people


@pytest.mark.parametrize(
    ("text", "people", "why"),
    [
        ("Northgate's Priya", (RAMAN,), "“northgate” is in the address"),
        ("what did Priya N say", (NAIR, CHAT), "“n” begins the surname"),
        ("my colleague Priya", (NAIR, CHAT), "“colleague”"),
        ("Priya, the customer", (RAMAN,), "“customer”"),
        ("Priya, not my colleague", (RAMAN,), "“colleague”"),
        ("what did Priya say", (NAIR, RAMAN, CHAT), "nothing tells them apart"),
    ],
)
def test_two_of_one_name_are_told_apart(text: str, people: tuple[str, ...], why: str) -> None:
    found = named(text)

    assert found.people == people
    assert why in found.reasons[0]


def test_who_alone_has_a_name_needs_no_reason() -> None:
    assert named("what did Priya Raman say").reasons == ()
    assert named("what did sarah say").reasons == ()
