"""Compounds of languages that write them as one word: split where both parts are words elsewhere.

Knows the joints between parts. Must not know where words are looked up.
"""

from collections.abc import Callable, Iterator

COMPOUNDING = frozenset("da de fi nl no sv".split())
"""Languages that write compounds as one word (ISO 639-1)."""

PART_CHARS_MIN = 4
"""Shorter parts are found in every other word: "ter" and "min" in "termin"."""

_JOINTS = ("", "s", "es", "n", "en", "e")
"""What may stand between the parts, the most frequent first: "arbeit(s)vertrag"."""


def compound_parts(word: str, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the two parts of a folded word that are both known, the most even split; else none."""
    for left, right in _splits(word):
        if is_known(right) and is_known(left):
            return left, right
    return ()


def _splits(word: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a word, the most even first, each without a joint first."""
    places = range(PART_CHARS_MIN, len(word) - PART_CHARS_MIN + 1)
    for place in sorted(places, key=lambda one: (abs(2 * one - len(word)), one)):
        left, right = word[:place], word[place:]
        for joint in _JOINTS:
            bare = left.removesuffix(joint)
            if left.endswith(joint) and len(bare) >= PART_CHARS_MIN:
                yield bare, right
