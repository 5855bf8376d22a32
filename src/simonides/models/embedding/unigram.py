"""The tokenizer of SentencePiece's kind: the most probable division of a text into known pieces.

Knows pieces and their probabilities. Must not know what model reads them.
"""

import re
from collections.abc import Mapping, Sequence

_SPACE = "\u2581"
"""What stands for a space in the pieces."""

_PENALTY = 10.0
"""Taken from the least score for a character that is in no piece, as SentencePiece does."""

_SPACES = re.compile(" +")


class Unigram:
    """A tokenizer for one model; threads may share it.

    Args:
        pieces: In the order of their ids; those in `special` stand for no text.
        scores: The logarithm of the probability of each piece.
        replaced: What characters are replaced by before, by code point.
        special: Ids that no text gets.
        unknown: The id of characters that are in no piece.
    """

    def __init__(
        self,
        pieces: Sequence[str],
        scores: Sequence[float],
        *,
        replaced: Mapping[int, str],
        special: frozenset[int],
        unknown: int,
    ) -> None:
        self._known = {piece: id_ for id_, piece in enumerate(pieces) if id_ not in special}
        self._scores = scores
        self._longest = max(map(len, self._known))
        self._replaced = replaced
        self._unknown = unknown
        self._worst = min(scores[id_] for id_ in self._known.values()) - _PENALTY

    def encode(self, text: str) -> list[int]:
        """Return the ids of the pieces; neighbouring unknown characters are one id."""
        spaced = _SPACES.sub(" ", text.translate(self._replaced)).strip(" ")
        if not spaced:
            return []
        ids: list[int] = []
        for id_ in self._divide(_SPACE + spaced.replace(" ", _SPACE)):
            if id_ != self._unknown or ids[-1:] != [id_]:
                ids.append(id_)
        return ids

    def _divide(self, text: str) -> list[int]:
        """Return the ids of the division with the highest sum of scores (Viterbi's algorithm)."""
        length, known, scores = len(text), self._known, self._scores
        sums = [0.0, *[float("-inf")] * length]  # of the best division up to each place
        last = [(0, 0)] * (length + 1)  # where its last piece starts, and the piece
        for start in range(length):
            for stop in range(start + 1, min(length, start + self._longest) + 1):
                id_ = known.get(text[start:stop])
                if id_ is not None:
                    sum_ = sums[start] + scores[id_]
                elif stop == start + 1:
                    id_, sum_ = self._unknown, sums[start] + self._worst
                else:
                    continue
                if sum_ > sums[stop]:
                    sums[stop], last[stop] = sum_, (start, id_)
        ids, stop = [], length
        while stop:
            stop, id_ = last[stop]
            ids.append(id_)
        return ids[::-1]
