"""The part of a passage that shows best why it was found, with the question's words marked.

Pure: texts in, spans out. For eyes only; nothing is ranked by it.
"""

import re
from collections.abc import Sequence

from simonides.cli.layout import Span
from simonides.cli.terminal_text import one_line

MARK = "bold yellow"
"""The style of a word of the question."""

_WORD = re.compile(r"\w+")
_WORD_CHARS_MIN = 4
"""Shorter words of a question are mostly grammar and are not marked, unless they hold a digit."""

_GRAMMAR = re.compile(
    "about|could|does|from|have|last|must|next|that|their|them|then|there|these|they|this|those|"
    "week|what|when|where|which|whom|whose|will|with|would|your"
)
"""Longer words of a question that say little about what is asked."""

_ENDING_CHARS_MAX = 3
"""Two words that share all but an ending of this length are taken for forms of one."""

_CJK_BEGINS = "\u2e80"
"""From here on, scripts whose words are short."""

_LEAD_CHARS = 30
"""How much is shown before the first marked word of an excerpt."""


def question_words(text: str) -> tuple[str, ...]:
    """Return the words of a question that are worth marking."""
    words = (word.casefold() for word in _WORD.findall(text))
    return tuple(word for word in words if _says_something(word))


def _says_something(word: str) -> bool:
    if len(word) >= _WORD_CHARS_MIN:
        return not _GRAMMAR.fullmatch(word)
    return any(char.isdigit() or char >= _CJK_BEGINS for char in word)


def snippet(passage: str, words: Sequence[str], *, width: int) -> list[Span]:
    """Return about `width` characters of `passage` around most of `words`, which are marked."""
    line = one_line(passage)
    marks = [m.span() for m in _WORD.finditer(line) if _is_asked(m[0].casefold(), words)]
    start, stop = _window(line, marks, width)
    spans: list[Span] = ["…"] if start else []
    at = start
    for first, last in marks:
        if start <= first and last <= stop:
            spans += [line[at:first], (line[first:last], MARK)]
            at = last
    return [*spans, line[at:stop], "…" if stop < len(line) else ""]


def _is_asked(word: str, words: Sequence[str]) -> bool:
    """Say whether `word` is one of `words`, or another form of one (decide, decided)."""
    return any(word == asked or _share_a_stem(word, asked) for asked in words)


def _share_a_stem(a: str, b: str) -> bool:
    common = max(_WORD_CHARS_MIN, max(len(a), len(b)) - _ENDING_CHARS_MAX)
    return len(min(a, b, key=len)) >= common and a[:common] == b[:common]


def _window(line: str, marks: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """Return the first window of `width` characters that holds the most marks, at word ends."""
    if len(line) <= width or not marks:
        return 0, _word_end(line, width)

    def held(first: int) -> int:
        return sum(first <= m[0] and m[1] <= first + width - _LEAD_CHARS for m in marks)

    best = max((m[0] for m in marks), key=lambda first: (held(first), -first))
    start = max(0, min(best - _LEAD_CHARS, len(line) - width))
    if start:
        start = line.rfind(" ", 0, start + 1) + 1
    return start, _word_end(line, start + width)


def _word_end(line: str, at: int) -> int:
    if at >= len(line):
        return len(line)
    space = line.rfind(" ", 0, at + 1)
    return space if space > 0 else at
