"""Models of fastembed and Sentence Transformers: by name, from this machine, with their prompts."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.contract.stand_in_libraries import KNOWN, fastembed_of, sentence_transformers_of

from simonides import Memory, Settings
from simonides.errors import EmbedderError, InvalidInput
from simonides.models.embedding.library import LibraryEmbedder
from simonides_bench.testing.hashing import HashingEmbedder

HASHING = HashingEmbedder()


def test_texts_and_questions_are_read_each_with_the_models_prompt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = sentence_transformers_of(HASHING, window_tokens=128)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    embedder = LibraryEmbedder("sentence-transformers", KNOWN)

    assert np.allclose(embedder.embed(["ferry"]), HASHING.embed(["passage: ferry"]))
    assert np.allclose(embedder.embed_query("ferry"), HASHING.embed_query("query: ferry"))
    assert (embedder.identity.model, embedder.identity.window_words) == (
        f"sentence-transformers:{KNOWN}", 89,
    )  # fmt: skip


@pytest.mark.parametrize("library", ["fastembed", "sentence-transformers"])
def test_a_memory_searches_with_a_model_that_the_settings_name(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", fastembed_of(HASHING))
    module = sentence_transformers_of(HASHING, window_tokens=None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    settings = Settings(embedder=f"{library}:{KNOWN}", timezone="UTC")
    with Memory(":memory:", settings=settings) as memory:
        memory.add("The ferry leaves at nine.")

        assert memory.search("ferry").hits[0].text == "The ferry leaves at nine."
        assert memory.stats().embedder == f"{library}:{KNOWN}"


@pytest.mark.parametrize(
    ("library", "fetch"),
    [
        ("fastembed", "TextEmbedding('maker/other')"),
        ("sentence-transformers", "SentenceTransformer('maker/other')"),
    ],
)
def test_a_model_that_is_not_here_says_how_it_is_fetched(
    library: str, fetch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", fastembed_of(HASHING))
    module = sentence_transformers_of(HASHING, window_tokens=8)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    with pytest.raises(InvalidInput) as raised:
        LibraryEmbedder(library, "maker/other").embed(["x"])

    assert fetch in str(raised.value)
    assert "not found in the cache" in str(raised.value)


@pytest.mark.parametrize("library", ["fastembed", "sentence-transformers"])
def test_a_library_that_is_not_here_is_named(
    library: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, library.replace("-", "_"), None)
    settings = Settings(embedder=f"{library}:{KNOWN}", timezone="UTC")
    with (
        Memory(tmp_path, settings=settings) as memory,
        pytest.raises(InvalidInput, match=f"pip install {library}"),
    ):
        memory.add("x")


@pytest.mark.parametrize("row", [[0.0] * 4, [float("nan")] * 4, [1.0] * 3])
def test_what_is_no_vector_is_an_error(row: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(_: list[str]) -> Any:
        return iter([row])

    model = SimpleNamespace(passage_embed=encode, query_embed=encode, embedding_size=4)
    module = SimpleNamespace(TextEmbedding=lambda **_: model)
    monkeypatch.setitem(sys.modules, "fastembed", module)
    with pytest.raises(EmbedderError, match="fastembed:m made no vector of 4 numbers"):
        LibraryEmbedder("fastembed", "m").embed_query("ferry")


def test_what_the_library_raises_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(_: list[str]) -> Any:
        raise RuntimeError("out of memory")

    model = SimpleNamespace(passage_embed=encode, query_embed=encode, embedding_size=4)
    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=lambda **_: model))
    with pytest.raises(EmbedderError, match=r"fastembed:m failed: .*out of memory"):
        LibraryEmbedder("fastembed", "m").embed(["ferry"])
