"""The tense of a text: whether a date in it that could be either lies behind or ahead.

"What did we say on Friday" is about the last one, "what do I have on Friday" about the next,
"Friday's meeting" about either. Knows the words that say so, a table for each language.
"""

import re
from enum import StrEnum
from functools import cache, lru_cache

from simonides.text.vocabulary import LANGUAGES, words_pattern
from simonides.text.word_patterns import lazy_pattern


class Tense(StrEnum):
    """The tense of a text: past, future, or open."""

    OPEN = ""
    PAST = "past"
    FUTURE = "future"


_CUES = (
    ("past", Tense.PAST), ("kept", Tense.PAST), ("ahead", Tense.FUTURE), ("past_verbs", Tense.PAST),
)  # fmt: skip
"""Tables of words, the one that decides first: "was planned" is past, "moved and is due" is not.

What is kept ("the invoice from March") can only be of a time that was.
"""


@lru_cache(maxsize=64)
def tense_of(text: str, *, language: str = "en") -> Tense:
    """Return the tense of a text by the words of a language (ISO 639-1); open without a file."""
    if language not in LANGUAGES:
        return Tense.OPEN
    text = text[:_CHARS_MAX].replace("\u2019", "'")
    said = (tense for name, tense in _CUES if _cues(name, language).search(text))
    return next(said, Tense.OPEN)


def points_elsewhere(text: str, start: int, *, language: str = "en") -> bool:
    """Return whether the words before a date at `start` detach it from the verb: moved to.

    So does what somebody intends: "what did I promise to send by 16 March?".
    """
    near = text[max(0, start - _REACH) : start]
    is_intended = _cues("intended", language).search(text, 0, start)
    return is_intended is not None or _cues("toward", language).search(near) is not None


_CHARS_MAX = 1_000
"""A longer text is of more than one tense; its beginning decides."""

_REACH = 16
"""Characters before a date in which a preposition of it ends."""


@cache
def _cues(name: str, language: str) -> re.Pattern[str]:
    ends = r"\s*\Z" if name == "toward" else ""
    return lazy_pattern(
        lambda: f"(?:{words_pattern(name, languages=(language,))}){ends}", re.IGNORECASE
    )
