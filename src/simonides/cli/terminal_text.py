"""Text for a terminal: escaping of untrusted text, width, line wrapping and highlighting.

What is kept came from other people: it may hold escape sequences that move the cursor, set the
window's title or write over what stands there, and marks that make text read backwards. Pure:
texts in, texts out; nothing is ranked by an excerpt. Must not know where text is printed.
"""

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from simonides.text.word_patterns import lazy_pattern

_CONTROLS = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0, DEL and C1; newline and tab stay."""

_BREAKS = lazy_pattern(r"\r\n|[\u2028\u2029]")

_DIRECTION = lazy_pattern(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Bidirectional marks, embeddings, overrides and isolates (Unicode Annex 9)."""


def safe(text: str) -> str:
    """Return `text` without control characters, its bidirectional marks made visible."""
    unbroken = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    return _DIRECTION.sub(lambda mark: f"<U+{ord(mark[0]):04X}>", unbroken)


def one_line(text: str) -> str:
    """Return `text` on one line, each run of white space as one space."""
    return " ".join(safe(text).split())


def clip(text: str, width: int) -> str:
    """Return `text` on one line of at most `width` characters, cut with an ellipsis."""
    line = one_line(text)
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


# ── width and lines ───────────────────────────────────────────────────────────────────────────

Span = str | tuple[str, str]
"""A piece of text, or (text, rich style)."""

_BETWEEN_BLANKS = lazy_pattern(r"\S+")


def columns(text: str) -> int:
    """Return the width of `text` in columns: two for wide characters (Unicode Annex 11)."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def fold_lines(spans: Sequence[Span], *, width: int) -> Iterator[list[Span]]:
    """Yield the spans as lines wrapped between words, of at most `width` columns or one word."""
    text = "".join(span if isinstance(span, str) else span[0] for span in spans)
    for start, stop in _lines(text, width):
        yield list(_between(spans, start, stop))


def _lines(text: str, width: int) -> Iterator[tuple[int, int]]:
    start = stop = 0
    for word in _BETWEEN_BLANKS.finditer(text):
        if stop > start and columns(text[start : word.end()]) > width:
            yield start, stop
            start = word.start()
        stop = word.end()
    yield start, stop


def _between(spans: Sequence[Span], start: int, stop: int) -> Iterator[Span]:
    """Yield the spans between two positions of their text, with styles."""
    for span in spans:
        text, style = (span, "") if isinstance(span, str) else span
        part = text[max(start, 0) : max(stop, 0)]
        if part:
            yield (part, style) if style else part
        start, stop = start - len(text), stop - len(text)


# ── excerpts ──────────────────────────────────────────────────────────────────────────────────

MARK = "bold yellow"
"""The style of a word of the question."""

_WORD = lazy_pattern(r"\w+")
_WORD_CHARS_MIN = 4
"""Shorter words of a question are mostly grammar and are not marked, unless they hold a digit."""

_GRAMMAR = lazy_pattern(
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
    """Return the words of a question to highlight."""
    words = (word.casefold() for word in _WORD.findall(text))
    return tuple(word for word in words if _says_something(word))


def _says_something(word: str) -> bool:
    if len(word) >= _WORD_CHARS_MIN:
        return not _GRAMMAR.fullmatch(word)
    return any(char.isdigit() or char >= _CJK_BEGINS for char in word)


def snippet(passage: str, words: Sequence[str], *, width: int) -> list[Span]:
    """Return about `width` characters of `passage` with most of `words`, which are highlighted."""
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
    """Return whether `word` is one of `words`, or another form of one (decide, decided)."""
    return any(word == asked or _share_a_stem(word, asked) for asked in words)


def _share_a_stem(a: str, b: str) -> bool:
    common = max(_WORD_CHARS_MIN, max(len(a), len(b)) - _ENDING_CHARS_MAX)
    return len(min(a, b, key=len)) >= common and a[:common] == b[:common]


def _window(line: str, marks: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """Return the first window of `width` characters with the most highlights, at word ends."""
    if len(line) <= width or not marks:
        return 0, _word_end(line, width)

    def hold(first: int) -> int:
        return sum(first <= m[0] and m[1] <= first + width - _LEAD_CHARS for m in marks)

    best = max((m[0] for m in marks), key=lambda first: (hold(first), -first))
    start = max(0, min(best - _LEAD_CHARS, len(line) - width))
    if start:
        start = line.rfind(" ", 0, start + 1) + 1
    return start, _word_end(line, start + width)


def _word_end(line: str, at: int) -> int:
    if at >= len(line):
        return len(line)
    space = line.rfind(" ", 0, at + 1)
    return space if space > 0 else at
