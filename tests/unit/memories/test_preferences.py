"""What a statement does to a preference, row by row, and how one fades and is kept."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.memories.preferences import (
    after_statement,
    fade,
    id_of,
    item_of,
    key_of,
    preference_of,
    strongest,
    value_of,
)
from simonides.model.chat import Origin, Preference
from simonides.model.item import Kind, MemoryTraits, MemoryType, Scope, Status

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
DAY = timedelta(days=1)
SAID, SEEN = Origin.EXPLICIT, Origin.INFERRED


def kept(value: str = "short", origin: Origin = SAID, confidence: float = 0.8, **more: Any) -> Any:
    given = {"seen": 1, "updated_at": NOW - 30 * DAY, **more}
    return Preference(key="tone", value=value, origin=origin, confidence=confidence, **given)


def stated(before: Preference | None, value: str, origin: Origin) -> Preference:
    return after_statement(before, key="tone", value=value, origin=origin, now=NOW)


# What is kept (value, origin, confidence), what is stated, and what is kept after it.
DECISIONS = [
    (None, ("short", SAID), ("short", SAID, 0.8)),
    (None, ("short", SEEN), ("short", SEEN, 0.5)),
    # the same again: + (1 - c) x .1, to at most .9
    (("short", SAID, 0.8), ("short", SAID), ("short", SAID, 0.82)),
    (("short", SAID, 0.8), ("short", SEEN), ("short", SAID, 0.82)),
    (("short", SEEN, 0.5), ("short", SEEN), ("short", SEEN, 0.55)),
    (("short", SAID, 0.895), ("short", SAID), ("short", SAID, 0.9)),
    (("short", SAID, 0.9), ("short", SEEN), ("short", SAID, 0.9)),
    (("short", SAID, 0.8), ("SHORT", SEEN), ("short", SAID, 0.82)),
    # stated after it was observed: explicit, and at least .8
    (("short", SEEN, 0.5), ("short", SAID), ("short", SAID, 0.8)),
    (("short", SEEN, 0.88), ("short", SAID), ("short", SAID, 0.892)),
    (("short", SAID, 0.4), ("short", SAID), ("short", SAID, 0.8)),
    # another value that is stated takes the place of whatever is kept
    (("short", SAID, 0.9), ("long", SAID), ("long", SAID, 0.8)),
    (("short", SEEN, 0.9), ("long", SAID), ("long", SAID, 0.8)),
    # another value that is observed: x .8; below .3 it takes the place, at .3
    (("short", SAID, 0.8), ("long", SEEN), ("short", SAID, 0.64)),
    (("short", SEEN, 0.5), ("long", SEEN), ("short", SEEN, 0.4)),
    (("short", SEEN, 0.375), ("long", SEEN), ("short", SEEN, 0.3)),
    (("short", SEEN, 0.374), ("long", SEEN), ("long", SEEN, 0.3)),
    (("short", SAID, 0.3), ("long", SEEN), ("long", SEEN, 0.3)),
]


@pytest.mark.parametrize(("before", "said", "after"), DECISIONS)
def test_a_statement_is_decided_by_the_table(before: Any, said: Any, after: Any) -> None:
    given = None if before is None else kept(*before)
    result = stated(given, *said)

    assert (result.value, result.origin) == after[:2]
    assert result.confidence == pytest.approx(after[2], abs=1e-9)


def test_what_is_new_was_seen_once_and_now() -> None:
    for before in (None, kept("long", seen=7)):
        result = stated(before, "short", SAID)
        assert (result.key, result.seen, result.updated_at) == ("tone", 1, NOW)


def test_what_is_said_again_was_seen_once_more_and_now() -> None:
    result = stated(kept(seen=4), "short", SEEN)

    assert (result.seen, result.updated_at) == (5, NOW)


def test_a_conflict_is_no_sight_of_what_is_kept() -> None:
    result = stated(kept(seen=4), "long", SEEN)

    assert (result.value, result.seen, result.updated_at) == ("short", 4, NOW - 30 * DAY)


@pytest.mark.parametrize(
    ("origin", "confidence", "times"), [(SAID, 0.8, 5), (SAID, 0.9, 5), (SEEN, 0.5, 3)]
)
def test_so_many_conflicts_it_takes_until_the_other_value_stands(
    origin: Origin, confidence: float, times: int
) -> None:
    result, count = kept("short", origin, confidence), 0
    while result.value == "short":
        result, count = stated(result, "long", SEEN), count + 1

    assert (count, result.origin, result.confidence) == (times, SEEN, 0.3)


def test_a_clock_that_was_set_back_makes_nothing_older() -> None:
    result = stated(kept(updated_at=NOW + DAY), "short", SAID)

    assert result.updated_at == NOW + DAY


@pytest.mark.parametrize(
    ("origin", "days", "share"),
    [(SAID, 0, 1.0), (SAID, 365, 0.5), (SAID, 730, 0.25), (SEEN, 90, 0.5), (SEEN, -5, 1.0)],
)
def test_it_fades_by_its_half_life(origin: Origin, days: int, share: float) -> None:
    before = kept("short", origin, 0.8, updated_at=NOW - days * DAY)

    assert fade(before, now=NOW) == replace(before, confidence=pytest.approx(0.8 * share))


def test_it_never_fades_away() -> None:
    assert fade(kept(updated_at=NOW - 36_500 * DAY), now=NOW).confidence == 0.05


def test_the_strongest_come_first_and_equals_by_key() -> None:
    found = [
        replace(kept(confidence=c), key=key) for key, c in (("b", 0.5), ("c", 0.8), ("a", 0.5))
    ]

    assert [one.key for one in strongest(found)] == ["c", "a", "b"]


# ── as it is kept ────────────────────────────────────────────────────────────────────────────────


def test_it_is_kept_as_a_memory_of_type_policy() -> None:
    item = item_of(kept("short and plain", seen=3))

    assert (item.kind, item.source, item.source_id) == (Kind.MEMORY, "preference", "tone")
    assert (item.content, item.collection) == ("tone: short and plain", "preferences")
    assert item.traits == MemoryTraits(
        scope=Scope.USER, type=MemoryType.POLICY, entity="tone", confidence=0.8
    )
    assert item.id == id_of("tone")


@pytest.mark.parametrize("origin", Origin)
def test_it_is_read_back_as_it_was_kept(origin: Origin) -> None:
    before = kept("short: and plain", origin, 0.64, seen=3)
    item = item_of(before)

    assert preference_of(item) == replace(before, id=item.id)


@pytest.mark.parametrize(
    "change",
    [
        {"source": "note"},
        {"metadata": {}},
        {"metadata": {"_value": "x", "_origin": "guessed"}},
        {"metadata": {"_value": 3, "_origin": "explicit"}},
        {"metadata": {"_value": "x", "_origin": []}},
        {"happened_at": None},
        {"traits": MemoryTraits(type=MemoryType.POLICY, status=Status.SUPERSEDED)},
        {"kind": Kind.DOCUMENT, "traits": None},
    ],
)
def test_an_item_that_is_no_preference_is_none(change: dict[str, Any]) -> None:
    assert preference_of(replace(item_of(kept()), **change)) is None


def test_a_count_that_is_none_is_one() -> None:
    item = item_of(kept())
    item = replace(item, metadata={**item.metadata, "_seen": "many"})

    assert preference_of(item) == replace(kept(), id=item.id)


# ── keys and values ──────────────────────────────────────────────────────────────────────────────


def test_a_key_is_one_line_of_small_letters_and_a_value_one_line() -> None:
    assert key_of("  Message\n Style ") == "message style"
    assert value_of("  Short,\n and  plain ") == "Short, and plain"


@pytest.mark.parametrize("text", ["", " \n", "\x00", "\u200b", "x" * 301, None, 3, b"x"])
def test_a_key_or_value_that_does_not_fit_is_refused_by_its_name(text: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^key: "):
        key_of(text)
    with pytest.raises(InvalidInput, match=r"^value: "):
        value_of(text)


def test_the_longest_ones_are_kept() -> None:
    assert len(key_of("x" * 64)) == 64
    assert len(value_of("x" * 300)) == 300
    with pytest.raises(InvalidInput, match="key: must have at most 64 characters, got 65"):
        key_of("x" * 65)
