"""What has expired is left out from its moment on, in every lane, and nothing else changes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from simonides import Filter, Memory, MemoryTraits, Settings
from simonides.errors import InvalidInput
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TICK = timedelta(microseconds=1)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    made: list[Memory] = []

    def make(**given: Any) -> Memory:
        made.append(
            Memory(
                tmp_path / "home", settings=Settings(timezone="UTC", **given),
                embedder=HashingEmbedder(), clock=lambda: NOON,
            )
        )  # fmt: skip
        return made[-1]

    yield make
    for one in made:
        one.close()


def fill(memory: Memory) -> None:
    for n in range(3):
        memory.add(
            f"Sarah moved the Alpha deadline to day {n}.",
            id=f"m{n}",
            traits=MemoryTraits(expires_at=NOON + n * SECOND),
        )
    memory.add("Sarah moved the Alpha deadline, says this mail.", kind="email", id="mail")


@pytest.mark.parametrize(
    ("now", "ids"),
    [
        (NOON - SECOND, {"m0", "m1", "m2", "mail"}),
        (NOON - TICK, {"m0", "m1", "m2", "mail"}),
        (NOON, {"m1", "m2", "mail"}),
        (NOON + SECOND, {"m2", "mail"}),
        (NOON + 99 * SECOND, {"mail"}),
    ],
)
@pytest.mark.parametrize(
    ("query", "how"),
    [
        ("Sarah Alpha deadline", {"mode": "text"}),
        ("Sarah Alpha deadline", {"mode": "vector"}),
        ("Sarah Alpha deadline", {"scorer": "rrf"}),
        ("Sarah Alpha deadline", {"scorer": "classic"}),
        ('"the Alpha deadline"', {}),
        ("adlin", {"mode": "text"}),
    ],
)
def test_it_is_left_out_from_its_moment_on(
    query: str, how: dict[str, Any], now: datetime, ids: set[str], opened: Any
) -> None:
    memory = opened()
    fill(memory)

    assert {hit.id for hit in memory.search(query, now=now, **how)} == ids
    every = memory.search(query, now=now, filter=Filter(expired=True), **how)
    assert {hit.id for hit in every} == {"m0", "m1", "m2", "mail"}


def test_it_changes_no_score_of_what_is_left(opened: Any) -> None:
    memory = opened()
    fill(memory)
    how = {"now": NOON + 99 * SECOND}
    some = memory.search("Sarah Alpha deadline", **how)
    every = memory.search("Sarah Alpha deadline", filter=Filter(expired=True), **how)

    assert {hit.id: hit.score for hit in some}.items() <= {h.id: h.score for h in every}.items()


def test_an_index_that_was_written_down_knows_it_too(opened: Any) -> None:
    memory = opened()
    memory.add([f"filler {n}" for n in range(2_000)])
    fill(memory)
    memory.search("x")
    memory.close()
    again = opened()

    assert {h.id for h in again.search("Sarah Alpha deadline", mode="text")} == {
        "m1", "m2", "mail",
    }  # fmt: skip


def test_a_later_version_may_hold_longer_or_for_ever(opened: Any) -> None:
    memory = opened()
    fill(memory)
    memory.update("m0", traits={"expires_at": NOON + SECOND})
    memory.update("m1", traits=MemoryTraits())

    assert len(memory.search("Sarah Alpha deadline")) == 4
    assert {h.id for h in memory.search("Sarah Alpha deadline", now=NOON + 9 * SECOND)} == {
        "m1", "mail",
    }  # fmt: skip


def test_whether_it_comes_back_is_true_or_false() -> None:
    with pytest.raises(InvalidInput, match="expired: must be true or false, got 'yes'"):
        Filter(expired="yes")  # type: ignore[arg-type]
