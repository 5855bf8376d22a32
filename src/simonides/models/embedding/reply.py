"""The bodies that go to and come from an OpenAI-compatible embeddings endpoint; pure.

Knows the limits of a request and the JSON of a reply. Must not know how they travel.
"""

import json
from collections.abc import Iterator, Sequence
from math import hypot, inf
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError
from simonides.models.embedding.query_cache import Vector

INPUTS_MAX = 2048
"""Most texts that one request may hold (OpenAI's API reference, 2025)."""

REQUEST_BYTES_MAX = 750_000
"""Most UTF-8 bytes of text in one request: 250,000 tokens of 3 bytes, below OpenAI's 300,000."""


def squeezed(text: str, *, chars_max: int) -> str:
    """Return the text with runs of white space as one blank, cut with "..." beyond `chars_max`.

    Lone surrogates, which no JSON can carry, become "?".
    """
    words = " ".join(text.split()).encode("utf-8", "replace").decode()
    return words if len(words) <= chars_max else words[:chars_max] + "..."


def requests(texts: Sequence[str], *, texts_max: int) -> Iterator[list[str]]:
    """Yield the texts in order, in lists that each fit one request; a large text stands alone."""
    batch: list[str] = []
    size_bytes = 0
    for text in texts:
        text_bytes = len(text.encode())
        if batch and (len(batch) == texts_max or size_bytes + text_bytes > REQUEST_BYTES_MAX):
            yield batch
            batch, size_bytes = [], 0
        batch.append(text)
        size_bytes += text_bytes
    if batch:
        yield batch


def vectors(body: bytes, *, count: int, dimension: int) -> Vector:
    """Return float32[count, dimension], rows of unit length, in the order of their `index`.

    Raises:
        EmbedderError: The body is not such a reply; says what is wrong with it.
    """
    entries = _entries(body)
    if len(entries) != count:
        raise EmbedderError(f"the endpoint answered {len(entries)} vectors for {count} texts")
    by_index = {_index(entry): entry for entry in entries}
    if by_index.keys() != set(range(count)):
        raise EmbedderError(f"the reply's indexes are not 0 to {count - 1}, each once")
    rows = [_row(by_index[number].get("embedding"), dimension) for number in range(count)]
    return np.array(rows, dtype=np.float32)


def message(body: bytes) -> str:
    """Return what the endpoint says of an error: `error.message` if it is there, else the body."""
    text = body.decode("utf-8", "replace")
    try:
        said = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    return said if isinstance(said, str) else text


def _entries(body: bytes) -> list[Any]:
    try:
        entries = json.loads(body)["data"]
    except (ValueError, KeyError, TypeError, RecursionError) as failure:
        raise EmbedderError(f"the reply is not JSON with a list `data`: {failure!r}") from failure
    if not isinstance(entries, list):
        raise EmbedderError(f"the reply's `data` is a {type(entries).__name__}, not a list")
    return entries


def _index(entry: Any) -> int | None:
    index = entry.get("index") if isinstance(entry, dict) else None
    return index if type(index) is int else None


def _row(embedding: Any, dimension: int) -> npt.NDArray[np.float64]:
    """Return float64[dimension] of unit length."""
    numbers = embedding if isinstance(embedding, list) else []
    if not numbers or not {type(number) for number in numbers} <= {int, float}:
        raise EmbedderError("a vector of the reply is not a list of numbers")
    if len(numbers) != dimension:
        raise EmbedderError(
            f"the endpoint's vectors have {len(numbers)} numbers, not {dimension}; set the "
            "dimension to that of the model"
        )
    length = _length(numbers)
    if not 0.0 < length < inf:  # NaN compares false
        raise EmbedderError("a vector of the reply is zero or holds a number that is not finite")
    return np.array(numbers, dtype=np.float64) / length


def _length(numbers: list[float]) -> float:
    try:
        return hypot(*numbers)
    except OverflowError:  # a whole number beyond what a float holds
        return inf
