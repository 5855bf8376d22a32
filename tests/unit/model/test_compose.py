"""Items from plain values, and items with some of them replaced."""

from datetime import UTC, datetime
from typing import Any

import pytest

from simonides import Item, Kind, Person
from simonides.errors import InvalidInput
from simonides.model.coercion import one_of
from simonides.model.compose import compose, fit_values, recompose
from simonides.model.item import MemoryTraits, Role, Scope, Status

WHEN = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "person"),
    [
        ("Sarah Lindqvist", Person(name="Sarah Lindqvist")),
        (" Sarah ", Person(name="Sarah")),
        ("Sarah L <Sarah@Example.com>", Person(name="Sarah L", address="sarah@example.com")),
        ("sarah@example.com", Person(address="sarah@example.com")),
        (Person(name="S", role=Role.CC), Person(name="S", role=Role.CC)),
        ({"name": "S", "address": "s@example.com"}, Person(name="S", address="s@example.com")),
        ({"name": "S", "role": "cc"}, Person(name="S", role=Role.CC)),
    ],
)
def test_a_person_may_be_a_text_a_mapping_or_a_record(given: Any, person: Person) -> None:
    assert compose("alpha", people=given).people == (person,)
    assert compose("alpha", people=[given]).people == (person,)


def test_the_first_text_is_the_author_and_the_others_are_mentioned() -> None:
    assert [p.role for p in compose("alpha", people=["A", "B", "C"]).people] == [
        Role.AUTHOR,
        Role.MENTIONED,
        Role.MENTIONED,
    ]


@pytest.mark.parametrize(
    "when", [WHEN, "2026-03-12T09:00:00Z", "2026-03-12T10:00:00+01:00", "2026-03-12 09:00Z"]
)
def test_a_time_may_be_a_text_with_a_zone(when: Any) -> None:
    assert compose("alpha", happened_at=when).happened_at == WHEN


def test_plain_values_become_an_item() -> None:
    item = compose(
        "alpha", kind="task", tags=iter(["a", 5]), traits={"scope": "global"}, metadata={"n": 1}
    )

    assert (item.kind, item.tags, item.metadata) == (Kind.TASK, ("a", "5"), {"n": 1})
    assert item.traits == MemoryTraits(scope=Scope.GLOBAL)


def test_none_is_the_default() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("kind", "people", "tags", "metadata", "happened_at", "traits", "position", "session")
    )

    assert compose("alpha", **nothing) == Item(content="alpha")
    assert fit_values(nothing) == {}


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("colour", {"colour": "red"}),
        ("stored_at", {"stored_at": WHEN}),
        ("revision", {"revision": 1}),
        ("version", {"version": 1}),
        ("kind", {"kind": "letter"}),
        ("tags", {"tags": "red"}),
        ("tags", {"tags": 5}),
        ("people", {"people": 5}),
        ("people", {"people": [""]}),
        ("people", {"people": [" "]}),
        ("people", {"people": [{}]}),
        ("people.nickname", {"people": {"nickname": "S"}}),
        ("people.role", {"people": {"name": "S", "role": "boss"}}),
        ("traits", {"traits": "user"}),
        ("traits.colour", {"traits": {"colour": "red"}}),
        ("scope", {"traits": {"scope": "world"}}),
        ("confidence", {"traits": {"confidence": "high"}}),
        ("metadata", {"metadata": [1]}),
        ("happened_at", {"happened_at": "yesterday"}),
        ("happened_at", {"happened_at": 5}),
        ("happened_at", {"happened_at": "0001-01-01T00:00:00+09:00"}),
        ("position", {"position": "5"}),
        ("language", {"language": 5}),
    ],
)
def test_what_does_not_fit_is_refused_by_the_fields_name(
    field: str, values: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        compose("alpha", **values)

    assert caught.value.field == field


def test_an_unknown_field_is_told_which_there_are() -> None:
    with pytest.raises(InvalidInput, match="collection, content, happened_at"):
        compose("alpha", colour="red")


# ── replacing ────────────────────────────────────────────────────────────────────────────────────

KEPT = Item(
    id="a",
    content="alpha",
    language="de",
    tags=("red",),
    traits=MemoryTraits(scope=Scope.USER, user_id="u1", confidence=0.9),
)


def test_what_is_not_named_stays() -> None:
    changed = recompose(KEPT, tags=["blue"], happened_at="2026-03-12T09:00:00Z")

    assert (changed.tags, changed.happened_at) == (("blue",), WHEN)
    assert (changed.id, changed.content, changed.language) == ("a", "alpha", "de")
    assert recompose(KEPT) == KEPT
    assert recompose(KEPT, content=None, tags=None) == KEPT


@pytest.mark.parametrize("field", ["id", "source_id"])
def test_the_identity_stays(field: str) -> None:
    with pytest.raises(InvalidInput, match="identity"):
        recompose(KEPT, **{field: "b"})


def test_other_content_keeps_the_id() -> None:
    assert recompose(Item(content="alpha"), content="beta").id == Item(content="alpha").id


@pytest.mark.parametrize(
    ("values", "language"),
    [
        ({"content": "beta"}, ""),
        ({"title": "t"}, ""),
        ({"content": "beta", "language": "fr"}, "fr"),
        ({"content": None}, "de"),
        ({"summary": "s"}, "de"),
        ({"language": "fr"}, "fr"),
    ],
)
def test_the_language_is_seen_anew_where_the_words_change(
    values: dict[str, Any], language: str
) -> None:
    assert recompose(KEPT, **values).language == language


def test_traits_that_are_not_named_stay() -> None:
    changed = recompose(KEPT, traits={"status": "superseded"}).traits
    whole = recompose(KEPT, traits=MemoryTraits(status=Status.DELETED)).traits

    assert changed == MemoryTraits(
        scope=Scope.USER, user_id="u1", confidence=0.9, status=Status.SUPERSEDED
    )
    assert whole == MemoryTraits(status=Status.DELETED)
    with pytest.raises(InvalidInput, match=r"traits\.colour"):
        recompose(KEPT, traits={"colour": "red"})


def test_traits_can_be_given_to_what_has_none() -> None:
    mail = Item(kind=Kind.EMAIL, content="alpha")

    assert recompose(mail, traits={"importance": 0.9}).traits == MemoryTraits(importance=0.9)


def test_members_are_named_by_their_texts() -> None:
    assert one_of(Kind, "email", field="kind") is Kind.EMAIL
    assert one_of(Kind, Kind.TASK, field="kind") is Kind.TASK
    with pytest.raises(InvalidInput, match=r"kind: must be one of email, document.*got 'x'"):
        one_of(Kind, "x", field="kind")
