"""Embedders that anybody wrote: what they raise, and what they give that is no vector."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from simonides import Memory
from simonides.errors import EmbedderError
from simonides_bench.testing.hashing import HashingEmbedder

NOT_A_NUMBER = np.full((1, 64), np.nan, dtype=np.float32)
Open = Callable[..., Memory]


class Foreign(HashingEmbedder):
    """One that gives what it is told to, or raises it."""

    def __init__(self, *, rows: Any = None, row: Any = None) -> None:
        super().__init__()
        self.rows, self.row = rows, row

    def embed(self, texts: Sequence[str]) -> Any:
        return _given(self.rows, lambda: super(Foreign, self).embed(texts))

    def embed_query(self, text: str) -> Any:
        return _given(self.row, lambda: HashingEmbedder().embed([text])[0])


def _given(wanted: Any, usual: Callable[[], Any]) -> Any:
    if isinstance(wanted, Exception):
        raise wanted
    return usual() if wanted is None else wanted


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ConnectionError("refused\nby the host"), r"failed: ConnectionError: refused$"),
        (KeyError(), "failed: KeyError$"),
        (NOT_A_NUMBER, "gave numbers that are not finite; .* shape \\(1, 64\\)"),
        (NOT_A_NUMBER / 0, "not finite"),
        (np.zeros((0, 64)), "gave the shape \\(0, 64\\)"),
        (np.zeros((1, 3)), "gave the shape \\(1, 3\\)"),
        ([[1.0], [1.0, 2.0]], "list, which is no array of numbers"),
        ("vectors", "str, which is no array"),
    ],
)
def test_what_is_no_vector_is_said_and_nothing_is_written(
    open_memory: Open, rows: Any, said: str
) -> None:
    memory = open_memory(embedder=Foreign(rows=rows))
    with pytest.raises(EmbedderError, match=said) as caught:
        memory.add("Alpha is due on Friday.")

    assert memory.stats().items == 0
    assert caught.value.__cause__ is (rows if isinstance(rows, Exception) else None)


def test_a_list_of_lists_is_taken_for_the_array_that_it_is(open_memory: Open) -> None:
    rows = HashingEmbedder().embed(["Alpha is due on Friday."]).tolist()
    memory = open_memory(embedder=Foreign(rows=rows))
    memory.add("Alpha is due on Friday.")

    assert len(memory.search("Alpha", mode="vector")) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ConnectionError("refused"), "failed: ConnectionError: refused"),
        (np.zeros(3, dtype=np.float32), r"gave the shape \(3,\); .* the shape \(64,\)"),
        (NOT_A_NUMBER[0], "not finite"),
        ("vector", "str, which is no array"),
        (np.array(None), "not finite|the shape"),
    ],
)
def test_a_question_without_a_vector_is_asked_by_its_words(
    open_memory: Open, row: Any, said: str
) -> None:
    memory = open_memory(embedder=Foreign(row=row))
    memory.add("Alpha is due on Friday.")
    result = memory.search("Alpha")
    [semantic] = [lane for lane in result.diagnostics.lanes if lane.name == "semantic"]

    assert (len(result), result.diagnostics.mode_used) == (1, "text")
    with pytest.raises(EmbedderError, match=said):
        memory.search("Alpha", mode="vector")
    assert "the embedder failed" in semantic.note


def test_none_for_a_question_is_named(open_memory: Open) -> None:
    class Nothing(HashingEmbedder):
        def embed_query(self, text: str) -> Any:
            assert text

    memory = open_memory(embedder=Nothing())
    memory.add("Alpha is due on Friday.")

    with pytest.raises(EmbedderError, match="gave None; it must give finite float32"):
        memory.search("Alpha", mode="vector")
