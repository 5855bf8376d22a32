"""The tokenizer of the default model: WordPiece, with the ids of the library `tokenizers`.

For the same `tokenizer.json` it gives what that library gives, which is used by the tests only
because of what it brings along. Must not know a model.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from unicodedata import normalize

WORD_CHARS_MAX = 100
"""Longer words are unknown."""

_FRAME = 2
"""Tokens that stand around every text: [CLS] and [SEP]."""

_WORDS_KEPT = 1 << 16
_CHARS_KEPT = 1 << 14
_CHINESE = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
]
_LOWER = {0xA7CB: "\u0264"}
"""Capital letters younger than the Unicode of Python 3.11, and their small ones."""


class _Forms(dict[int, str]):
    """The replacement of each character, for `str.translate`; made at its first occurrence."""

    def __init__(self, *, dropped: list[list[int]], alone: list[list[int]]) -> None:
        super().__init__()
        self._dropped = dropped
        self._alone = alone

    def __missing__(self, code: int) -> str:
        parts = normalize("NFD", chr(code))
        kept = (c for c in parts if not _within(self._dropped, ord(c)))
        form = "".join(self._set_apart(_LOWER.get(ord(c)) or c.lower()) for c in kept)
        if _within(_CHINESE, code):
            form = f" {form} "
        if len(self) < _CHARS_KEPT:
            self[code] = form
        return form

    def _set_apart(self, char: str) -> str:
        if char.isspace():
            return " "
        return f" {char} " if len(char) == 1 and _within(self._alone, ord(char)) else char


def _within(ranges: Sequence[Sequence[int]], code: int) -> bool:
    place = bisect_right(ranges, code, key=itemgetter(0)) - 1
    return place >= 0 and code <= ranges[place][1]


class WordPiece:
    """The tokenizer of one model; threads may share it.

    Args:
        tokenizer: The bytes of a `tokenizer.json` whose model is WordPiece.
        characters: The bytes of the `characters.json` beside it.
        tokens_max: Longest result, with the two tokens that stand around every text.
    """

    def __init__(self, tokenizer: bytes, characters: bytes, *, tokens_max: int) -> None:
        described = json.loads(tokenizer)
        self._vocabulary: dict[str, int] = described["model"]["vocab"]
        self._special = {token["content"]: token["id"] for token in described["added_tokens"]}
        self._forms = _Forms(**json.loads(characters))
        self._room = tokens_max - 2
        self._longest = max(map(len, self._vocabulary))
        self._pieces = lru_cache(_WORDS_KEPT)(self._cut)
        self._parts = re.compile(f"({'|'.join(map(re.escape, self._special))})")

    def encode(self, text: str) -> list[int]:
        """Return the ids of the text, between those of [CLS] and [SEP]."""
        ids: list[int] = []
        for part in self._parts.split(text):
            special = self._special.get(part)
            for word in () if special is not None else part.translate(self._forms).split():
                ids += self._pieces(word)
                if len(ids) >= self._room:
                    break
            if special is not None:
                ids.append(special)
        return [self._special["[CLS]"], *ids[: self._room], self._special["[SEP]"]]

    def is_read(self, ids: Sequence[int]) -> bool:
        """Return whether at least half of a text's tokens are known to the model.

        The unknown ones are all one token to it: texts of nothing else would all be alike.
        """
        unknown = ids.count(self._special["[UNK]"])
        return 2 * unknown <= len(ids) - _FRAME and len(ids) > _FRAME

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the longest known pieces from the left, or the unknown token for all of it."""
        ids: list[int] = []
        start = 0
        while start < len(word) <= WORD_CHARS_MAX:
            piece, start = self._longest_piece(word, start)
            if piece is None:
                break
            ids.append(piece)
        return tuple(ids) if ids and start == len(word) else (self._special["[UNK]"],)

    def _longest_piece(self, word: str, start: int) -> tuple[int | None, int]:
        prefix = "##" if start else ""
        for stop in range(min(len(word), start + self._longest), start, -1):
            known = self._vocabulary.get(prefix + word[start:stop])
            if known is not None:
                return known, stop
        return None, start
