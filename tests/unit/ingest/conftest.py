"""A memory whose embedder remembers what it was asked, and can be made to fail."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from simonides import Memory, Settings
from simonides_bench.testing.hashing import CountingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """The time by the clock of the memory."""
    return NOW


@pytest.fixture
def embedder() -> CountingEmbedder:
    """The embedder of the memory."""
    return CountingEmbedder()


@pytest.fixture
def memory(tmp_path: Path, embedder: CountingEmbedder) -> Iterator[Memory]:
    """A memory with nothing in it yet."""
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings, embedder=embedder, clock=lambda: NOW) as opened:
        yield opened
