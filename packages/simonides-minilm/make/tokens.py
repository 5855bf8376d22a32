"""Texts as rows of token ids, by the tokenizer that ships with the model.

Must not know what the texts are.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from characters import TARGET
from tokenizers import Tokenizer

CHARS_MAX = 8_000
"""Characters handed to the tokenizer: more than any width below takes."""

Rows = tuple[np.ndarray, np.ndarray]
"""Token ids, int32[texts, width], and their mask, float32 of the same shape."""


@cache
def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(TARGET / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@cache
def ids_of(text: str) -> list[int]:
    """Return the ids of a text, between those of [CLS] and [SEP]."""
    ids: list[int] = _tokenizer().encode(text[:CHARS_MAX]).ids
    return ids


def rows_of(texts: Sequence[str], *, width: int) -> Rows:
    """Return the texts as rows of `width` tokens; longer ones are cut, and end in [SEP]."""
    ids = np.zeros((len(texts), width), dtype=np.int32)
    mask = np.zeros((len(texts), width), dtype=np.float32)
    for row, text in enumerate(texts):
        found = ids_of(text)
        kept = found if len(found) <= width else [*found[: width - 1], found[-1]]
        ids[row, : len(kept)] = kept
        mask[row, : len(kept)] = 1.0
    return ids, mask
