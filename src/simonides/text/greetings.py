"""Words that greet, thank or agree, in the languages that have a file.

A message of nothing else asks nothing, whatever memory holds.
"""

from collections.abc import Iterable

from simonides.text.vocabulary import word_set


def asks_nothing(words: Iterable[str]) -> bool:
    """Return whether folded words say nothing but a greeting, thanks or agreement."""
    return word_set("greetings").issuperset(words)
