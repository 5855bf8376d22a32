"""English words of every day that are names as well, and how a question tells that one is meant.

A capital letter tells, but not at the head of a sentence, where every word has one.
"""

import re

from simonides.text.analyse import words
from simonides.text.unicode_version import masked

EVERYDAY = frozenset(
    """
    april art august autumn bank banks bay bell best bill black blue bond booth bridge brown
    bush case cash chance chase church close cook cross dawn day dean early faith field fields
    forest frank free good grace grant gray green grey hall hand harmony hill home hope house
    hunter joy june justice king lake lane law little long love major mark marks may mercy mill
    moon mountain noble north page park parks peace penny pitch pope porter post power price
    prince queen rain read rich river rob rock root rose sage savage school sharp short sky
    small snow song south spring star stone storm strong sue summer sunny swift temple trip wall
    ward water waters way wells west white wild will winter wise wood woods work young
    """.split()
)
"""English given names and surnames that a question may well hold without meaning anybody."""

_INSIDE = re.compile(r"(?<=[^\s.!?:;…\"“(\[*>#-])\s+([^\W\d_]+)")


def proper_words(text: str) -> frozenset[str]:
    """Return the words, folded, that begin with a capital letter inside a sentence."""
    capital = (word for word in _INSIDE.findall(masked(text)) if word[0].isupper())
    return frozenset(folded for word in capital for folded in words(word))
