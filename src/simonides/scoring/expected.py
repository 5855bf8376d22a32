"""What a chunk's words let expect of its meaning, as long as its vector is waited for.

Knows numbers only.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

COSINE_WITHOUT_WORDS = 0.0
COSINE_OF_WORDS = 0.5
"""The centred cosine of a chunk is about the first, and the second more for each 1 of its lexical
score: a straight line through labelled development data (docs/explanation/ranking.md)."""


def expected_cosine(lexical: Floats) -> Floats:
    """Return the centred cosine that a lexical score in [0, 1] lets expect, on average."""
    return COSINE_WITHOUT_WORDS + COSINE_OF_WORDS * lexical


PLAIN_WITHOUT_WORDS = 0.1
PLAIN_OF_WORDS = 0.5
"""The same of a cosine from which no mean is taken, for the `classic` scorer."""


def expected_plain_cosine(lexical: Floats) -> Floats:
    """Return the plain cosine that a lexical score in [0, 1] lets expect, on average."""
    return PLAIN_WITHOUT_WORDS + PLAIN_OF_WORDS * lexical
