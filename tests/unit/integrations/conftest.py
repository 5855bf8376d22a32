"""A memory for the tests of the integrations; each test is skipped without its framework."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides import Memory, Settings


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of the shipped model: upstream suites expect the nearest to be found."""
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings) as opened:
        yield opened
