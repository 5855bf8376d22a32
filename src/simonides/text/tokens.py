"""Token counting and truncation in the tokens of a model's encoding.

Exact, offline, no token is ever made. The owner of `toktok`. Must not know budgets.
"""

from collections.abc import Sequence

import toktok

from simonides.errors import InvalidInput
from simonides.model.bounds import ENCODINGS
from simonides.text.unicode_script import SURROGATE, boundary

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
    counts: list[int] = toktok.batch_count(_encodable(texts), encoding, _threads(texts))
    return counts


def truncate(text: str, limit: int, encoding: str = "cl100k_base") -> str:
    """Return the longest beginning of the text that takes at most `limit` tokens, about.

    Cut between graphemes, unless not even the first one fits: then between characters. Always a
    prefix of the text, and counting it again never gives more than `limit`.

    Raises:
        InvalidInput: The encoding is not one of `ENCODINGS`, or the limit is negative.
    """
    return count_and_truncate_batch([text], limit, encoding)[0][0]


def count_and_truncate_batch(
    texts: Sequence[str], limit: int, encoding: str = "cl100k_base"
) -> list[tuple[str, int]]:
    """Return each text, in order, as `truncate` cuts it, with its number of tokens then.

    A text that fits comes back unchanged. All are counted in one batch; those that are cut, in
    one more for each time that a cut moves back to the end of a grapheme, seldom over two.

    Raises:
        InvalidInput: The encoding is not one of `ENCODINGS`, or the limit is negative.
    """
    _check(encoding)
    if limit < 0:
        raise InvalidInput("limit", f"must be 0 or more tokens, got {limit}")
    found = _fitting(texts, limit, encoding)
    longest = {i: chars for i, (chars, total) in enumerate(found) if total > limit}
    done = [(text, total) for text, (_, total) in zip(texts, found, strict=True)]
    over = dict(longest)
    while over:
        heads = {i: texts[i][: boundary(texts[i], chars)] for i, chars in over.items()}
        counted = _fitting(list(heads.values()), limit, encoding)
        over = {}
        for (i, head), (chars, total) in zip(heads.items(), counted, strict=True):
            if total <= limit:
                done[i] = (head, total)
            else:
                # A shorter text may take more tokens than a longer one: cut it again.
                over[i] = chars
    _fill_empty(done, {i: texts[i][:chars] for i, chars in longest.items()}, encoding)
    return done


def _fill_empty(done: list[tuple[str, int]], heads: dict[int, str], encoding: str) -> None:
    """Fill each empty result with the fitting part of its first grapheme."""
    torn = {i: head for i, head in heads.items() if head and not done[i][0]}
    counts = count_batch(list(torn.values()), encoding)
    for (i, head), tokens in zip(torn.items(), counts, strict=True):
        done[i] = (head, tokens)


def _fitting(texts: Sequence[str], limit: int, encoding: str) -> list[tuple[int, int]]:
    """Return for each text how many of its characters fit, and its number of tokens in all."""
    found = toktok.batch_truncate(_encodable(texts), limit, encoding, _threads(texts))
    return [(len(head), total) for head, total in found]


def _threads(texts: Sequence[str]) -> int:
    """Return how many threads to use: 0 for all cores, one where starting more takes longer."""
    return 0 if sum(map(len, texts)) >= _THREADED_CHARS_MIN else 1


def _encodable(texts: Sequence[str]) -> list[str]:
    """Return the texts with lone surrogates as U+FFFD, character for character."""
    if all(map(str.isascii, texts)):
        return list(texts)
    return [SURROGATE.sub("\ufffd", text) for text in texts]


def _check(encoding: str) -> None:
    if encoding not in ENCODINGS:
        raise InvalidInput("encoding", f"unknown {encoding!r}; known are {', '.join(ENCODINGS)}")
