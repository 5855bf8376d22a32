"""Sentence splitting: the beginnings and ends of sentences, paragraphs and headings.

Knows punctuation, Markdown's line marks and abbreviations. Must not know sizes: those are
`chunk`'s.
"""

from collections.abc import Iterator
from typing import NamedTuple

from simonides.text.unicode_version import is_lower, mask
from simonides.text.vocabulary import word_file
from simonides.text.word_patterns import lazy_pattern


class Span(NamedTuple):
    """A piece of a text: characters from `start` up to, not including, `stop`."""

    start: int
    stop: int


class Sentence(NamedTuple):
    """A sentence, and whether it begins a paragraph or a section."""

    start: int
    stop: int
    paragraph: bool
    heading: bool


_CLOSERS = "\"'\u2019\u201d\u00bb)\\]*_"
_LINE_MARK = r"[^\S\n]*(?:[-*+\u2022>|]|\d{1,3}[.)])[^\S\n]|[^\S\n]*[|>]|#{1,6}[^\S\n]"
_LONG_WORD = r"[^\W\d_]{7}"
_BREAK = lazy_pattern(
    r"[\n.!?\u2026\u061f\u06d4\u0964\u0965\u3002\uff01\uff1f\uff61]"
    r"(?:"
    rf"(?<=\n)(?:(?:[^\S\n]*+\n)++|(?={_LINE_MARK}))"
    rf"|(?<={_LONG_WORD}[.])(?=\s)()"
    r"|(?<=[\u3002\uff01\uff1f\uff61])[\u3002\uff01\uff1f\uff61\u300d\u300f\u201d\u2019\uff09\u3011]*+"
    r"|(?<=[.!?\u2026\u061f\u06d4\u0964\u0965])(?<![.!?\u2026]{2})"
    rf"[.!?\u2026]*+[{_CLOSERS}]*+(?=\s)"
    r")"
)
"""A place where a sentence may end: a blank line, a line that begins an entry, a full stop.

The group takes part where one ends for sure, as most do: with a full stop behind a word that is
longer than any abbreviation. Every repetition is possessive and begins at most once a run, so that
the search is linear.
"""

_HEADING = lazy_pattern(r"#{1,6}[^\S\n]+[^\n]*")
_RUN_CHARS_MAX = 24
_ENTRY_DIGITS_MAX = 3
"""The number of a list's entry has as many at most."""
_OPENERS = "\"'\u2018\u201c\u201e\u00ab([*_\u00bf\u00a1"

_NEVER_LAST = frozenset(word_file("abbreviations")["never_last"].split())
"""Abbreviations that want a word after them, folded and without the last stop."""
_SELDOM_LAST = frozenset(word_file("abbreviations")["seldom_last"].split())
"""Abbreviations that may end a sentence: they do where a capital letter follows."""


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text in order, trimmed; together they hold all visible text.

    A heading, a list entry and a table row are sentences of their own; a line break alone ends
    none. Abbreviations, initials and ordinals (`Dr.`, `z.B.`, `J.`, `3.`) end none either.
    """
    return [Span(start, stop) for start, stop, _, _ in _cut(text)]


def mark_sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text, each with the paragraph or heading that begins there."""
    return map(Sentence._make, _cut(text))


_Fields = tuple[int, int, bool, bool]
"""The fields of a `Sentence`: bare, because most callers want but two of them."""


def _cut(text: str) -> Iterator[_Fields]:
    """Yield the fields of the sentences of a text, in order."""
    text = mask(text)
    paragraph = True
    start = 0
    for match in _BREAK.finditer(text):
        mark, end = match.span()
        line_break = text[mark] == "\n"
        if not (line_break or match.lastindex or _ends_sentence(text, start, mark, end)):
            continue
        stop = mark if line_break else end
        body = text[start:stop].lstrip()
        begin = stop - len(body)
        if body[:1] == "#":
            yield from _split_heading(text, begin, stop, paragraph=paragraph)
        elif body:
            yield begin, begin + len(body.rstrip()), paragraph, False
        blank = end - mark > 1
        paragraph = line_break and (blank or (paragraph and not body))
        start = end
    yield from _split_heading(text, start, len(text), paragraph=paragraph)


def _split_heading(text: str, start: int, stop: int, *, paragraph: bool) -> Iterator[_Fields]:
    """Yield the sentence between two breaks without white space around it, a heading apart."""
    body = text[start:stop].lstrip()
    if not body:
        return
    start = stop - len(body)
    stop = start + len(body.rstrip())
    heading = _HEADING.match(text, start, stop)
    if heading is None:
        yield start, stop, paragraph, False
        return
    end = start + len(heading[0].rstrip())
    yield start, end, True, True
    yield from _split_heading(text, end, stop, paragraph=True)


def _ends_sentence(text: str, start: int, mark: int, end: int) -> bool:
    """Return whether a sentence that began at `start` ends with the marks from `mark` to `end`."""
    if text[mark] == "." and end - mark == 1:
        return _may_be_last(text, start, mark)
    if text[end - 1] in "!?" or text[mark] not in ".!?\u2026":
        return True
    return not is_lower(_first_letter(text, end))


def _may_be_last(text: str, start: int, stop: int) -> bool:
    """Return whether the run of characters before a full stop may also end a sentence."""
    run = _run_before(text, start, stop)
    if run.isdigit():
        return len(run) > 2 and not _is_entry_number(text, start, stop)  # noqa: PLR2004  `3. Oktober`, but `in 2003. Then`
    folded = run.casefold()
    if folded in _NEVER_LAST:
        return False
    if folded in _SELDOM_LAST:
        return _first_letter(text, stop + 1).isupper()
    return not _is_initials(run)


def _is_entry_number(text: str, start: int, stop: int) -> bool:
    """Return whether the sentence so far is only a number of up to three digits."""
    bare = text[start:stop].strip() if stop - start <= _RUN_CHARS_MAX else ""
    return len(bare) <= _ENTRY_DIGITS_MAX and bare.isdigit()


def _first_letter(text: str, position: int) -> str:
    """Return the first character after white space and opening quotes, or nothing."""
    head = text[position : position + _RUN_CHARS_MAX].lstrip()
    return head.lstrip(_OPENERS)[:1]


def _run_before(text: str, start: int, stop: int) -> str:
    """Return the run of characters that the mark ends, without opening quotes."""
    before = text[max(start, stop - _RUN_CHARS_MAX) : stop].rsplit(None, 1)
    return before[-1].lstrip(_OPENERS) if before else ""


def _is_initials(run: str) -> bool:
    """Return whether it is `J`, `J.R.R` or `e.g`; the pronoun `I` is not."""
    if len(run) > 1 and "." not in run:
        return False
    letters = run.split(".")
    return all(len(part) == 1 and part.isalpha() for part in letters) and run != "I"
