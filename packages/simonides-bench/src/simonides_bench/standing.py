"""Whether an item stands in a text: at least half of its words, in order.

Stray words do not count: "the", "I" and "to" of twenty other items would make up half of a short
one. So words count in runs of at least `RUN_MIN` (or the whole item, if it is shorter).
"""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

SHARE_MIN = 0.5
RUN_MIN = 4

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The words of an item, in order, without letter case."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Said":
        """Return the words of a text."""
        return cls(words=tuple(word.casefold() for word in _WORD.findall(text)))


def stands_in(text: str, item: Said) -> bool:
    """Return whether at least half of the item's words stand in the text, in order, in runs."""
    if not item.words:
        return False
    run_min = min(RUN_MIN, len(item.words))
    matcher = SequenceMatcher(None, Said.of(text).words, item.words, autojunk=False)
    held = sum(one.size for one in matcher.get_matching_blocks() if one.size >= run_min)
    return held >= SHARE_MIN * len(item.words)
