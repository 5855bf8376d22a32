"""What makes two items the same one, and what makes one of them changed."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.item import (
    ID_CHARS_MAX,
    Item,
    Kind,
    MemoryTraits,
    Person,
    Role,
    Scope,
    digest,
    in_language,
)

WHEN = datetime(2026, 3, 12, 9, tzinfo=UTC)
PLAIN: dict[str, Any] = {"id": "a", "content": "alpha", "kind": Kind.MEMORY}


@pytest.mark.parametrize(
    "changes",
    [
        {"content": "beta"}, {"title": "t"}, {"summary": "s"}, {"quoted": "q"}, {"tags": ("t",)},
        {"people": (Person(name="Ines"),)}, {"metadata": {"n": 1}}, {"collection": "side"},
        {"session": "s"}, {"position": 0}, {"happened_at": WHEN}, {"language": "de"},
        {"source": "gmail"}, {"source_id": "7"}, {"kind": Kind.DOCUMENT}, {"id": "b"},
        {"traits": MemoryTraits(importance=0.6)}, {"traits": MemoryTraits(scope=Scope.GLOBAL)},
        {"traits": MemoryTraits(half_life_hours=1.0)}, {"traits": MemoryTraits(entity="x")},
    ],
)  # fmt: skip
def test_whatever_a_caller_changes_changes_the_digest(changes: dict[str, Any]) -> None:
    assert digest(Item(**{**PLAIN, **changes})) != digest(Item(**PLAIN))


def test_a_role_is_part_of_the_digest() -> None:
    first, second = (
        Item(content="alpha", id="a", people=(Person(name="Ines", role=role),))
        for role in (Role.TO, Role.CC)
    )

    assert digest(first) != digest(second)


def test_what_the_store_sets_is_no_part_of_the_digest() -> None:
    kept = Item(**PLAIN, stored_at=WHEN, revision=7, version=3)

    assert digest(kept) == digest(Item(**PLAIN))
    assert len(digest(kept)) == 16


def test_a_new_item_has_no_revision_and_no_version_yet() -> None:
    item = Item(content="alpha")

    assert (item.revision, item.version, item.stored_at) == (0, 0, None)


def test_the_longest_id_is_taken_and_one_character_more_is_not() -> None:
    assert Item(content="alpha", id="x" * ID_CHARS_MAX).id == "x" * 256
    with pytest.raises(InvalidInput, match="id: must have at most 256 characters"):
        Item(content="alpha", id="x" * (ID_CHARS_MAX + 1))


@pytest.mark.parametrize("share", [0.0, 1.0, 0, 1])
def test_both_ends_of_a_share_are_taken(share: float) -> None:
    traits = MemoryTraits(confidence=share, importance=share, half_life_hours=0)

    assert (traits.confidence, traits.importance, traits.half_life_hours) == (share, share, 0)


@pytest.mark.parametrize("share", [-1e-9, 1 + 1e-9, float("nan")])
@pytest.mark.parametrize("name", ["confidence", "importance"])
def test_a_share_beyond_its_ends_is_refused(name: str, share: float) -> None:
    with pytest.raises(InvalidInput) as caught:
        MemoryTraits(**{name: share})  # type: ignore[arg-type]

    assert caught.value.field == name


def test_an_item_in_a_language_is_the_same_but_for_that() -> None:
    item = Item(
        content="alpha", title="t", people=(Person(name="Ines"),), happened_at=WHEN, kind=Kind.TASK,
        metadata={"n": 1}, tags=("a",), position=3, stored_at=WHEN, revision=4, version=5,
    )  # fmt: skip

    assert in_language(item, "de") == replace(item, language="de")
    assert in_language(item, "de") is not item
    assert item.language == ""


def test_a_language_is_checked_as_any_text() -> None:
    with pytest.raises(InvalidInput, match="half a character"):
        in_language(Item(content="alpha"), "\ud800")


def test_the_digest_is_over_the_json_of_all_that_callers_set() -> None:
    item = Item(content="älpha", metadata={"b": 1, "a": "WHEN"}, people=(Person(name="Ines"),))
    reported = {
        "kind": "memory", "content": "älpha", "source": "note", "source_id": "", "id": item.id,
        "title": "", "summary": "", "quoted": "", "tags": [],
        "people": [["Ines", "", "author"]], "metadata": {"b": 1, "a": "WHEN"},
        "collection": "main", "session": "", "position": None, "happened_at": None,
        "language": "", "traits": {
            "scope": "user", "type": "episodic", "status": "active", "confidence": 0.7,
            "importance": 0.5, "half_life_hours": None, "entity": "", "workspace_id": "",
            "user_id": "", "session_id": "", "source_run_id": "",
        },
    }  # fmt: skip
    text = json.dumps(reported, sort_keys=True, ensure_ascii=False)

    assert digest(item) == hashlib.blake2b(text.encode(), digest_size=16).digest()
