"""Excerpts: the whole sentences of a text to show where all of it would cost too much.

Pure. Knows sentences, their value for a question, and which are boilerplate:
greetings, closings and the small print of mails, in the languages of `reply`. Must not know items,
budgets of a brief or how an excerpt is marked.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simonides.text.analyse import analyse
from simonides.text.mail import is_device_line, is_sign_off
from simonides.text.sentences import Span, sentences
from simonides.text.unicode_version import is_lower, mask
from simonides.text.vocabulary import mail_words
from simonides.text.word_patterns import lazy_pattern

# ruff: noqa: RUF001  letters that look like others are meant as they stand


SMALL_CHARS_MAX = 400
"""A longer sentence is no small print whatever it holds."""

_GREETING = lazy_pattern(lambda: rf"(?:{mail_words('greeting')})(?![^\W_])", re.IGNORECASE)
_FORMULA = lazy_pattern(
    lambda: rf"[^\s。！!]{{0,12}}?[、,，]?\s*(?:{mail_words('formula')})[\s。！!.,，、]*"
)
"""The same in scripts without spaces, where the name comes first and has no capital."""
_ADDRESSED = frozenset(
    "all there team everyone everybody folks both guys again and to you so very much a lot".split()
)
"""What may stand beside the names in small letters."""
_NAMED_MAX = 5
_PRAISE = lazy_pattern(lambda: rf"(?:{mail_words('praise')})(?![^\W_])", re.IGNORECASE)
_SMALL_PRINT = lazy_pattern(lambda: mail_words("small_print"), re.IGNORECASE)


def is_boilerplate(sentence: str) -> bool:
    """Return whether a sentence is boilerplate: greeting, thanks, closing or small print.

    Only where that is all there is to it: "Hi Tom, the lamp is broken" is none.
    """
    if len(sentence) > SMALL_CHARS_MAX:
        return False
    sentence = mask(sentence)
    first, _, rest = sentence.strip().partition("\n")
    if is_sign_off(first) or is_device_line(first):
        return len(rest.split()) <= 2 * _NAMED_MAX
    return is_greeting(sentence) or bool(_SMALL_PRINT.search(sentence))


def is_greeting(sentence: str) -> bool:
    """Return whether a sentence is only a greeting or thanks, with names."""
    sentence = mask(sentence)
    if _FORMULA.fullmatch(sentence.strip()):
        return True
    match = _GREETING.match(sentence) or _PRAISE.match(sentence)
    if match is None:
        return False
    named = re.findall(r"[^\W_]+", sentence[match.end() :])
    return len(named) <= _NAMED_MAX and all(
        word.casefold() in _ADDRESSED or (word.isalpha() and not is_lower(word[0]))
        for word in named
    )


def without_greeting(sentence: str) -> str:
    """Return a sentence without the greeting on the line above it, if there is one."""
    first, _, rest = sentence.partition("\n")
    return rest if rest.strip() and is_greeting(first) else sentence


ROW_MARKS_MIN = 2
"""A line with so many commas, semicolons or tabs that no blank follows is a row of a table."""


def is_row(line: str) -> bool:
    """Return whether a line is a row of a table, as files of comma-separated values have them."""
    return any(line.count(mark) - line.count(f"{mark} ") >= ROW_MARKS_MIN for mark in ",;\t")


HEADING_WORDS_MAX = 5
"""A numbered sentence of so many words, its number included, heads the line that it begins. One
without a number may be any: most sentences in Korean are as short."""

_NUMBER = lazy_pattern(r"(?:\u00a7 ?)?\d{1,3}(?:\.\d{1,3}){0,3}[.)]?\s")


def _with_headings(text: str) -> Iterator[Span]:
    """Yield the sentences of a text, with the one that heads a line joined to the one after it."""
    begin = -1
    for start, stop in sentences(text):
        if begin < 0 and _heads_line(text, start, stop):
            begin = start
        else:
            yield Span(start if begin < 0 else begin, stop)
            begin = -1


def _heads_line(text: str, start: int, stop: int) -> bool:
    is_first = text[max(0, start - 1) : start] in ("", "\n")
    if not is_first or text[stop : stop + 1] != " " or not _NUMBER.match(text, start):
        return False
    return len(text[start:stop].split()) <= HEADING_WORDS_MAX


def sentences_and_rows(text: str) -> Iterator[Span]:
    """Yield the sentences of a text in order, each row of a table apart.

    A heading that begins a line ("3. Deposit. The tenant pays …") is of the sentence after it.
    """
    for start, stop in _with_headings(text):
        lines = text[start:stop].split("\n")
        rows = [*map(is_row, lines)] if len(lines) > 1 else [False]
        begin = end = start
        for line, is_one, is_next in zip(lines, rows, [*rows[1:], False], strict=True):
            end += len(line)
            if end == stop or (is_one and is_next):
                yield Span(begin, end)
                begin = end + 1
            end += 1


ASKED_WORTH = 2.0
"""How much more a sentence says for each word of the question that it has (measured:
docs/explanation/briefs.md)."""

SPECIFIC_WORTH = 1.0
"""How much more it says for holding a number or a name (measured: the same page)."""

_CAPITALS = "".join(filter(str.isupper, map(chr, range(0x590))))
"""Those of the scripts that have any: Latin, Greek, Cyrillic, Armenian."""

_SPECIFIC = lazy_pattern(rf"[\d{_CAPITALS}](?:(?<=\d)|(?<=[\w,;:\"'(] .)\w)")
"""A digit, or a capital letter that does not begin the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """The distinct terms of a question, analysed in the `language` of a text."""

    terms: frozenset[str]
    language: str

    def worth(self, sentence: str) -> float:
        """Return how much a sentence says for the question: its words, names and numbers."""
        matches = len(self.terms.intersection(analyse(sentence, self.language)))
        is_specific = _SPECIFIC.search(mask(sentence)) is not None
        return ASKED_WORTH * matches + SPECIFIC_WORTH * is_specific


def rank_sentences(
    pieces: Sequence[str],
    query: QueryTerms,
    places: Sequence[int],
    *,
    nearest: int | None = None,
    worths: dict[int, float] | None = None,
) -> list[int]:
    """Return some places of sentences, those that say most for the question first.

    Of equals those next to the best one, or to the one at `nearest`, the following before the
    preceding. `worths` has what is known of them from before, and gets the rest.
    """
    known = {} if worths is None else worths
    known.update((place, query.worth(pieces[place])) for place in places if place not in known)
    best = max(places, key=known.__getitem__, default=0) if nearest is None else nearest
    return sorted(places, key=lambda place: (-known[place], abs(place - best), -place))


GAP = "\u2026"
"""Stands where words of the text are left out."""


def join_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the spans of a text, in order, with a mark at each omission.

    Where nothing between is left out, but something before or after them, the mark stands at one
    end: one is enough to say that it is an excerpt.
    """
    shown: list[str] = []
    end = spans[0][0] if spans else 0
    is_marked = False
    for start, stop in spans:
        between = text[end:start]
        if between.strip():
            shown.append(f" {GAP} ")
            is_marked = True
        elif shown:
            shown.append("\n" if "\n" in between else " ")
        shown.append(text[start:stop])
        end = stop
    if not spans or is_marked:
        return "".join(shown)
    if text[end:].strip():
        shown.append(f" {GAP}")
    elif text[: spans[0][0]].strip():
        shown.insert(0, f"{GAP} ")
    return "".join(shown)
