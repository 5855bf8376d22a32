"""Cuts a text into overlapping chunks of whole sentences, for embedding and indexing.

Knows sizes in words. Must not know embedders or terms. Linear in the length of any text.

A *word* here is a measure of size: up to 24 characters without white space, or up to 2 of a
script written without spaces. So an ordinary word is one, a long address several, and a megabyte
without a space still has a size. A text has never fewer of them than `len(text.split())`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from simonides.text.sentences import Sentence, Span, mark_sentences, sentences
from simonides.text.unicode_script import UNSPACED, UNSPACED_CHAR, boundary
from simonides.text.word_patterns import lazy_pattern

__all__ = ["ChunkRule", "Span", "chunk", "rule_for", "sentences", "word_count"]

WORD_CHARS_MAX = 24
_WORD = lazy_pattern(f"[{UNSPACED}]{{1,2}}|[^\\s{UNSPACED}]{{1,{WORD_CHARS_MAX}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRule:
    """Chunk sizes in words: the target, the maximum, and the overlap with the chunk before."""

    words_target: int
    words_max: int
    overlap_words: int


_SMALL = ChunkRule(words_target=100, words_max=130, overlap_words=20)
"""Measured on long chat messages: sentence-aligned passages of at most 100 words rank best."""
_LARGE = ChunkRule(words_target=600, words_max=600, overlap_words=100)
"""The rule of the systems this engine grew from."""
_SMALL_WINDOW = 256
_LARGE_WINDOW = 600


def rule_for(window_words: int) -> ChunkRule:
    """Return the chunk rule for an embedder with a window of `window_words` words.

    Up to 256 words the small rule (100, at most 130, 20 shared; less for windows below 130), from
    600 words the large one (600 with 100 shared), a straight line between the two.

    Raises:
        ValueError: The window is not positive.
    """
    if window_words < 1:
        raise ValueError(f"window_words must be positive, got {window_words}")
    if window_words >= _LARGE_WINDOW:
        return _LARGE
    if window_words > _SMALL_WINDOW:
        return _between(window_words)
    if window_words >= _SMALL.words_max:
        return _SMALL
    target = max(1, window_words * _SMALL.words_target // _SMALL.words_max)
    return ChunkRule(words_target=target, words_max=window_words, overlap_words=target // 5)


def _between(window_words: int) -> ChunkRule:
    part, whole = window_words - _SMALL_WINDOW, _LARGE_WINDOW - _SMALL_WINDOW
    target = _SMALL.words_target + (_LARGE.words_target - _SMALL.words_target) * part // whole
    overlap = _SMALL.overlap_words + (_LARGE.overlap_words - _SMALL.overlap_words) * part // whole
    longest = min(window_words, target * _SMALL.words_max // _SMALL.words_target)
    return ChunkRule(words_target=target, words_max=longest, overlap_words=overlap)


def word_count(text: str) -> int:
    """Return the size of a text in words, as chunking counts them."""
    if not text.isascii() and UNSPACED_CHAR.search(text):
        return len(_WORD.findall(text))
    return _count_spaced(text.split())


def first_words(text: str, count: int) -> str:
    """Return the first `count` words of a text, unchanged, as chunking counts them."""
    last = next(islice(_WORD.finditer(text), count - 1, None), None)
    return text if last is None else text[: last.end()]


def _count_spaced(runs: Sequence[str]) -> int:
    """Return the word count of a text without unspaced scripts: its runs of visible characters."""
    if max(map(len, runs), default=0) <= WORD_CHARS_MAX:
        return len(runs)
    return sum(-(-len(run) // WORD_CHARS_MAX) for run in runs)


class _Unit(NamedTuple):
    """An indivisible unit: a sentence, or a part of one that is too long."""

    start: int
    stop: int
    words: int
    paragraph: bool
    heading: bool
    whole: bool


def chunk(
    text: str,
    *,
    words_target: int,
    words_max: int,
    overlap_words: int,
    runs: Sequence[str] | None = None,
) -> list[Span]:
    """Return the chunks of a text in order, trimmed; together they hold every visible character.

    Sentences are gathered up to `words_target`; up to `words_max` only to fill a chunk that is
    less than half full, or to end with the section. A heading begins a new chunk, unless the one
    before is small, and shares nothing with it; a paragraph that does not fit begins one where the
    chunk is half full. Every other chunk begins with the last whole sentences of the one before,
    as many as `overlap_words` and its own size allow. Only a sentence over `words_max` is cut: at
    line breaks, then between words, then between graphemes (one of over 64 characters is torn).
    `runs` are `text.split()`, where the caller has them.

    Raises:
        ValueError: Not 1 ≤ words_target ≤ words_max, or overlap_words outside [0, words_target).
    """
    if not 1 <= words_target <= words_max or not 0 <= overlap_words < words_target:
        raise ValueError(
            "needs 1 <= words_target <= words_max and 0 <= overlap_words < words_target, got "
            f"{words_target}, {words_max}, {overlap_words}"
        )
    rule = ChunkRule(words_target=words_target, words_max=words_max, overlap_words=overlap_words)
    if _is_one(text, text.split() if runs is None else runs, rule):
        start = len(text) - len(text.lstrip())
        return [Span(start, start + len(text.strip()))]
    return list(_gather(list(_units(text, rule)), rule))


def _is_one(text: str, runs: Sequence[str], rule: ChunkRule) -> bool:
    """Return whether a text is certainly one chunk, as most messages and mails are.

    Nothing but a heading parts a text of at most `words_max` words.
    """
    if "#" in text or not 0 < len(runs) <= rule.words_max:
        return False
    if text.isascii():  # where sentences end at white space, so that sizes add up
        return _count_spaced(runs) <= rule.words_max
    return max(map(len, runs)) <= WORD_CHARS_MAX and not UNSPACED_CHAR.search(text)


def _gather(units: list[_Unit], rule: ChunkRule) -> Iterator[Span]:
    if not units:
        return
    ahead = _words_ahead(units)
    first = words = 0
    for i, unit in enumerate(units):
        if i > first and _closes(units, i, words=words, ahead=ahead[i], rule=rule):
            yield Span(units[first].start, units[i - 1].stop)
            first, words = _overlap(units, i, previous=first, rule=rule)
        words += unit.words
    yield Span(units[first].start, units[-1].stop)


class _Ahead(NamedTuple):
    """The number of words from a unit to the end of its paragraph, and of its section."""

    paragraph: int
    section: int


def _words_ahead(units: list[_Unit]) -> list[_Ahead]:
    ahead: list[_Ahead] = []
    paragraph = section = 0
    for unit in reversed(units):
        paragraph += unit.words
        section += unit.words
        ahead.append(_Ahead(paragraph, section))
        paragraph = 0 if unit.paragraph else paragraph
        section = 0 if unit.heading else section
    ahead.reverse()
    return ahead


def _closes(units: list[_Unit], i: int, *, words: int, ahead: _Ahead, rule: ChunkRule) -> bool:
    """Return whether a chunk of `words` words ends before unit `i`."""
    unit = units[i]
    half = rule.words_target // 2
    if words + unit.words > rule.words_max:
        return True
    if unit.heading:
        following = units[i + 1].words if i + 1 < len(units) else 0
        return words > half // 2 or words + unit.words + following > rule.words_target
    if words <= half or words + ahead.section <= rule.words_max:
        return False
    return words + (ahead.paragraph if unit.paragraph else unit.words) > rule.words_target


def _overlap(units: list[_Unit], i: int, *, previous: int, rule: ChunkRule) -> tuple[int, int]:
    """Return the first unit of the chunk that continues at unit i, and its words before i."""
    begin, words = i, 0
    room = 0 if units[i].heading else min(rule.overlap_words, rule.words_max - units[i].words)
    while begin - 1 > previous:
        before = units[begin - 1]
        if not before.whole or words + before.words > room:
            break
        begin -= 1
        words += before.words
    return begin, words


def _units(text: str, rule: ChunkRule) -> Iterator[_Unit]:
    """Yield the sentences with their sizes; those over the limit are split."""
    for sentence in mark_sentences(text):
        start, stop, paragraph, heading = sentence
        words = word_count(text[start:stop])
        if words <= rule.words_max:
            yield _Unit(start, stop, words, paragraph, heading, True)  # noqa: FBT003  a field
        else:
            yield from _parts(text, sentence, rule)


def _parts(text: str, sentence: Sentence, rule: ChunkRule) -> Iterator[_Unit]:
    """Yield the lines of a long sentence; those over the limit are split."""
    start, _, paragraph, heading = sentence
    for line in text[start : sentence.stop].splitlines(keepends=True):
        stop = start + len(line.rstrip())
        for begin, end, words, whole in _cuts(text, _skip_space(text, start), stop, rule):
            yield _Unit(begin, end, words, paragraph, heading, whole)
            paragraph = heading = False
        start += len(line)


def _cuts(
    text: str, start: int, stop: int, rule: ChunkRule
) -> Iterator[tuple[int, int, int, bool]]:
    """Yield (start, stop, words, whole) of a line, or of its pieces of the target size."""
    begin = start
    while begin < stop:
        ends = [m.end() for m in islice(_WORD.finditer(text, begin, stop), rule.words_max + 1)]
        if len(ends) <= rule.words_max:
            yield begin, stop, len(ends), begin == start
            return
        cut = _cut_before(text, begin, ends[rule.words_target - 1])
        yield begin, cut, word_count(text[begin:cut]), False
        begin = _skip_space(text, cut)


def _cut_before(text: str, begin: int, latest: int) -> int:
    """Return where to end a piece: before white space in its later half, else after a grapheme."""
    if text[latest].isspace():
        return latest
    middle = (begin + latest) // 2
    head = text[middle:latest].rsplit(None, 1)[0]
    if middle + len(head) < latest and head.strip():
        return middle + len(head)
    cut = boundary(text, latest, floor=begin)
    return cut if cut > begin else latest


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position
