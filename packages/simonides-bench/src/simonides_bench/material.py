"""What a space of the benches is filled with and asked: texts, their vectors, questions.

Everything but a few vectors is made up of the corpus. Must not know what is measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from simonides.ports.models import Embedder
from simonides_bench.corpus import Passage, passages
from simonides_bench.replay import Blend, ReplayEmbedder, spread
from simonides_bench.writing import Writer, Written, questions


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The corpus, `embedded` passages of which `model` embedded, and what was made of it.

    `embedder` replays the vectors of the questions `asked`, and of the texts that it is given;
    `writer` writes items without end.
    """

    corpus: Sequence[Passage]
    asked: Sequence[str]
    model: Embedder
    embedder: ReplayEmbedder
    embedded: int
    blend: Blend
    writer: Iterator[Written]

    @classmethod
    def of(
        cls,
        corpus: Sequence[Passage],
        *,
        embedded: Sequence[int],
        model: Embedder,
        asked: Sequence[str],
    ) -> Self:
        """Return the material of a corpus, the passages `embedded` of which are embedded now."""
        rows = model.embed([corpus[i].text for i in embedded])
        embedder = ReplayEmbedder(model.identity)
        embedder.learn(asked, model.embed(asked))
        return cls(
            corpus=corpus, asked=asked, model=model, embedder=embedder, embedded=len(embedded),
            blend=Blend(spread(rows, chosen=embedded, total=len(corpus))),
            writer=Writer(corpus).items(),
        )  # fmt: skip


def gather(
    *, model: Embedder, passages_max: int, embedded_max: int, questions_count: int
) -> Material:
    """Read the corpus, embed what there is time for, and the questions.

    Raises:
        NotFound: Python came without its documentation, of which the corpus is made.
        EmbedderError: The model failed.
    """
    corpus = passages(passages_max=passages_max)
    step = -(-len(corpus) // embedded_max)
    asked = questions(corpus, count=questions_count)
    return Material.of(corpus, embedded=range(0, len(corpus), step), model=model, asked=asked)
