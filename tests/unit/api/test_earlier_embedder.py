"""A space whose vectors an earlier version of the configured embedder made."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Memory, Settings
from simonides.errors import WrongEmbedder
from simonides.model.answer import Finding
from simonides.model.stored import EmbedderIdentity
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


class Mirrored(HashingEmbedder):
    """A newer version whose vectors point the other way."""

    def __init__(self) -> None:
        super().__init__(32)
        self.older = HashingEmbedder(32)

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity of the newer version."""
        return replace(super().identity, model="testing-hash/2")

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of the newer version."""
        return -super().embed(texts)

    def earlier(self, identity: EmbedderIdentity) -> HashingEmbedder | None:
        """Return the older version for its own vectors."""
        return self.older if identity == self.older.identity else None


def opened(home: Path, embedder: HashingEmbedder) -> Memory:
    settings = Settings(timezone="UTC")
    return Memory(home, space="ana", settings=settings, embedder=embedder, clock=lambda: NOON)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a space of the older version."""
    with opened(tmp_path / "home", HashingEmbedder(32)) as memory:
        memory.add("The boiler man comes on Tuesday", id="boiler")
    return tmp_path / "home"


def finding(memory: Memory) -> Finding | None:
    return next((one for one in memory.doctor() if one.check == "embedder"), None)


def semantic(memory: Memory, query: str) -> dict[str, float]:
    """Return how near each item is in meaning."""
    return {
        hit.item.id: part.value
        for hit in memory.search(query).hits
        for part in hit.explanation.contributions
        if part.name == "passage"
    }


def test_it_is_searched_and_written_with_the_earlier_version(home: Path) -> None:
    with opened(home, Mirrored()) as memory:
        memory.add("boiler spare parts", id="new")
        found = semantic(memory, "boiler spare parts")

    with opened(home, HashingEmbedder(32)) as memory:
        assert semantic(memory, "boiler spare parts") == found
    assert max(found, key=lambda name: found[name]) == "new"


def test_the_doctor_says_how_to_change(home: Path) -> None:
    with opened(home, Mirrored()) as memory:
        reported = finding(memory)
        memory.add("something", id="other")
        fresh = memory.in_space("fresh")
        fresh.add("something")

        assert reported is not None
        assert reported.sound
        assert "testing-hash/1" in reported.detail
        assert "simonides reembed --space ana" in reported.detail
        assert finding(fresh) is None


def test_embedding_again_takes_the_present_version(home: Path) -> None:
    with opened(home, Mirrored()) as memory:
        before = semantic(memory, "boiler man")

        assert memory.reembed() == 1
        assert finding(memory) is None
        assert semantic(memory, "boiler man") == before  # both point the other way

    with opened(home, HashingEmbedder(32)) as memory, pytest.raises(WrongEmbedder):
        memory.search("boiler")


def test_a_repair_keeps_the_version_of_the_space(home: Path) -> None:
    with opened(home, Mirrored()) as memory:
        before = semantic(memory, "boiler man")
        memory.repair()

        assert semantic(memory, "boiler man") == before
        assert finding(memory) is not None


def test_words_that_wait_get_vectors_of_the_version_of_the_space(home: Path) -> None:
    with opened(home, Mirrored()) as memory:
        file = home / "note.md"
        file.write_text("The vet says that the lump is benign.", encoding="utf-8")
        memory.import_(file)

        assert semantic(memory, "The vet says that the lump is benign.")


def test_another_model_is_no_earlier_version(home: Path) -> None:
    with opened(home, HashingEmbedder(16)) as memory, pytest.raises(WrongEmbedder):
        memory.search("boiler")
