"""Items: what may be kept, how it is named, and when two of them are the same."""

from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import Item, Kind, Person
from simonides.errors import InvalidInput
from simonides.model.item import (
    ID_CHARS_MAX,
    MemoryTraits,
    MemoryType,
    Role,
    Scope,
    Status,
    digest,
    short_hash,
)

WHEN: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)


def refused(field: str, **values: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        Item(**{"content": "alpha", **values})
    assert caught.value.field == field
    return caught.value.problem


# ── what may be kept ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "letter"),
        ("kind", None),
        ("content", 5),
        ("content", None),
        ("content", b"alpha"),
        ("title", "\ud800"),
        ("content", "half \udfff"),
        ("quoted", "\udc80"),
        ("source_id", "a\ud800"),
        ("source", ""),
        ("id", "x" * (ID_CHARS_MAX + 1)),
        ("id", "a\nb"),
        ("id", "a\x00"),
        ("tags", "red"),
        ("tags", 5),
        ("tags", [1]),
        ("people", "Sarah"),
        ("people", ["Sarah"]),
        ("metadata", [1]),
        ("metadata", None),
        ("metadata", "{}"),
        ("position", "3"),
        ("position", 1.5),
        ("position", True),
        ("happened_at", "soon"),
        ("happened_at", 3),
        ("happened_at", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9)))),
        ("traits", {"scope": "user"}),
    ],
)
def test_what_does_not_fit_is_refused_by_the_fields_name(field: str, value: Any) -> None:
    assert refused(field, **{field: value})


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0"])
def test_an_item_needs_words(blank: str) -> None:
    assert "nothing to keep" in refused("content", content=blank, title=blank)
    assert Item(content=blank, title="Plan").title == "Plan"


def test_a_collection_needs_a_name() -> None:
    assert "must not be empty" in refused("collection", collection="")


def test_plain_values_take_their_form() -> None:
    item = Item(
        content="alpha",
        kind="task",
        tags=["b", "a"],
        people=[Person(name="Uwe")],
        metadata=MappingProxyType({"n": 1}),
        happened_at=WHEN.astimezone(timezone(timedelta(hours=5, minutes=30))),
    )

    assert item.kind is Kind.TASK
    assert item.tags == ("b", "a")
    assert item.people == (Person(name="Uwe"),)
    assert item.happened_at == WHEN
    assert item.happened_at.tzinfo is UTC


def test_a_set_of_tags_has_one_order() -> None:
    tags: Any = {"d", "c", "b", "a", "e"}

    assert Item(content="alpha", tags=tags).tags == ("a", "b", "c", "d", "e")


def test_a_long_text_is_looked_through_quickly_and_wholly() -> None:
    long = "größe " * 200_000

    assert Item(content=long).content == long
    refused("content", content=long + "\ud83d")


def test_only_memories_have_traits_by_themselves() -> None:
    assert Item(content="alpha").traits == MemoryTraits()
    assert Item(content="alpha", kind=Kind.EMAIL).traits is None


def test_the_author_is_the_first_who_is_one() -> None:
    people = (Person(name="A", role=Role.TO), Person(name="B"), Person(name="C"))

    assert Item(content="alpha", people=people).author == people[1]
    assert Item(content="alpha", people=people[:1]).author is None


def test_an_item_stays_as_it_is() -> None:
    with pytest.raises(FrozenInstanceError):
        Item(content="alpha").content = "beta"  # type: ignore[misc]


@pytest.mark.parametrize(
    "values", [{}, {"name": "", "address": ""}, {"name": 5}, {"name": "A", "role": "boss"}]
)
def test_a_person_needs_a_name_or_an_address_and_a_known_role(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="people"):
        Person(**values)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("confidence", 1.1), ("confidence", -0.1), ("confidence", float("nan")),
        ("confidence", "high"), ("importance", 2), ("importance", True), ("importance", None),
        ("half_life_hours", -1.0), ("half_life_hours", float("nan")), ("half_life_hours", "1"),
        ("scope", "world"), ("type", "gossip"), ("status", None),
    ],
)  # fmt: skip
def test_traits_out_of_range_are_refused(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=field):
        MemoryTraits(**{field: value})


def test_traits_have_the_defaults_of_the_systems_before() -> None:
    traits = MemoryTraits()

    assert (traits.confidence, traits.importance, traits.half_life_hours) == (0.7, 0.5, None)
    assert MemoryTraits(half_life_hours=0).half_life_hours == 0
    given: dict[str, Any] = {"scope": "global", "type": "policy", "status": "deleted"}
    assert MemoryTraits(**given).scope is Scope.GLOBAL
    assert MemoryTraits(**given).type is MemoryType.POLICY
    assert MemoryTraits(**given).status is Status.DELETED


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_a_derived_id_has_26_small_letters_and_digits() -> None:
    ids = [Item(content=str(n)).id for n in range(50)]

    assert len(set(ids)) == 50
    assert all(len(one) == 26 and one.isalnum() and one == one.lower() for one in ids)
    assert short_hash("a") == short_hash("a") != short_hash("b")


