"""The tokenizer of the default model gives what the library `tokenizers` gives for its files."""

from functools import cache
from itertools import chain

import pytest
import simonides_minilm
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from simonides.models.embedding.wordpiece import WordPiece

SAMPLES = (
    "",
    "The ferry leaves at 9:45, doesn't it?",
    "naïve Ångström façade — l'été “là-bas”…",
    "5. März 2023: Straße, İstanbul, ΣΊΣΥΦΟΣ, Ёлка",
    "東京タワー 서울 ไทย हिन्दी עִבְרִית العَرَبِيَّة",
    "👩‍👩‍👧 🇩🇪 e\u0301 \u200bzero\u200dwidth \x00\ufffd\x07bell\x1c\x85",
    "a[SEP]b [CLS][MASK] [sep] [UNK]s [PAD",
    "x" * 100 + " " + "x" * 101 + " " + "é" * 100,
    "antidisestablishmentarianism unbelievably tokenisation ##ing",
    "0.5% of $1,000 <tag attr='v'> `code_block` a/b\\c ~ ^ | = +",
    "\u037e \u1fef \u2000\u3000 \ufb01 \u1e9e \u0378 \ua7cb \u1734 \u08e2 \u302e",
)


@cache
def oracle(tokens_max: int) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(simonides_minilm.path("tokenizer.json")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens_max)
    return tokenizer


@cache
def own(tokens_max: int) -> WordPiece:
    files = [
        simonides_minilm.path(name).read_bytes() for name in ("tokenizer.json", "characters.json")
    ]
    return WordPiece(*files, tokens_max=tokens_max)


@pytest.mark.parametrize("tokens_max", [3, 12, 256])
@pytest.mark.parametrize("text", SAMPLES)
def test_samples_give_the_ids_of_the_library(text: str, tokens_max: int) -> None:
    assert own(tokens_max).encode(text) == oracle(tokens_max).encode(text).ids


@given(st.text() | st.lists(st.sampled_from(SAMPLES) | st.text(max_size=3)).map("".join))
def test_any_text_gives_the_ids_of_the_library(text: str) -> None:
    assert own(256).encode(text) == oracle(256).encode(text).ids


@pytest.mark.slow
def test_every_character_gives_the_ids_of_the_library() -> None:
    """Unassigned planes are left to chance: they hold nothing, and take as long as the rest."""
    codes = list(chain(range(0xD800), range(0xE000, 0x32000), range(0xE0000, 0xE0200)))
    words = [f"{char} a{char}b" for char in map(chr, codes)]
    texts = [" ".join(words[start : start + 40]) for start in range(0, len(words), 40)]
    expected = [each.ids for each in oracle(256).encode_batch(texts)]

    assert [
        text for text, ids in zip(texts, expected, strict=True) if own(256).encode(text) != ids
    ] == []
