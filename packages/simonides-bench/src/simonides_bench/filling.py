"""Fills a space with just so many chunks of written items, batch by batch.

Vectors are made before each batch and replayed while it is timed, so that the time is that of
everything but the embedding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from simonides.api.memory import Memory
from simonides.ingest.prepare import embedded_text
from simonides.model.item import Item
from simonides.text.chunk import ChunkRule, Span, chunk
from simonides_bench.limits import Took, measure
from simonides_bench.replay import Blend, ReplayEmbedder, Vectors
from simonides_bench.writing import Written

BATCH_ITEMS = 256
"""Items of one transaction, as an import commits them."""


@dataclass(slots=True, kw_only=True)
class Batch:
    """Items ready to be added, with the text and the shares of passages of each chunk."""

    items: list[Item] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    shares: list[dict[int, float]] = field(default_factory=list)

    def take(self, written: Written, spans: Sequence[Span]) -> None:
        """Append one item with its chunks."""
        self.items.append(written.item)
        self.texts += [embedded_text(written.item, span) for span in spans]
        self.shares += [_shares(written, span) for span in spans]


def _shares(written: Written, span: Span) -> dict[int, float]:
    """Return how many characters of a chunk come from which passage."""
    shares: dict[int, float] = {}
    for run in written.runs:
        common = min(run.stop, span.stop) - max(run.start, span.start)
        if common > 0:
            shares[run.passage] = shares.get(run.passage, 0.0) + common
    return shares


def batches(written: Iterator[Written], *, rule: ChunkRule, chunks: int) -> Iterator[Batch]:
    """Yield batches that hold `chunks` chunks in all; documents that are too long are passed by."""
    batch = Batch()
    while chunks:
        one = next(written)
        spans = _spans(one.item, rule)
        if len(spans) > chunks:
            continue
        chunks -= len(spans)
        batch.take(one, spans)
        if len(batch.items) == BATCH_ITEMS or not chunks:
            yield batch
            batch = Batch()


def _spans(item: Item, rule: ChunkRule) -> list[Span]:
    return chunk(
        item.content,
        words_target=rule.words_target,
        words_max=rule.words_max,
        overlap_words=rule.overlap_words,
    )


def add(memory: Memory, batch: Batch, *, embedder: ReplayEmbedder, blend: Blend) -> Took:
    """Add a batch and return how long that took, its vectors having been made before."""
    rows: Vectors = blend.of(batch.texts, batch.shares)
    embedder.learn(batch.texts, rows)
    took = measure(lambda: memory.add(batch.items))
    embedder.unlearn(batch.texts)
    return took
