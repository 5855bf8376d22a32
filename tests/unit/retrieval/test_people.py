"""Whom a name in a question means: by its address, and told apart by what else is said."""

from collections.abc import Iterable
from typing import Final

import pytest

from simonides.entities.directory import Directory, Names, proper_words
from simonides.retrieval.people import (
    Named,
    find_nicknames,
    find_organisations,
    namesakes,
    people_named,
    words_apart,
)
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
    ("person:dan@reyes.example", "person", "Daniel Reyes"),
    ("person:sunny88@gmx.net", "person", "Mia Klein"),
    ("person:~mutuelle du haut-doubs", "person", "Mutuelle du Haut-Doubs"),
    ("person:info@heide.example", "person", "Hausverwaltung von der Heide"),
    ("person:lea@fontaine.example", "person", "Léa Fontaine"),
    ("person:joerg.moeller@work.example", "person", "Jörg Möller"),
    ("person:lin@du.example", "person", "Lin Du"),
    ("person:a.ivanova@work.example", "person", "Анна Иванова"),
    ("person:info@zhkh.example", "person", "Управление домами города Самары"),
    ("person:adriana@colegio.example", "person", "Adriana (1re classe B)"),
)
OWNER: Final = ("daniel@carrick.example",)
OWNED: Final = "person:daniel@carrick.example"
MAILED: Final = "person:zoe@gmail.com"


def names_of(known: Iterable[tuple[str, str, str]]) -> Names:
    directory = Directory()
    directory.extend(known)
    return Names(directory=directory, has_name=lambda _entity, _name: True)


def named(text: str, known: Iterable[tuple[str, str, str]] = KNOWN) -> Named:
    names = names_of(known)
    spoken = tuple(words(text))
    found = names.find_named(spoken, proper=proper_words(text))
    found |= find_nicknames(spoken, names=names, language="en")
    found |= find_organisations(
        spoken, names=names, owner=OWNER, proper=proper_words(text), language="en"
    )
    return people_named(found, spoken, names=names, owner=OWNER, language="en")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("who is on shift", ()),
        ("did shift happens call", (OFFICE,)),
        ("what did stratus send", ("person:billing@stratus.example",)),
        ("what did sarah say", ("person:sj@work.example",)),
        ("what did daniel say", ("person:dan@reyes.example",)),
        ("what did mia say", ("person:sunny88@gmx.net",)),
        ("what did Léa say", ("person:lea@fontaine.example",)),
        ("was schrieb Jörg", ("person:joerg.moeller@work.example",)),
        ("what did daniels mail say", ("person:dan@reyes.example",)),
        ("Sarahs birthday", ("person:sj@work.example",)),
        ("how are daniels for tea", ()),
        ("who saw the daniels", ()),
        ("how much were the bookings", ()),
        ("was schreibt die Hausverwaltung", ("person:info@heide.example",)),
        ("what does the hausverwaltung write", ("person:info@heide.example",)),
        ("wo ist die Hausverwaltung", ()),
        ("что написала Анна", ("person:a.ivanova@work.example",)),
        ("письмо от Ивановой, Иванова", ("person:a.ivanova@work.example",)),
        ("где управление", ()),
    ],
)
def test_one_word_of_a_title_is_nobodys_name(text: str, people: tuple[str, ...]) -> None:
    assert named(text).people == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("qui a payé la facture du chantier", ()),
        ("que dit la mutuelle du haut-doubs", ("person:~mutuelle du haut-doubs",)),
        ("le courrier de Du", ("person:lin@du.example",)),
        ("le courrier de Haut", ("person:~mutuelle du haut-doubs",)),
        ("le total de cette classe", ()),
    ],
)
def test_a_stop_word_in_a_name_names_nobody_in_its_language(
    text: str, people: tuple[str, ...]
) -> None:
    names, spoken = names_of(KNOWN), tuple(words(text))
    found = names.find_named(spoken, proper=proper_words(text), language="fr")

    assert people_named(found, spoken, names=names, owner=OWNER, language="fr").people == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("last mail from Pri", (NAIR, RAMAN, CHAT)),
        ("what did sar say about it", ("person:sj@work.example",)),
        ("letzte Mail von Sar", ("person:sj@work.example",)),
        ("the sar in the attic", ()),  # no place of a name
        ("last mail from Sa", ()),  # two letters call nobody
        ("last mail from Shi", ()),  # an office's title is no name
        ("last mail from John", ()),  # the beginning of a surname
        ("last mail from the team", ()),
    ],
)
def test_the_beginning_of_a_given_name_calls_its_people(text: str, people: tuple[str, ...]) -> None:
    assert named(text).people == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("how much is the Northgatecold delivery", (RAMAN,)),
        ("last mail from northgatecold", (RAMAN,)),
        ("a northgatecold of its own", ()),  # neither written nor standing as a name
        ("what did Carrick decide", ()),  # the owner's own
        ("the price of the Gmail storage", ()),
        ("the Example of all", ()),  # the end of an address says nothing
    ],
)
def test_the_name_of_a_domain_calls_its_sender(text: str, people: tuple[str, ...]) -> None:
    known = (*KNOWN, (OWNED, "person", "Daniel Reyes"), (MAILED, "person", "Zoe"))
    assert named(text, known).people == people


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


@pytest.mark.parametrize(
    ("text", "others", "surnames"),
    [
        ("Northgate's Priya", (NAIR, CHAT), {"nair"}),
        ("my colleague Priya", (RAMAN,), {"raman"}),
        ("what did Priya say", (), set()),
        ("what did Priya Raman say", (), set()),
        ("what did sarah say", (), set()),
    ],
)
def test_who_is_told_apart_has_namesakes(
    text: str, others: tuple[str, ...], surnames: set[str]
) -> None:
    people, names = named(text).people, names_of(KNOWN)
    found = namesakes(people, tuple(words(text)), names=names)

    assert found == others
    assert words_apart(found, people, names=names) == surnames
