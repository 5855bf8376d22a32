"""What a chunk's words let expect of its meaning, as long as its vector is waited for.

Knows numbers only. Each constant is of a straight line through the means of 300,000 pairs of a
question and a chunk of development data (docs/explanation/ranking.md).
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

CENTRED_WITHOUT_WORDS, CENTRED_BASE, CENTRED_SLOPE = -0.05, 0.0, 0.8
"""Centred cosine of a chunk that holds no word of the question; and where it holds some, a base and
what is added by 1 of its lexical score."""

PLAIN_WITHOUT_WORDS, PLAIN_BASE, PLAIN_SLOPE = 0.11, 0.21, 0.65
"""The same of cosines from which no mean is taken."""


def expected_cosine(lexical: Floats) -> Floats:
    """Return the centred cosine that a lexical score in [0, 1] lets expect, on average."""
    return np.where(lexical > 0.0, CENTRED_BASE + CENTRED_SLOPE * lexical, CENTRED_WITHOUT_WORDS)


def expected_plain_cosine(lexical: Floats) -> Floats:
    """Return the plain cosine that a lexical score in [0, 1] lets expect, on average."""
    return np.where(lexical > 0.0, PLAIN_BASE + PLAIN_SLOPE * lexical, PLAIN_WITHOUT_WORDS)
