"""A memory with a clock that a test moves, and small memories to compare."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from simonides import Item, Memory, MemoryTraits, Settings
from simonides_bench.testing.hashing import HashingEmbedder

NINE = datetime(2026, 3, 12, 9, tzinfo=UTC)


@dataclass(slots=True)
class Clock:
    """Stands where a test puts it."""

    now: datetime = NINE

    def __call__(self) -> datetime:
        return self.now

    def pass_hours(self, hours: float) -> None:
        self.now += timedelta(hours=hours)


@pytest.fixture
def clock() -> Clock:
    """A clock that stands at nine."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """A memory of a space that nothing was written to yet."""
    settings = Settings(timezone="UTC", durability="relaxed", timeout_s=5.0)
    with Memory(
        tmp_path / "home", settings=settings, embedder=HashingEmbedder(), clock=clock
    ) as opened:
        yield opened


@pytest.fixture
def active(memory: Memory) -> Callable[[], list[str]]:
    """Return what the active memories say, sorted."""
    return lambda: sorted(item.content for item in memory.list().items)


@pytest.fixture
def stated() -> Callable[..., Item]:
    """Return a maker of memories: a text, and traits or other fields by name."""

    def make(text: str, *, at: datetime | None = NINE, **given: Any) -> Item:
        others = {name: given.pop(name) for name in ("id", "happened_at") if name in given}
        return Item(content=text, traits=MemoryTraits(**given), stored_at=at, **others)

    return make
