"""The stand-in embedder: near when words are shared, the same everywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides_bench.testing.hashing import HashingEmbedder


def cosine(one: str, other: str) -> float:
    rows = HashingEmbedder(256).embed([one, other])
    return float(rows[0] @ rows[1])


def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    near = cosine("the garden gate is open", "close the garden gate")
    far = cosine("the garden gate is open", "quarterly numbers arrived today")

    assert near > far


def test_letter_case_and_punctuation_do_not_matter() -> None:
    assert cosine("Garden, gate!", "garden gate") == pytest.approx(1.0)


def test_the_vector_of_a_word_is_the_same_in_every_process() -> None:
    row = HashingEmbedder(8).embed_query("lighthouse keeper")

    assert row == pytest.approx([0.5**0.5, 0, 0, 0, 0, 0, 0, -(0.5**0.5)])


def test_a_text_without_letters_still_has_a_direction() -> None:
    assert np.linalg.norm(HashingEmbedder().embed_query("?! …")) == pytest.approx(1.0)


@given(st.text(max_size=80), st.sampled_from([1, 2, 64]))
def test_every_text_that_is_not_blank_has_unit_length(text: str, dimension: int) -> None:
    length = float(np.linalg.norm(HashingEmbedder(dimension).embed_query(text)))

    assert length == pytest.approx(1.0 if text.strip() else 0.0)


def test_a_dimension_below_one_is_refused() -> None:
    with pytest.raises(InvalidInput, match="dimension"):
        HashingEmbedder(0)
