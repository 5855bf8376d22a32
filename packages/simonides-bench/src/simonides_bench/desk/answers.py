"""The figures and names of an expected answer, and whether a text has all of them.

A figure is a word with a digit, a name one that begins with a capital letter and is no English
stop word. What begins a sentence counts like any other word.
"""

import re

from simonides.text.stopwords import stop_words

_WORD = re.compile(r"\w+")


def figures_and_names(answer: str) -> frozenset[str]:
    """Return the words of an answer that are figures or names, without letter case."""
    found = _WORD.findall(answer)
    return frozenset(word.casefold() for word in found if _is_figure(word) or _is_name(word))


def _is_figure(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.casefold() not in stop_words("en")


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text, without letter case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))
