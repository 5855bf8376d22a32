"""A memory in a home of its own, with a clock that stands still and an embedder without a model."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)

Open = Callable[..., Memory]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return where the spaces lie; nothing is there yet."""
    return tmp_path / "home"


@pytest.fixture
def open_memory(home: Path) -> Iterator[Open]:
    """Return a maker of memories of this home; all are closed at the end."""
    opened: list[Memory] = []

    def make(**given: Any) -> Memory:
        settings = Settings(timezone="UTC", durability="relaxed", timeout_s=5.0)
        standard: dict[str, Any] = {
            "settings": settings,
            "embedder": HashingEmbedder(),
            "clock": lambda: NOW,
        }
        opened.append(Memory(home, **standard | given))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """Return a memory of the space `default`, which holds nothing yet."""
    return open_memory()
