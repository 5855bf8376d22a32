"""How wide text stands on a terminal, and where its lines are broken.

Pure: texts in, texts out. Must not know streams.
"""

import re
from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

Span = str | tuple[str, str]
"""A piece of text, or (text, rich style)."""

_WORD = re.compile(r"\S+")


def columns(text: str) -> int:
    """Return how many columns `text` takes: two for what is wide (Unicode Annex 11)."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def folded(spans: Sequence[Span], *, width: int) -> Iterator[list[Span]]:
    """Yield the spans as lines broken between words, of at most `width` columns or one word."""
    text = "".join(span if isinstance(span, str) else span[0] for span in spans)
    for start, stop in _lines(text, width):
        yield list(_between(spans, start, stop))


def _lines(text: str, width: int) -> Iterator[tuple[int, int]]:
    start = stop = 0
    for word in _WORD.finditer(text):
        if stop > start and columns(text[start : word.end()]) > width:
            yield start, stop
            start = word.start()
        stop = word.end()
    yield start, stop


def _between(spans: Sequence[Span], start: int, stop: int) -> Iterator[Span]:
    """Yield what stands between two places of the spans' text, styles kept."""
    for span in spans:
        text, style = (span, "") if isinstance(span, str) else span
        part = text[max(start, 0) : max(stop, 0)]
        if part:
            yield (part, style) if style else part
        start, stop = start - len(text), stop - len(text)
