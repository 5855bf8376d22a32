"""What words let expect of meaning: more words, more meaning, and never more than is measured."""

import numpy as np
import pytest

from simonides.scoring.expected import expected_cosine, expected_plain_cosine


@pytest.mark.parametrize("expected", [expected_cosine, expected_plain_cosine])
def test_more_words_let_expect_more(expected: object) -> None:
    assert callable(expected)
    values = expected(np.linspace(0.0, 1.0, 11))

    assert (np.diff(values) > 0.0).all()
    assert values.max() <= 1.0
    assert expected(np.zeros(0)).shape == (0,)


def test_no_word_lets_expect_less_than_the_average_chunk() -> None:
    assert expected_cosine(np.array([0.0])).tolist() == [-0.05]
    assert expected_cosine(np.array([0.5])).tolist() == [0.4]
