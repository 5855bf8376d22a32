"""How much of a long question is analysed; `bounds.QUESTION` says how long one may be.

The one source of these bounds. Must not know how a question is answered.
"""

from collections.abc import Sequence
from typing import TypeVar

QUERY_CHARS_READ = 8_192
"""Characters of a question that are analysed: about four printed pages.

The time of a question grows with its characters, some 15 µs each, so this is what bounds the cost
of one. An embedder reads less (MiniLM 256 tokens).
"""

QUERY_TERMS_MAX = 512
"""Distinct terms of a question that are looked up: what 8,192 characters of prose hold."""

_BEGINNING = 0.75
"""The share of a long question that is taken from its beginning; the rest is taken from its end,
because what is asked often stands below the mail that was pasted."""

Term = TypeVar("Term")


def analysed_part(text: str) -> str:
    """Return what is analysed of a question: all of it, or the beginning and the end of a long one.

    At most `QUERY_CHARS_READ` characters, cut between two words where there are any.
    """
    if len(text) <= QUERY_CHARS_READ:
        return text
    whole = text.strip()
    if len(whole) <= QUERY_CHARS_READ:
        return whole
    head_chars = int(_BEGINNING * QUERY_CHARS_READ)
    head, tail = whole[:head_chars], whole[len(whole) - (QUERY_CHARS_READ - head_chars - 1) :]
    if not whole[head_chars].isspace():
        head = head.rsplit(maxsplit=1)[0]
    if not whole[-len(tail) - 1].isspace():
        tail = tail.split(maxsplit=1)[-1]
    return f"{head.rstrip()}\n{tail.lstrip()}"


def looked_up(terms: Sequence[Term]) -> Sequence[Term]:
    """Return the terms that are looked up: all, or the first and the last of too many."""
    if len(terms) <= QUERY_TERMS_MAX:
        return terms
    first = int(_BEGINNING * QUERY_TERMS_MAX)
    return (*terms[:first], *terms[first - QUERY_TERMS_MAX :])
