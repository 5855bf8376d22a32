"""`expires_at`: from when on a memory holds no more; to the microsecond, and never by default."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Filter, Item, Kind, Memory, MemoryTraits, Person, Role, Settings
from simonides.codec.read import read_item
from simonides.codec.write import to_line
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.compose import compose, recompose
from simonides.model.item import MemoryType, Scope, Status, digest
from simonides.model.stored import Change
from simonides.storage.sqlite import pages

NOON: Final = datetime(2026, 3, 12, 12, 0, 0, 250_001, tzinfo=UTC)
TICK: Final = timedelta(microseconds=1)
FIRST: Final = datetime.min.replace(tzinfo=UTC)
LAST: Final = datetime.max.replace(tzinfo=UTC)

Open = Callable[[], Memory]


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens the same home; the clock says noon."""
    opened: list[Memory] = []

    def make() -> Memory:
        settings = Settings(timezone="UTC", durability="relaxed", embedder="none")
        opened.append(Memory(tmp_path / "home", settings=settings, clock=lambda: NOON))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def rewrite_traits(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the traits of every item as the file has them."""
    file = tmp_path / "home" / "spaces" / "default.sqlite3"
    with closing(pages.open_file(file)) as raw:
        for key, text in raw.execute("SELECT key, traits FROM item").fetchall():
            traits = json.loads(str(text))
            change(traits)
            raw.execute("UPDATE item SET traits = ? WHERE key = ?", (json.dumps(traits), key))


# ── the record ───────────────────────────────────────────────────────────────────────────────────

DIGESTS: Final = [
    (
        Item(id="a", content="alpha"),
        "0eac9ed732dc65aca19cd65598be4a77",
    ),
    (
        Item(
            id="a", content="alpha",
            traits=MemoryTraits(
                scope=Scope.GLOBAL, type=MemoryType.POLICY, status=Status.SUPERSEDED,
                confidence=0.25, importance=1, half_life_hours=24.0, entity="Alpha",
                workspace_id="w", user_id="u", session_id="s", source_run_id="r",
            ),
        ),
        "da5c47bce85f93dfbc6cb3b93146b4e4",
    ),
    (
        Item(
            kind=Kind.EMAIL, source="gmail", source_id="m-1", title="Re: Alpha",
            content="It moved to Friday.", quoted="> when?", summary="moved", tags=("alpha",),
            people=(
                Person(name="Ines", address="ines@example.com"),
                Person(address="tom@example.com", role=Role.TO),
            ),
            metadata={"folder": "inbox", "_n": [1, 2.5, None]}, session="t", position=3,
            happened_at=datetime(2026, 3, 6, 15, 30, tzinfo=UTC), language="en",
        ),
        "aec836ac5537cc39915bb391622bae77",
    ),
]  # fmt: skip
"""Items and their digests by the engine that did not know `expires_at` (commit ab8684a)."""


@pytest.mark.parametrize(("item", "known"), DIGESTS)
def test_an_item_that_does_not_expire_has_the_digest_it_always_had(item: Item, known: str) -> None:
    assert digest(item).hex() == known


def test_when_it_expires_is_part_of_the_digest_in_whatever_zone_it_is_told() -> None:
    vienna = timezone(timedelta(hours=1))
    reported = [
        digest(Item(id="a", content="alpha", traits=MemoryTraits(expires_at=when)))
        for when in (None, NOON, NOON.astimezone(vienna), NOON + TICK)
    ]

    assert reported[1] == reported[2]
    assert len(set(reported)) == 3


def test_it_is_kept_in_utc() -> None:
    vienna = timezone(timedelta(hours=1))
    kept = MemoryTraits(expires_at=NOON.astimezone(vienna)).expires_at

    assert kept == NOON
    assert kept is not None
    assert kept.tzinfo is UTC


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("soon", "is no date"),
        (0, "is no date"),
        (LAST.replace(tzinfo=timezone(-timedelta(hours=1))), "lies outside the years"),
    ],
)
def test_what_is_no_moment_is_refused_by_name(given: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=f"expires_at: .*{problem}"):
        MemoryTraits(expires_at=given)


def test_plain_values_become_a_moment() -> None:
    for given in ("2026-03-12T12:00:00.250001Z", "2026-03-12T13:00:00.250001+01:00", NOON):
        item = compose("alpha", traits={"expires_at": given})
        assert item.traits == MemoryTraits(expires_at=NOON)
    assert compose("alpha", traits={"expires_at": None}).traits == MemoryTraits()
    for wrong in ("soon", "", 7):
        with pytest.raises(InvalidInput, match=r"^(traits\.)?expires_at: "):
            compose("alpha", traits={"expires_at": wrong})


def test_an_update_keeps_sets_and_takes_it_back() -> None:
    item = compose("alpha", traits={"expires_at": NOON, "importance": 0.25})
    kept = recompose(item, traits={"importance": 0.75})
    moved = recompose(item, traits={"expires_at": NOON + TICK})
    freed = recompose(item, traits={"expires_at": None})

    assert kept.traits == MemoryTraits(expires_at=NOON, importance=0.75)
    assert moved.traits == MemoryTraits(expires_at=NOON + TICK, importance=0.25)
    assert freed.traits == MemoryTraits(importance=0.25)
    assert recompose(item, title="Alpha").traits == item.traits


# ── on the wire ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("when", [NOON, NOON.replace(microsecond=0), FIRST, LAST])
def test_it_comes_back_from_json_as_it_was(when: datetime) -> None:
    item = Item(content="alpha", traits=MemoryTraits(expires_at=when))

    assert read_item(json.loads(to_line(item))) == item


def test_json_without_a_zone_is_in_the_users() -> None:
    record = {"content": "alpha", "traits": {"expires_at": "2026-03-12T13:00:00.250001"}}

    assert read_item(record, timezone="Europe/Vienna").traits == MemoryTraits(expires_at=NOON)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (5, "must be text, got int"),
        (True, "must be text, got bool"),
        ({}, "must be text, got dict"),
        ("soon", "'soon' is no date"),
    ],
)
def test_json_that_is_no_time_is_refused_by_the_name_of_its_field(given: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=rf"traits\.expires_at: {problem}"):
        read_item({"content": "alpha", "traits": {"expires_at": given}})


# ── in the store ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("when", [None, NOON, FIRST, LAST, FIRST + TICK])
def test_it_comes_back_from_the_store_as_it_was(open_memory: Open, when: datetime | None) -> None:
    item = Item(id="a", content="alpha", traits=MemoryTraits(expires_at=when), language="en")
    with open_memory() as memory:
        memory.add(item)
    again = open_memory()

    assert again.get("a").traits == item.traits
    assert again.add(item).change is Change.UNCHANGED
    assert all(finding.sound for finding in again.doctor())


def test_an_earlier_version_keeps_its_own(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("alpha", id="a", traits={"expires_at": NOON})
    memory.update("a", traits={"expires_at": None})
    with memory._runtime.store.open_any("default").read() as reader:
        first, second = reader.version("a", 1), reader.version("a", 2)

    assert first is not None
    assert second is not None
    assert first.traits == MemoryTraits(expires_at=NOON)
    assert second.traits == MemoryTraits()


def test_a_row_of_an_engine_that_did_not_know_it_reads_back_and_is_unchanged(
    open_memory: Open, tmp_path: Path
) -> None:
    item = Item(id="a", content="alpha", traits=MemoryTraits(importance=0.25), language="en")
    with open_memory() as memory:
        memory.add(item)
    rewrite_traits(tmp_path, lambda traits: traits.pop("expires_at"))
    again = open_memory()

    assert again.get("a").traits == item.traits
    assert again.add(item).change is Change.UNCHANGED
    assert [hit.id for hit in again.search("alpha")] == ["a"]


@pytest.mark.parametrize("written", [10**30, "soon", [], {}])
def test_a_time_that_cannot_be_is_reported_as_damage(
    open_memory: Open, tmp_path: Path, written: Any
) -> None:
    with open_memory() as memory:
        memory.add("alpha", id="a", traits={"expires_at": NOON})
    rewrite_traits(tmp_path, lambda traits: traits.update(expires_at=written))
    again = open_memory()

    with pytest.raises(StoreCorrupt, match="item 'a' cannot be read back"):
        again.get("a")
    with pytest.raises(StoreCorrupt, match="cannot be read back"):
        again.search("alpha")
    found = again._runtime.store.open_any("default").check()
    assert any("1 items cannot be read back" in one.detail for one in found)


# ── in a brief ───────────────────────────────────────────────────────────────────────────────────


def test_what_has_expired_is_found_only_if_asked_for_and_left_out_of_briefs_with_the_reason(
    open_memory: Open,
) -> None:
    memory = open_memory()
    for name, when in (("now", NOON), ("before", NOON - TICK), ("later", NOON + TICK)):
        memory.add(f"the harbor is closed, notice {name}", id=name, traits={"expires_at": when})
    memory.add("the harbor opens at nine", id="never")
    every = Filter(expired=True)
    brief = memory.brief("when is the harbor closed?", filter=every, worth_min=0.0)
    dropped = {one.id: (one.reason.value, one.detail) for one in brief.dropped}

    assert len(memory.search("harbor", filter=every).hits) == 4
    assert {hit.id for hit in memory.search("harbor")} == {"later", "never"}
    assert {one.id for one in brief.items} == {"later", "never"}
    assert dropped == {
        "now": ("expired", "expired at 2026-03-12 12:00 UTC"),
        "before": ("expired", "expired at 2026-03-12 12:00 UTC"),
    }
    earlier = memory.brief("when is the harbor closed?", now=NOON - 2 * TICK, worth_min=0.0)
    assert not earlier.dropped


@pytest.mark.parametrize("layout", ["brief", "sourced", "scoped"])
@pytest.mark.parametrize("expired", [False, True])
def test_no_layout_shows_what_has_expired(open_memory: Open, layout: str, *, expired: bool) -> None:
    memory = open_memory()
    memory.add("the harbor is closed", id="gone", traits={"expires_at": NOON})
    memory.add("the harbor opens at nine", id="here")
    brief = memory.brief("harbor", layout=layout, filter=Filter(expired=expired))

    assert "closed" not in brief.text
    assert "opens at nine" in brief.text
