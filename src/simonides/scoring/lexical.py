"""BM25: the lexical relevance of a passage to the words of a question.

score = Σ idf·(k1+1)·tf / (tf + k1·(1 - b + b·length/mean length)),
idf = ln(1 + (N - df + 0.5)/(df + 0.5)) (Robertson and Zaragoza 2009, in the form that is never
negative).
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

K1 = 0.9
"""How soon a repeated word stops counting (measured: docs/explanation/ranking.md)."""

B = 0.4
"""How much a long passage is held against it (measured: docs/explanation/ranking.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPostings:
    """The postings of one query term: the chunk slots of its occurrences and their counts."""

    docs: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint8]
    idf: float


def idf(holding: int, total: int) -> float:
    """Return ln(1 + (total - holding + 0.5)/(holding + 0.5)): rare words weigh more."""
    return math.log1p((total - holding + 0.5) / (holding + 0.5))


def gains(weights: Floats | float, counts: Floats, norms: Floats) -> Floats:
    """Return idf·(k1+1)·tf / (tf + norm): the score that a word adds to each passage."""
    return np.asarray(weights * (K1 + 1.0) * counts / (counts + norms))


def length_norms(lengths: npt.NDArray[np.uint16], *, mean_length: float) -> npt.NDArray[np.float64]:
    """Return k1·(1 - b + b·length/mean length) for every passage."""
    mean = mean_length or 1.0
    return K1 * (1.0 - B + (B / mean) * lengths.astype(np.float64))
