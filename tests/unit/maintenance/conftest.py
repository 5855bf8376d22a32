"""A memory whose files tests look into."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.ports.space import Space
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
NOON: Final = datetime(2026, 3, 12, 12, tzinfo=UTC)

Open = Callable[..., Memory]


@dataclass
class Clock:
    """A clock that stands where it is set."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the memory."""
    return Clock()


@pytest.fixture(scope="session")
def memory_at() -> Callable[..., Memory]:
    """Return a function that opens the memory of any home."""

    def make(home: Path, *, space: str = "ana", dimension: int = 16, **settings: Any) -> Memory:
        given = {"timezone": "UTC", "durability": "relaxed", "timeout_s": 0.2, **settings}
        embedder = HashingEmbedder(dimension) if dimension else None
        if embedder is None:
            given["embedder"] = "none"
        return Memory(
            home, space=space, settings=Settings(**given), embedder=embedder, clock=lambda: NOW
        )

    return make


@pytest.fixture
def open_memory(tmp_path: Path, memory_at: Callable[..., Memory]) -> Iterator[Open]:
    """Return a maker of memories of one home; all are closed at the end."""
    opened: list[Memory] = []

    def make(**given: Any) -> Memory:
        opened.append(memory_at(tmp_path / "home", **given))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def space_of() -> Callable[[Memory], Space]:
    """Return a function that opens the space of a memory as the store has it."""
    return lambda memory: memory._runtime.store.open_any(memory.space)


@pytest.fixture
def bytes_left(tmp_path: Path) -> Callable[..., list[str]]:
    """Return a function that names the files of the home in which some bytes stand.

    Only for after everything is closed: reading the files drops the locks of this process.
    """

    def left(*needles: str) -> list[str]:
        files = [one for one in (tmp_path / "home").rglob("*") if one.is_file()]
        return sorted(
            f"{one.name}: {needle}"
            for one in files
            for needle in needles
            if needle.encode() in one.read_bytes()
        )

    return left
