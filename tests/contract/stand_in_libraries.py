"""Stand-ins for fastembed and Sentence Transformers, whose models are an embedder of the tests."""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from simonides.ports.models import Embedder

KNOWN = "maker/model"
"""The one model that is on this machine."""


def _check(name: str, *, local_files_only: bool) -> None:
    assert local_files_only  # or the library would look in the network
    if name != KNOWN:
        raise ValueError("not found in the cache")


def fastembed_of(embedder: Embedder) -> Any:
    """A module like `fastembed`, whose vectors are three times as long as they should be."""

    class TextEmbedding:
        def __init__(self, model_name: str, *, local_files_only: bool = False) -> None:
            _check(model_name, local_files_only=local_files_only)
            self.embedding_size = embedder.identity.dimension

        def passage_embed(self, texts: Sequence[str]) -> Iterator[Any]:
            yield from 3 * embedder.embed(texts)

        def query_embed(self, texts: Sequence[str]) -> Iterator[Any]:
            yield from (3 * embedder.embed_query(text) for text in texts)

    return SimpleNamespace(TextEmbedding=TextEmbedding)


def sentence_transformers_of(embedder: Embedder, *, window_tokens: int | None) -> Any:
    """A module like `sentence_transformers`, whose texts are read with a prompt."""

    class SentenceTransformer:
        max_seq_length = window_tokens

        def __init__(self, name: str, *, device: str, local_files_only: bool = False) -> None:
            assert device == "cpu"
            _check(name, local_files_only=local_files_only)

        def encode_document(self, text: str, *, show_progress_bar: bool) -> Any:
            assert not show_progress_bar
            return embedder.embed([f"passage: {text}"])[0]

        def encode_query(self, text: str, *, show_progress_bar: bool) -> Any:
            assert not show_progress_bar
            return embedder.embed_query(f"query: {text}")

    return SimpleNamespace(SentenceTransformer=SentenceTransformer)
