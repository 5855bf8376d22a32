"""The unit of cosines: how far apart an embedder sets unlike texts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Item, Memory, Settings
from simonides.errors import EmbedderError
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.minilm import VERSIONS, MiniLMEmbedder
from simonides.retrieval.spread import KNOWN, TEXTS, USUAL_SPREAD, measure_spread, spread_of
from simonides_bench.testing.hashing import HashingEmbedder


class Wide(HashingEmbedder):
    """Embeds into a quarter of the dimensions, so that unlike texts lie further apart."""

    identity = EmbedderIdentity(
        model="wide/1", dimension=HashingEmbedder().identity.dimension, window_words=180,
        quantiser=HashingEmbedder().identity.quantiser,
    )  # fmt: skip

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[len(texts), dimension] of unit length."""
        rows = super().embed(texts)
        rows[:, rows.shape[1] // 4 :] = 0.0
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return np.asarray(rows / lengths, dtype=np.float32)


class Broken(HashingEmbedder):
    """Fails at first."""

    identity = EmbedderIdentity(
        model="broken/1", dimension=HashingEmbedder().identity.dimension, window_words=180,
        quantiser=HashingEmbedder().identity.quantiser,
    )  # fmt: skip
    asked = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return rows from the second call on."""
        self.asked += 1
        if self.asked == 1:
            raise EmbedderError("away")
        return super().embed(texts)


@pytest.mark.slow
def test_the_known_spreads_are_those_that_the_shipped_models_give(
    real_models: dict[str, MiniLMEmbedder],
) -> None:
    assert {name: round(measure_spread(one), 3) for name, one in real_models.items()} == {
        name: round(value, 3) for name, value in KNOWN.items()
    }


@pytest.fixture
def real_models() -> dict[str, MiniLMEmbedder]:
    """Return the shipped embedders by the names of their models."""
    return {one.model: MiniLMEmbedder(identity=one) for one in VERSIONS}


def test_an_embedder_that_fails_counts_as_usual_and_is_asked_again_then_no_more() -> None:
    embedder = Broken()

    assert spread_of(embedder) == USUAL_SPREAD
    found = spread_of(embedder)

    assert found == measure_spread(HashingEmbedder())
    assert spread_of(embedder) == found
    assert embedder.asked == 2


def test_texts_that_are_all_alike_or_zero_say_nothing() -> None:
    class Zero(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.zeros((len(texts), self.identity.dimension), dtype=np.float32)

    assert measure_spread(Zero()) == USUAL_SPREAD
    assert spread_of(None) == USUAL_SPREAD
    assert len(set(TEXTS)) == len(TEXTS)


def test_embedders_of_two_scales_rank_alike(tmp_path: Path) -> None:
    texts = ("The boiler was repaired in May.", "Sarah paints the harbor.", "Tea is green.",
             "The harbor crane was repaired by Tom.")  # fmt: skip
    ranked = []
    for embedder in (HashingEmbedder(), Wide()):
        home = tmp_path / type(embedder).__name__
        with Memory(home, settings=Settings(timezone="UTC"), embedder=embedder) as memory:
            memory.add([Item(id=f"t{n}", content=text) for n, text in enumerate(texts)])
            ranked.append([hit.id for hit in memory.search("who repaired the crane?")])

    assert measure_spread(Wide()) > 1.5 * measure_spread(HashingEmbedder())
    assert [ids[:2] for ids in ranked] == [["t3", "t0"], ["t3", "t0"]]


def test_a_long_file_of_alike_lines_changes_no_score(memory: Memory) -> None:
    memory.add(TEXTS, source="note")
    (before,) = memory.search("Who mended the brakes of the bicycle?", limit=1)

    lines = "\n".join(f"kernel packet accepted on port {n % 9}" for n in range(4000))
    memory.add(lines, source="log", title="router")

    (after,) = memory.search("Who mended the brakes of the bicycle?", limit=1)
    assert after.id == before.id
    assert after.score == pytest.approx(before.score, abs=0.1)
