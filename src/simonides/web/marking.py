"""Texts for a page: passages with the words of a question marked, and spans of an item's text.

Knows text alone. Everything is escaped where it is made; must not know templates.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from markupsafe import Markup, escape

from simonides.text.analyse import analyse

_WORD = re.compile(r"\w+")


class WordMarker:
    """Marks the words of one question in texts, whatever their form.

    A word is marked if it shares a search term with the question: "meetings" for "meeting".
    """

    def __init__(self, question: str) -> None:
        self._question = question
        self._asked: dict[str, frozenset[str]] = {}
        self._known: dict[tuple[str, str], bool] = {}

    def mark(self, text: str, *, language: str) -> Markup:
        """Return a text as HTML, with the words of the question in `mark` elements."""
        language = language or "en"
        words = _WORD.finditer(text)
        return mark_spans(text, (one.span() for one in words if self._is_asked(one[0], language)))

    def _is_asked(self, word: str, language: str) -> bool:
        key = word, language
        if key not in self._known:
            if language not in self._asked:
                self._asked[language] = frozenset(analyse(self._question, language))
            self._known[key] = not self._asked[language].isdisjoint(analyse(word, language))
        return self._known[key]


def mark_spans(text: str, spans: Iterable[tuple[int, int]], *, anchor: str = "") -> Markup:
    """Return a text as HTML, with spans of code points in `mark` elements; overlaps are one.

    The first has the id `anchor`, if one is given.
    """
    parts, place = [], 0
    for start, stop in sorted(spans):
        if stop <= place:
            continue
        parts.append(escape(text[place : max(start, place)]))
        opening = Markup('<mark id="{}">').format(anchor) if anchor else Markup("<mark>")
        anchor = ""
        parts += [opening, escape(text[max(start, place) : stop]), Markup("</mark>")]
        place = min(stop, len(text))
    parts.append(escape(text[place:]))
    return Markup("").join(parts)


def mark_differences(before: str, after: str) -> tuple[Markup, Markup]:
    """Return two texts as HTML, with the lines that only one of them has in `del` and `ins`."""
    first, second = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = SequenceMatcher(a=first, b=second, autojunk=False).get_opcodes()
    was = [_lines(first[a:b], _SAME if name == "equal" else _GONE) for name, a, b, _, _ in found]
    now = [_lines(second[a:b], _SAME if name == "equal" else _NEW) for name, _, _, a, b in found]
    return Markup("").join(was), Markup("").join(now)


_SAME, _GONE, _NEW = Markup("{}"), Markup("<del>{}</del>"), Markup("<ins>{}</ins>")


def _lines(lines: Sequence[str], form: Markup) -> Markup:
    return form.format("".join(lines)) if lines else Markup("")
