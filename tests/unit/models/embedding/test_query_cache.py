"""The cache of question vectors: bounded, least recently asked goes first."""

from threading import Barrier, Thread

import numpy as np
import pytest

from simonides.errors import EmbedderError, InvalidInput
from simonides.models.embedding.query_cache import QueryCache, Vector


class Counting:
    """Makes a vector of the text's length, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> Vector:
        self.asked.append(text)
        return np.full(2, len(text), dtype=np.float32)


def test_a_question_asked_again_is_not_computed_again() -> None:
    cache, compute = QueryCache(), Counting()
    first = cache.get("who?", compute)

    assert cache.get("who?", compute) is first
    assert compute.asked == ["who?"]


def test_the_least_recently_asked_goes_first() -> None:
    cache, compute = QueryCache(2), Counting()
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.get(text, compute)

    assert compute.asked == ["a", "b", "c", "b"]
    assert len(cache) == 2


def test_a_kept_vector_can_not_be_changed() -> None:
    vector = QueryCache().get("who?", Counting())

    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 7.0


def test_a_failure_is_raised_and_not_kept() -> None:
    cache, compute = QueryCache(), Counting()

    def fail(text: str) -> Vector:
        raise EmbedderError(text)

    with pytest.raises(EmbedderError):
        cache.get("who?", fail)

    assert cache.get("who?", compute).tolist() == [4.0, 4.0]


def test_without_room_nothing_is_kept() -> None:
    cache, compute = QueryCache(0), Counting()
    cache.get("a", compute)
    cache.get("a", compute)

    assert compute.asked == ["a", "a"]
    assert len(cache) == 0


def test_threads_that_ask_the_same_get_the_same_vector() -> None:
    cache, together = QueryCache(), Barrier(4, timeout=10)
    got: list[Vector] = []

    def slow(text: str) -> Vector:
        together.wait()
        return np.full(1, len(text), dtype=np.float32)

    threads = [Thread(target=lambda: got.append(cache.get("who?", slow))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 4
    assert len({id(vector) for vector in got}) == 1


def test_a_negative_bound_is_refused() -> None:
    with pytest.raises(InvalidInput, match="questions_max"):
        QueryCache(-1)
