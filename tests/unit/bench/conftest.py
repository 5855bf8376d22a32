"""A small corpus of our own writing, and what is made of it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.unit.bench.labelled import SUBJECTS, item, question, written

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.text.chunk import ChunkRule, rule_for
from simonides_bench.corpus import Passage
from simonides_bench.filling import Batch, add, batches
from simonides_bench.replay import Blend, ReplayEmbedder, unit
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.writing import Writer

SENTENCES = (
    "The gardener waters the roses before the sun is high.",
    "A ferry leaves the harbour every morning at seven.",
    "Nobody has seen the old map since the library moved.",
    "The committee will decide about the bridge next spring.",
    "Fresh bread is sold in the small shop behind the church.",
    "Heavy rain has closed the road over the mountain pass.",
    "The orchestra is looking for a second bassoon player.",
    "Every lamp in the hall was replaced during the holidays.",
)

Filled = tuple[Memory, ReplayEmbedder, Blend]


@pytest.fixture
def corpus() -> list[Passage]:
    """Return eight passages of four sentences each, all different."""
    count = len(SENTENCES)
    return [
        Passage(
            document=f"page {i}",
            sentences=tuple(SENTENCES[(i + j) % count] for j in range(4)),
        )
        for i in range(count)
    ]


@pytest.fixture
def rule() -> ChunkRule:
    """Return the rule by which chunks are cut for the replayed embedder."""
    return rule_for(180)


@pytest.fixture
def blend(corpus: list[Passage]) -> Blend:
    """Return a blend of random vectors, one for each passage."""
    rows = np.random.default_rng(1).standard_normal((len(corpus), 64), dtype=np.float32)
    return Blend(unit(rows))


@pytest.fixture
def batch(corpus: list[Passage], rule: ChunkRule) -> Batch:
    """Return one batch of forty chunks."""
    return next(batches(Writer(corpus).items(), rule=rule, chunks=40))


@pytest.fixture
def filled(tmp_path: Path, batch: Batch, blend: Blend) -> Iterator[Filled]:
    """Yield an open memory that holds the batch, its embedder and its blend."""
    embedder = ReplayEmbedder(HashingEmbedder(64).identity)
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings, embedder=embedder) as memory:
        add(memory, batch, embedder=embedder, blend=blend)
        yield memory, embedder, blend


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of six items, each with a question that its words answer."""
    items = [
        item("g", one, f"The {one} was opened by the mayor.", at=f"2025-03-0{n + 1}T10:00:00Z")
        for n, one in enumerate(SUBJECTS)
    ]
    asked = [question("g", f"q-{one}", f"Who opened the {one}?", one) for one in SUBJECTS]
    return written(tmp_path / "data.jsonl", *items, *asked)