def test_a_source_id_names_the_item_whatever_it_says() -> None:
    first = Item(content="alpha", source="gmail", source_id="7", happened_at=WHEN)

    assert Item(content="beta", source="gmail", source_id="7", kind=Kind.EMAIL).id == first.id
    assert Item(content="alpha", source="jira", source_id="7").id != first.id
    assert Item(content="alpha", source="gmail", source_id="8").id != first.id


@pytest.mark.parametrize(
    "other",
    [
        {"content": "beta"}, {"title": "t"}, {"kind": Kind.EVENT}, {"session": "s"},
        {"happened_at": WHEN}, {"source": "chat"},
    ],
)  # fmt: skip
def test_without_a_source_id_kind_session_time_and_text_name_the_item(
    other: dict[str, Any],
) -> None:
    assert Item(content="alpha").id == Item(content="alpha").id
    assert Item(**{"content": "alpha", **other}).id != Item(content="alpha").id


@pytest.mark.parametrize(
    "other",
    [{"tags": ("a",)}, {"people": (Person(name="A"),)}, {"metadata": {"a": 1}}, {"summary": "s"}],
)
def test_what_is_said_about_an_item_does_not_name_it(other: dict[str, Any]) -> None:
    assert Item(**{"content": "alpha", **other}).id == Item(content="alpha").id


def test_the_zone_of_a_time_does_not_name_the_item() -> None:
    elsewhere = WHEN.astimezone(timezone(timedelta(hours=-8)))

    assert Item(content="a", happened_at=elsewhere).id == Item(content="a", happened_at=WHEN).id


def test_a_given_id_is_kept() -> None:
    assert Item(content="alpha", id="mine").id == "mine"


# ── digests ──────────────────────────────────────────────────────────────────────────────────────

OTHER: Final[dict[str, Any]] = {
    "kind": Kind.EVENT, "content": "beta", "source": "chat", "source_id": "9", "id": "other",
    "title": "t", "summary": "s", "quoted": "q", "tags": ("red",), "collection": "side",
    "people": (Person(name="Uwe", role=Role.TO),), "metadata": {"n": 1}, "session": "s",
    "position": 1, "happened_at": WHEN, "language": "de", "traits": MemoryTraits(importance=0.6),
}  # fmt: skip
SET_BY_THE_STORE: Final[dict[str, Any]] = {"stored_at": WHEN, "revision": 5, "version": 2}


def test_every_field_that_can_be_set_is_told_apart() -> None:
    assert {one.name for one in fields(Item)} == {*OTHER, *SET_BY_THE_STORE}


@pytest.mark.parametrize("field", OTHER)
def test_a_digest_changes_with_each_field_that_can_be_set(field: str) -> None:
    item = Item(content="alpha", id="a")

    assert digest(replace(item, **{field: OTHER[field]})) != digest(item)
    assert len(digest(item)) == 16


@pytest.mark.parametrize("field", SET_BY_THE_STORE)
def test_a_digest_does_not_change_with_what_the_store_sets(field: str) -> None:
    item = Item(content="alpha", id="a")

    assert digest(replace(item, **{field: SET_BY_THE_STORE[field]})) == digest(item)


@pytest.mark.parametrize("field", [one.name for one in fields(MemoryTraits)])
def test_a_digest_changes_with_each_trait(field: str) -> None:
    other: dict[str, Any] = {
        "scope": Scope.GLOBAL, "type": MemoryType.POLICY, "status": Status.DELETED,
        "confidence": 0.1, "importance": 0.1, "half_life_hours": 1.0, "expires_at": WHEN,
    }  # fmt: skip
    item = Item(content="alpha", id="a")
    changed = replace(item, traits=MemoryTraits(**{field: other.get(field, "x")}))

    assert digest(changed) != digest(item)


@pytest.mark.parametrize(
    "people",
    [
        (Person(name="A", address="a@example.com"), Person(name="B")),
        (Person(name="B"), Person(name="A")),
        (Person(name="A"), Person(name="B", role=Role.TO)),
    ],
)
def test_a_digest_changes_with_each_part_of_the_people(people: tuple[Person, ...]) -> None:
    item = Item(content="alpha", people=(Person(name="A"), Person(name="B")))

    assert digest(replace(item, people=people)) != digest(item)


plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("aé")
)
json_values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=6,
)  # fmt: skip


@given(metadata=st.dictionaries(st.text("abc", max_size=2), json_values, max_size=4))
def test_the_order_of_keys_is_no_difference(metadata: dict[str, Any]) -> None:
    item = Item(content="a", metadata=metadata)
    turned = replace(item, metadata=dict(reversed(metadata.items())))

    assert digest(turned) == digest(item)


@pytest.mark.parametrize("value", [True, 1.0, "1", [1], None])
def test_values_of_different_sorts_are_a_difference(value: Any) -> None:
    one, other = (Item(content="a", metadata={"n": each}) for each in (1, value))

    assert digest(one) != digest(other)


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("metadata", [{1: 1, "b": 2}, {"a": "\ud800"}, {"a": deep(100_000)}])
def test_metadata_that_is_no_json_is_refused(metadata: Any) -> None:
    with pytest.raises(InvalidInput, match="metadata"):
        digest(Item(content="alpha", metadata=metadata))
