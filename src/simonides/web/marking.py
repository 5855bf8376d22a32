"""Texts for a page: passages with the words of a question marked, and spans of an item's text.

Knows text alone. Everything is escaped where it is made; must not know templates.
"""

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

from simonides.text.analyse import analyse

_WORD = re.compile(r"\w+")


def mark_words(text: str, question: str, *, language: str = "en") -> Markup:
    """Return a text as HTML, with the words of a question in `mark` elements, whatever their form.

    A word is marked if it shares a search term with the question: "meetings" for "meeting".
    """
    asked = frozenset(analyse(question, language))
    words = (match.span() for match in _WORD.finditer(text))
    found = (span for span in words if not asked.isdisjoint(analyse(text[slice(*span)], language)))
    return mark_spans(text, found)


def mark_spans(text: str, spans: Iterable[tuple[int, int]]) -> Markup:
    """Return a text as HTML, with spans of code points in `mark` elements; overlaps are one."""
    parts, place = [], 0
    for start, stop in sorted(spans):
        if stop <= place:
            continue
        parts.append(escape(text[place : max(start, place)]))
        parts.append(Markup("<mark>{}</mark>").format(text[max(start, place) : stop]))
        place = min(stop, len(text))
    parts.append(escape(text[place:]))
    return Markup("").join(parts)
