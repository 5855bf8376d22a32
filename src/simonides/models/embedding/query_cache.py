"""A cache of the vectors of recent questions.

Knows how many to keep and which to let go. Must not know how a vector is made.
"""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import numpy as np
import numpy.typing as npt

from simonides.errors import InvalidInput

QUESTIONS_MAX = 2048
"""Vectors kept by default: 3 MiB at 384 dimensions, 12 MiB at 1536."""

Vector = npt.NDArray[np.float32]


class QueryCache:
    """A cache of the vectors of the last `questions_max` texts. Thread-safe.

    Two threads that ask the same new question at once may both compute it; one answer is kept.
    """

    def __init__(self, questions_max: int = QUESTIONS_MAX) -> None:
        if questions_max < 0:
            raise InvalidInput("questions_max", f"must not be negative, got {questions_max}")
        self._questions_max = questions_max
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, text: str, compute: Callable[[str], Vector]) -> Vector:
        """Return the text's vector, read-only; an exception of `compute` is raised, not cached."""
        with self._lock:
            known = self._vectors.get(text)
            if known is not None:
                self._vectors.move_to_end(text)
                return known
        vector = compute(text)
        vector.flags.writeable = False
        with self._lock:
            return self._keep(text, vector)

    def clear(self) -> None:
        """Clear the cache."""
        with self._lock:
            self._vectors.clear()

    def _keep(self, text: str, vector: Vector) -> Vector:
        kept = self._vectors.setdefault(text, vector)
        self._vectors.move_to_end(text)
        while len(self._vectors) > self._questions_max:
            self._vectors.popitem(last=False)
        return kept
