"""Small spaces to ask, with a fixed clock and an embedder that hashes words."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.ports.models import Embedder
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
HASHING: Final = HashingEmbedder()


@pytest.fixture
def now() -> datetime:
    """The clock of every question and write."""
    return NOW


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens a memory; None is no embedder, settings may be given."""
    opened: list[Memory] = []

    def open_one(
        *, embedder: Embedder | None = HASHING, home: str = "home", **given: Any
    ) -> Memory:
        name = "minilm" if embedder else "none"
        chosen = Settings(timezone="UTC", durability="relaxed", embedder=name, **given)
        memory = Memory(tmp_path / home, settings=chosen, embedder=embedder, clock=lambda: NOW)
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """A memory with nothing in it yet."""
    return open_memory()
