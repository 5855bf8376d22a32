"""Which sources and kinds a word of a question points to.

The design's table, at word boundaries, and the plain words of other languages. Knows words.
"""

from functools import cache

from simonides.model.item import Kind
from simonides.text.vocabulary import SPACED, UNSPACED, word_set

Pointed = tuple[tuple[str, ...], tuple[Kind, ...]]

_TABLES: tuple[tuple[str, tuple[str, ...], tuple[Kind, ...]], ...] = (
    ("mail", ("gmail", "outlook", "mail"), (Kind.EMAIL,)),
    ("documents", ("gdrive", "onedrive", "file"), (Kind.DOCUMENT,)),
    ("attached", ("attachment",), ()),
    ("task", ("jira",), (Kind.TASK,)),
    ("events", ("calendar",), (Kind.EVENT,)),
    ("chats", ("chat",), ()),
    ("texts", (), (Kind.MESSAGE,)),
)
"""Each table of words, with the sources and kinds that they point to."""


@cache
def sources_of_word() -> dict[str, Pointed]:
    """Return the sources and kinds of each word, folded."""
    return {
        word: (sources, kinds)
        for table, sources, kinds in _TABLES
        for word in sorted(word_set(table, languages=SPACED))
    }


def sources_named(text: str) -> list[Pointed]:
    """Return the sources and kinds that words of a script without spaces point to in a text."""
    return (
        []
        if text.isascii()
        else [
            (sources, kinds)
            for table, sources, kinds in _TABLES
            if any(word in text for word in word_set(table, languages=UNSPACED))
        ]
    )
