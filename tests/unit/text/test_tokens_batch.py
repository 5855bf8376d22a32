import pytest

from simonides.errors import InvalidInput
from simonides.model.bounds import ENCODINGS
from simonides.text import tokens
from simonides.text.tokens import count, count_and_truncate_batch, truncate

FAMILY = "👩\u200d👩\u200d👧"
TEXTS = [
    *("", " ", "a", "hello world", "one two three four five six seven", "a" * 400, "\n" * 50),
    *(
        FAMILY,
        f"hello {FAMILY} world",
        "🇩🇪🇫🇷🇮🇹",
        "e" + "\u0301" * 40,
        "会议在三月十二日举行",
        "\U0010ffff",
    ),
    *("a\ud800b and more words after it", "<|endoftext|> is text", "don't stop " * 40),
]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5, 8, 13, 1000])
def test_a_batch_is_cut_as_its_texts_are_one_by_one(encoding: str, limit: int) -> None:
    made = count_and_truncate_batch(TEXTS, limit, encoding)

    assert [kept for kept, _ in made] == [truncate(text, limit, encoding) for text in TEXTS]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5, 8, 13, 1000])
def test_each_text_comes_with_what_it_takes_after_the_cut(encoding: str, limit: int) -> None:
    made = count_and_truncate_batch(TEXTS, limit, encoding)

    assert [taken for _, taken in made] == [count(kept, encoding) for kept, _ in made]
    assert all(taken <= limit for _, taken in made)


def test_texts_that_fit_come_back_unchanged_in_their_order() -> None:
    texts = ["b b", f"{FAMILY}", "a\ud800", ""]

    assert [kept for kept, _ in count_and_truncate_batch(texts, 50)] == texts


def test_a_cut_moves_back_to_the_end_of_a_grapheme() -> None:
    text = f"hello {FAMILY} world"
    cuts = {count_and_truncate_batch([text, "x"], limit)[0][0] for limit in range(1, count(text))}

    assert cuts <= {"hello", "hello ", f"hello {FAMILY}"}


def test_a_first_grapheme_over_the_limit_is_cut_between_characters_and_counted() -> None:
    [(kept, taken), other] = count_and_truncate_batch([FAMILY, "word"], 4)

    assert kept
    assert FAMILY.startswith(kept)
    assert taken == count(kept) <= 4
    assert other == ("word", 1)


def test_a_large_batch_is_cut_alike_on_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    before = count_and_truncate_batch(TEXTS, 5)
    monkeypatch.setattr(tokens, "_THREADED_CHARS_MIN", 0)

    assert count_and_truncate_batch(TEXTS, 5) == before


def test_no_texts_give_nothing() -> None:
    assert count_and_truncate_batch([], 5) == []


def test_a_negative_limit_and_an_unknown_encoding_are_refused() -> None:
    with pytest.raises(InvalidInput, match="limit"):
        count_and_truncate_batch(["a"], -1)
    with pytest.raises(InvalidInput, match="cl100k_base, o200k_base"):
        count_and_truncate_batch([], 1, "p50k_base")
