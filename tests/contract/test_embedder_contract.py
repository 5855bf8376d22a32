"""The laws of `ports.Embedder`, for every adapter and for the stand-in that tests use."""

import json
import math
import sys
from hashlib import sha256

import httpx2
import numpy as np
import pytest
from tests.contract.onnx_encoder import DIMENSION, write_encoder
from tests.contract.stand_in_libraries import fastembed_of

from simonides.models.embedding.library import LibraryEmbedder
from simonides.models.embedding.minilm import MiniLMEmbedder
from simonides.models.embedding.onnx_file import OnnxEmbedder
from simonides.models.embedding.openai import OpenAIEmbedder
from simonides.ports.models import Embedder
from simonides_bench.testing.hashing import HashingEmbedder

TEXTS = (
    "Sarah moved the review to Thursday.",
    "short",
    "The review was moved to Thursday by Sarah.",
    "日本語のメモ",
    "naïve café — déjà vu 🙂",
    "line one\nline two\twith a tab",
    "word " * 700,
)
BLANK = ("", " ", "\n\t  \n")


def reply(request: httpx2.Request) -> httpx2.Response:
    """Answer like an endpoint whose model is a hash, last text first."""
    texts = json.loads(request.content)["input"]
    entries = [
        {"index": place, "embedding": [byte - 127.5 for byte in sha256(text.encode()).digest()]}
        for place, text in enumerate(texts)
    ]
    return httpx2.Response(200, json={"data": entries[::-1]})


@pytest.fixture(scope="module", params=["minilm", "onnx", "openai", "hashing", "library"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    if request.param == "minilm":
        return MiniLMEmbedder(threads=2)
    if request.param == "onnx":
        folder = write_encoder(tmp_path_factory.mktemp("encoder"), dimension=DIMENSION)
        return OnnxEmbedder(str(folder), threads=2)
    if request.param == "library":
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "fastembed", fastembed_of(HashingEmbedder()))
            loaded = LibraryEmbedder("fastembed", "maker/model")
            assert loaded.identity.model == "fastembed:maker/model"
        return loaded
    if request.param == "hashing":
        return HashingEmbedder()
    transport = httpx2.MockTransport(reply)
    return OpenAIEmbedder(
        "http://localhost:1", "", model="m", dimension=32, batch_texts=3, transport=transport
    )


def test_the_identity_says_what_the_vectors_are(embedder: Embedder) -> None:
    identity = embedder.identity

    assert identity.model
    assert identity.dimension > 0
    assert identity.window_words > 0
    assert identity.quantiser == "fixed-int8/1"
    assert embedder.identity == identity


def test_there_is_one_row_of_float32_for_each_text(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)

    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.identity.dimension)


def test_no_texts_make_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.identity.dimension)


def test_rows_have_unit_length(embedder: Embedder) -> None:
    assert np.linalg.norm(embedder.embed(TEXTS), axis=1) == pytest.approx(np.ones(len(TEXTS)))


@pytest.mark.parametrize("blank", BLANK)
def test_a_text_without_content_is_zero_also_as_a_question(embedder: Embedder, blank: str) -> None:
    assert not embedder.embed([blank]).any()
    assert not embedder.embed_query(blank).any()


def test_blank_texts_do_not_shift_the_others(embedder: Embedder) -> None:
    mixed = embedder.embed([BLANK[0], TEXTS[0], BLANK[1], TEXTS[1], BLANK[2]])

    assert mixed[[1, 3]].tobytes() == embedder.embed(TEXTS[:2]).tobytes()
    assert not mixed[[0, 2, 4]].any()


def test_a_text_has_the_same_bytes_alone_as_among_others(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = [embedder.embed([text])[0].tobytes() for text in TEXTS]

    assert [row.tobytes() for row in together] == alone


def test_the_order_of_the_rows_is_that_of_the_texts(embedder: Embedder) -> None:
    forward, backward = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])

    assert forward.tobytes() == backward[::-1].tobytes()


def test_the_same_text_twice_gives_the_same_row_twice(embedder: Embedder) -> None:
    rows = embedder.embed([TEXTS[0], TEXTS[1], TEXTS[0]])

    assert rows[0].tobytes() == rows[2].tobytes()
    assert rows[0].tobytes() != rows[1].tobytes()


def test_a_question_is_one_row_of_unit_length(embedder: Embedder) -> None:
    row = embedder.embed_query("when is the review?")

    assert row.dtype == np.float32
    assert row.shape == (embedder.identity.dimension,)
    assert math.isclose(float(np.linalg.norm(row)), 1.0, rel_tol=1e-6)


def test_a_question_asked_again_gets_the_same_bytes(embedder: Embedder) -> None:
    first = embedder.embed_query(TEXTS[0]).tobytes()

    assert embedder.embed_query(TEXTS[0]).tobytes() == first
