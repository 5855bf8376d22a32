"""Where sentences, paragraphs and headings begin and end.

Knows punctuation, Markdown's line marks and abbreviations. Must not know sizes: those are
`chunk`'s.
"""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """A piece of a text: characters from `start` up to, not including, `stop`."""

    start: int
    stop: int


class Sentence(NamedTuple):
    """A sentence, and whether a paragraph or a section begins with it."""

    start: int
    stop: int
    paragraph: bool
    heading: bool


_CLOSERS = "\"'\u2019\u201d\u00bb)\\]*_"
_LINE_MARK = r"[^\S\n]*(?:[-*+\u2022>|]|\d{1,3}[.)])[^\S\n]|[^\S\n]*[|>]|#{1,6}[^\S\n]"
_BREAK = re.compile(
    r"[\n.!?\u2026\u061f\u06d4\u0964\u0965\u3002\uff01\uff1f\uff61]"
    r"(?:"
    rf"(?<=\n)(?:(?:[^\S\n]*+\n)++|(?={_LINE_MARK}))"
    r"|(?<=[\u3002\uff01\uff1f\uff61])[\u3002\uff01\uff1f\uff61\u300d\u300f\u201d\u2019\uff09\u3011]*+"
    r"|(?<=[.!?\u2026\u061f\u06d4\u0964\u0965])(?<![.!?\u2026]{2})"
    rf"[.!?\u2026]*+[{_CLOSERS}]*+(?=\s)"
    r")"
)
"""A place where a sentence may end: a blank line, a line that begins an entry, a full stop.

Every repetition is possessive and begins at most once a run, so that the search is linear.
"""

_HEADING = re.compile(r"#{1,6}[^\S\n]+[^\n]*")
_RUN_CHARS_MAX = 24
_ENTRY_DIGITS_MAX = 3
"""The number of a list's entry has as many at most."""
_OPENERS = "\"'\u2018\u201c\u201e\u00ab([*_\u00bf\u00a1"

_NEVER_LAST = frozenset(
    "mr mrs ms mx dr prof rev fr st messrs gen col capt lt sgt sen rep hon gov pres vs v cf e.g "
    "i.e eg ie viz approx ca fig figs eq eqs sec ch vol vols no nos p pp ed eds art al jan feb apr "
    "aug sept oct nov dec mon tue wed thu fri tel hr frau herr dipl ing bzw z.b d.h u.a s.o s.u "
    "i.d.r o.ä v.a vgl evtl ggf inkl zzgl nr abb kap bd abs sog abt mme mlle chap sr sra srta ud "
    "uds pág núm ej p.ej sig dott sigg avv pag mevr dhr drs mw bijv o.a d.w.z blz resp t.ex bl.a "
    "s.k dvs f.eks т.е т.к и.о".split()
)
"""Abbreviations that want a word after them, folded and without the last stop."""
_SELDOM_LAST = frozenset(
    "etc inc ltd jr co corp bros a.m p.m u.s u.k e.u gmbh dept est min max usw u.s.w std osv o.s.v "
    "m.m ecc т.д т.п".split()
)
"""Abbreviations that may end a sentence: they do where a capital letter follows."""


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text in order, trimmed of white space; together they hold all.

    A heading, a list entry and a table row are sentences of their own; a line break alone ends
    none. Abbreviations, initials and ordinals (`Dr.`, `z.B.`, `J.`, `3.`) end none either.
    """
    return [Span(s.start, s.stop) for s in marked_sentences(text)]


def marked_sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text with what begins at each."""
    paragraph = True
    start = 0
    for match in _BREAK.finditer(text):
        line_break = text[match.start()] == "\n"
        if not line_break and not _ends_sentence(text, start, match):
            continue
        yield from _trimmed(
            text, start, match.start() if line_break else match.end(), paragraph=paragraph
        )
        blank = match.end() - match.start() > 1
        empty = paragraph and not text[start : match.start()].strip()
        paragraph = line_break and (blank or empty)
        start = match.end()
    yield from _trimmed(text, start, len(text), paragraph=paragraph)


def _trimmed(text: str, start: int, stop: int, *, paragraph: bool) -> Iterator[Sentence]:
    """Yield the sentence between two breaks without white space around it, a heading apart."""
    piece = text[start:stop]
    body = piece.lstrip()
    if not body:
        return
    start += len(piece) - len(body)
    stop = start + len(body.rstrip())
    heading = _HEADING.match(text, start, stop) if body[0] == "#" else None
    if heading is None:
        yield Sentence(start, stop, paragraph, False)  # noqa: FBT003  a tuple's field
        return
    end = start + len(heading[0].rstrip())
    yield Sentence(start, end, True, True)  # noqa: FBT003
    yield from _trimmed(text, end, stop, paragraph=True)


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Say whether a sentence that began at `start` ends with this mark."""
    mark = match[0]
    if mark[0] not in ".!?\u2026":
        return True
    following = _first_letter(text, match.end())
    if mark[0] != "." or len(mark) > 1:
        return not following.islower() or mark[-1] in "!?"
    run = _run_before(text, start, match.start())
    if match.start() - start <= _RUN_CHARS_MAX and _is_entry_number(text[start : match.start()]):
        return False
    return _may_be_last(run, capital=following.isupper())


def _is_entry_number(head: str) -> bool:
    """Say whether all that a sentence holds so far is a number of up to three digits."""
    bare = head.strip()
    return len(bare) <= _ENTRY_DIGITS_MAX and bare.isdigit()


def _first_letter(text: str, position: int) -> str:
    """Return the first character after white space and opening quotes, or nothing."""
    head = text[position : position + _RUN_CHARS_MAX].lstrip()
    return head.lstrip(_OPENERS)[:1]


def _run_before(text: str, start: int, stop: int) -> str:
    """Return the run of characters that the mark ends, without opening quotes."""
    before = text[max(start, stop - _RUN_CHARS_MAX) : stop].split()
    return before[-1].lstrip(_OPENERS) if before else ""


@functools.lru_cache(maxsize=4096)
def _may_be_last(run: str, *, capital: bool) -> bool:
    folded = run.casefold()
    if folded in _NEVER_LAST:
        return False
    if folded in _SELDOM_LAST:
        return capital
    if run.isdigit():
        return len(run) > 2  # noqa: PLR2004  `3. Oktober`, but `in 2003. Then`
    return not _is_initials(run)


def _is_initials(run: str) -> bool:
    """Say whether it is `J`, `J.R.R` or `e.g`; the pronoun `I` is not."""
    letters = run.split(".")
    return all(len(part) == 1 and part.isalpha() for part in letters) and run != "I"
