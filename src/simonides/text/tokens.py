"""Counts and cuts texts in the tokens of a model's encoding.

Exact, offline, no token is ever made. The owner of `toktok`. Must not know budgets.
"""

from collections.abc import Sequence

from simonides.errors import InvalidInput
from simonides.text.grapheme import boundary

ENCODINGS = ("cl100k_base", "o200k_base")
"""GPT-3.5, GPT-4 and the third embedding models; GPT-4o and everything after."""

_THREADED_CHARS_MIN = 1 << 20


def count(text: str, encoding: str = "cl100k_base") -> int:
    """Return how many tokens the text takes; text like `<|endoftext|>` counts as ordinary.

    Raises:
        InvalidInput: The encoding is not one of `ENCODINGS`.
    """
    return count_batch([text], encoding)[0]


def count_batch(texts: Sequence[str], encoding: str = "cl100k_base") -> list[int]:
    """Return how many tokens each of the texts takes, in order.

    Raises:
        InvalidInput: The encoding is not one of `ENCODINGS`.
    """
    _check(encoding)
    import toktok

    threads = 0 if sum(map(len, texts)) >= _THREADED_CHARS_MIN else 1
    counts: list[int] = toktok.batch_count(list(map(_encodable, texts)), encoding, threads)
    return counts


def truncate(text: str, limit: int, encoding: str = "cl100k_base") -> str:
    """Return the longest beginning of the text that takes at most `limit` tokens, about.

    Cut between graphemes, unless not even the first one fits: then between characters. Always a
    prefix of the text, and counting it again never gives more than `limit`.

    Raises:
        InvalidInput: The encoding is not one of `ENCODINGS`, or the limit is negative.
    """
    _check(encoding)
    if limit < 0:
        raise InvalidInput("limit", f"must be 0 or more tokens, got {limit}")
    fitting = _fitting(text, limit, encoding)
    kept = fitting
    while kept < len(text):
        cut = boundary(text, kept)
        # A shorter text may take more tokens than a longer one: count again.
        kept = _fitting(text[:cut], limit, encoding)
        if kept == cut:
            break
    return text[: kept or fitting]


def _fitting(text: str, limit: int, encoding: str) -> int:
    """Return how many characters of the text fit."""
    if not limit:
        return 0
    import toktok

    return len(toktok.truncate(_encodable(text), limit, encoding)[0])


def _encodable(text: str) -> str:
    """Return the text with lone surrogates as U+FFFD, character for character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def _check(encoding: str) -> None:
    if encoding not in ENCODINGS:
        raise InvalidInput("encoding", f"unknown {encoding!r}; known are {', '.join(ENCODINGS)}")
