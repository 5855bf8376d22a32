"""What is sent to an embeddings endpoint, and what its replies may be."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import EmbedderError
from simonides.models.embedding.openai import (
    REQUEST_BYTES_MAX,
    batches,
    error_message,
    read_vectors,
    squeeze,
)


def body(*entries: Any) -> bytes:
    return json.dumps({"data": entries}).encode()


def entry(index: Any, embedding: Any) -> dict[str, Any]:
    return {"index": index, "embedding": embedding}


def test_white_space_is_squeezed_and_long_texts_are_cut_with_dots() -> None:
    assert squeeze("  a\t b\n\nc ", chars_max=10) == "a b c"
    assert squeeze("abcdef", chars_max=4) == "abcd..."


def test_lone_surrogates_become_question_marks() -> None:
    assert squeeze("a\ud800b", chars_max=10) == "a?b"


def test_a_request_holds_no_more_texts_than_allowed() -> None:
    assert list(batches(list("abcde"), texts_max=2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert list(batches([], texts_max=2)) == []


def test_a_request_holds_no_more_bytes_than_allowed() -> None:
    third = "ж" * (REQUEST_BYTES_MAX // 6)

    assert [len(batch) for batch in batches([third] * 7, texts_max=100)] == [3, 3, 1]


def test_a_text_larger_than_a_request_stands_alone() -> None:
    huge = "x" * (REQUEST_BYTES_MAX + 1)

    assert [len(batch) for batch in batches(["a", huge, "b"], texts_max=100)] == [1, 1, 1]


@given(st.lists(st.text(max_size=5)), st.integers(1, 4))
def test_requests_keep_every_text_in_order(texts: list[str], texts_max: int) -> None:
    made = list(
        batches([text.encode("utf-8", "replace").decode() for text in texts], texts_max=texts_max)
    )

    assert sum(map(len, made)) == len(texts)
    assert all(0 < len(batch) <= texts_max for batch in made)


def test_rows_are_put_in_the_order_of_their_index_and_normalised() -> None:
    rows = read_vectors(body(entry(1, [0, 2]), entry(0, [3, 4])), count=2, dimension=2)

    assert rows.dtype == np.float32
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 1.0]]


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (b'{"data": [', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not JSON with a list"),
        (b"{}", "not JSON with a list"),
        (b'{"data": "none"}', "is a str"),
        (body(), "0 vectors for 1"),
        (body(entry(0, [1, 2]), entry(1, [1, 2])), "2 vectors for 1"),
        (body(entry(1, [1, 2])), "indexes"),
        (body(entry(None, [1, 2])), "indexes"),
        (body(entry(False, [1, 2])), "indexes"),  # noqa: FBT003
        (body([1, 2]), "indexes"),
        (body(entry(0, None)), "list of numbers"),
        (body(entry(0, [])), "list of numbers"),
        (body(entry(0, ["1", 2])), "list of numbers"),
        (body(entry(0, [[1, 2]])), "list of numbers"),
        (body(entry(0, [1, 2, 3])), "3 numbers, not 2"),
        (body(entry(0, [0, 0])), "zero"),
        (body(entry(0, [float("nan"), 1])), "not finite"),
        (body(entry(0, [float("inf"), 1])), "not finite"),
        (body(entry(0, [10**400, 1])), "not finite"),
    ],
)
def test_a_broken_reply_is_an_error_that_says_how(broken: bytes, says: str) -> None:
    with pytest.raises(EmbedderError, match=says):
        read_vectors(broken, count=1, dimension=2)


def test_the_same_index_twice_is_an_error() -> None:
    twice = body(entry(0, [1, 2]), entry(0, [1, 2]))

    with pytest.raises(EmbedderError, match="each once"):
        read_vectors(twice, count=2, dimension=2)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b'{"error": {"message": "no such model"}}', "no such model"),
        (b'{"error": {"message": 7}}', '{"error": {"message": 7}}'),
        (b'{"error": "down"}', '{"error": "down"}'),
        (b"<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"),
        (b"\xff", "\ufffd"),
    ],
)
def test_the_endpoints_own_words_are_found(answer: bytes, says: str) -> None:
    assert error_message(answer) == says
