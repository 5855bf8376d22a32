import numpy as np
import pytest

from simonides.errors import EmbedderError
from simonides_bench.replay import Blend, ReplayEmbedder, spread, unit
from simonides_bench.testing.hashing import HashingEmbedder

IDENTITY = HashingEmbedder(64).identity


def test_blended_vectors_have_unit_length(blend: Blend) -> None:
    rows = blend.of(["one", "two"], [{0: 1.0}, {1: 3.0, 2: 1.0}])

    assert rows.shape == (2, 64)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_the_same_text_has_the_same_vector_alone_or_among_others(blend: Blend) -> None:
    alone = blend.of(["one"], [{0: 1.0}])
    among = blend.of(["two", "one"], [{1: 1.0}, {0: 5.0}])

    assert np.allclose(alone[0], among[1], atol=1e-6)


def test_two_texts_of_the_same_passages_differ(blend: Blend) -> None:
    rows = blend.of(["one", "two"], [{0: 1.0}, {0: 1.0}])

    assert 0.7 < float(rows[0] @ rows[1]) < 0.99


def test_a_text_is_nearest_to_the_passage_that_most_of_it_comes_from(blend: Blend) -> None:
    passages = np.stack([blend.of([f"p{i}"], [{i: 1.0}])[0] for i in range(4)])
    [row] = blend.of(["mixed"], [{1: 1.0, 3: 9.0}])

    assert int(np.argmax(passages @ row)) == 3


def test_a_row_of_zeros_has_no_direction() -> None:
    assert unit(np.zeros((1, 3), dtype=np.float32)).tolist() == [[0.0, 0.0, 0.0]]


def test_what_was_not_embedded_has_the_vector_of_the_nearest_before() -> None:
    rows = np.array([[1.0], [2.0]], dtype=np.float32)

    assert spread(rows, chosen=(0, 3), total=5).ravel().tolist() == [1, 1, 1, 2, 2]


def test_vectors_are_handed_out_by_text_and_in_order() -> None:
    embedder = ReplayEmbedder(IDENTITY)
    rows = np.eye(2, 64, dtype=np.float32)
    embedder.learn(["a", "b"], rows)

    assert embedder.identity is IDENTITY
    assert np.array_equal(embedder.embed(["b", "a", "b"]), rows[[1, 0, 1]])
    assert np.array_equal(embedder.embed_query("a"), rows[0])
    assert embedder.embed([]).shape == (0, 64)


def test_a_text_that_was_not_learned_or_was_let_go_is_an_error() -> None:
    embedder = ReplayEmbedder(IDENTITY)
    embedder.learn(["a"], np.eye(1, 64, dtype=np.float32))
    embedder.unlearn(["a", "never known"])

    with pytest.raises(EmbedderError, match="no vector was made beforehand for 'a'"):
        embedder.embed(["a"])


def test_a_question_whose_spelling_was_corrected_has_its_own_vector_but_a_passage_has_not() -> None:
    embedder = ReplayEmbedder(IDENTITY)
    rows = np.eye(2, 64, dtype=np.float32)
    embedder.learn(["is there anything on calibraton?", "who wrote it?"], rows)

    corrected = "is there anything on calibration?"
    with pytest.raises(EmbedderError, match="no vector was made beforehand"):
        embedder.embed([corrected])
    assert np.array_equal(embedder.embed_query(corrected), rows[0])
    with pytest.raises(EmbedderError, match="no vector was made beforehand"):
        embedder.embed_query("what else?")
