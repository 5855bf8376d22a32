import pytest

from simonides.api.memory import Memory
from simonides.model.item import Kind
from simonides.text.chunk import ChunkRule
from simonides_bench.corpus import Passage
from simonides_bench.filling import BATCH_ITEMS, Batch, batches
from simonides_bench.replay import Blend, ReplayEmbedder
from simonides_bench.writing import Writer


@pytest.mark.parametrize("chunks", [1, 7, 600])
def test_batches_hold_just_as_many_chunks_as_were_asked_for(
    corpus: list[Passage], rule: ChunkRule, chunks: int
) -> None:
    made = list(batches(Writer(corpus).items(), rule=rule, chunks=chunks))

    assert sum(len(batch.texts) for batch in made) == chunks
    assert all(len(batch.items) <= BATCH_ITEMS for batch in made)
    assert all(len(batch.texts) == len(batch.shares) for batch in made)


def test_a_document_has_a_text_for_each_of_its_chunks_and_others_have_one(batch: Batch) -> None:
    documents = sum(item.kind is Kind.DOCUMENT for item in batch.items)

    assert documents >= 1
    assert len(batch.texts) >= len(batch.items) + documents


def test_every_chunk_knows_the_passages_it_comes_from(batch: Batch, corpus: list[Passage]) -> None:
    for text, shares in zip(batch.texts, batch.shares, strict=True):
        assert shares
        assert all(weight > 0.0 for weight in shares.values())
        assert all(corpus[i].sentences[0][:5] in corpus[i].text for i in shares)
        assert sum(shares.values()) <= len(text)


def test_the_engine_cuts_the_items_into_the_very_chunks_that_were_counted(
    filled: tuple[Memory, ReplayEmbedder, Blend], batch: Batch
) -> None:
    memory, _, _ = filled

    assert memory.stats().chunks == len(batch.texts) == 40
    assert memory.stats().items == len(batch.items)


def test_vectors_are_let_go_after_each_batch(
    filled: tuple[Memory, ReplayEmbedder, Blend], batch: Batch
) -> None:
    _, embedder, _ = filled

    assert not embedder._known
    assert batch.texts
