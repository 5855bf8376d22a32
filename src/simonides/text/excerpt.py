"""Excerpts: the most useful whole sentences of a text that is too long to show.

Pure. Knows sentences, their costs and their value for a question. Must not know items,
budgets of a brief or how an excerpt is marked.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.text.analyse import analyse
from simonides.text.unicode_version import masked

ASKED_WORTH = 2.0
"""Tokens that a sentence may cost more for each of the question's words (measured:
docs/explanation/briefs.md)."""

SPECIFIC_WORTH = 1.0
"""Tokens that it may cost more for holding a number or a name (measured: the same page)."""

GAP_COST = 1.0
"""Tokens of the mark where sentences are left out."""

_ENUMERATED_MAX = 8
"""Up to so many sentences every choice is looked at: 2^8 of them, as one product of arrays."""

_CAPITALS = "".join(filter(str.isupper, map(chr, range(0x590))))
"""Those of the scripts that have any: Latin, Greek, Cyrillic, Armenian."""

_SPECIFIC = re.compile(rf"[\d{_CAPITALS}](?:(?<=\d)|(?<=[\w,;:\"'(] .)\w)")
"""A digit, or a capital letter that does not begin the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceStats:
    """Statistics of the sentences of a text: words, query matches, and names or numbers.

    `matches` counts the distinct terms shared with the question, `specific` says whether there is
    a number or a name.
    """

    words: tuple[int, ...]
    matches: tuple[int, ...]
    specific: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """The distinct terms of a question, analysed in the `language` of a text."""

    terms: frozenset[str]
    language: str

    def counts(self, pieces: Sequence[str]) -> tuple[int, ...]:
        """Return how many of the terms each piece of the text has."""
        terms, language = self.terms, self.language
        return tuple([len(terms.intersection(analyse(piece, language))) for piece in pieces])


def sentence_stats(pieces: Sequence[str], query: QueryTerms) -> SentenceStats:
    """Return the statistics of sentences for a question."""
    return SentenceStats(
        words=tuple([max(1, len(piece.split())) for piece in pieces]),
        matches=query.counts(pieces),
        specific=tuple([_SPECIFIC.search(masked(piece)) is not None for piece in pieces]),
    )


def is_shown_whole(costs: Sequence[int], *, cost_max: float, share_min: float) -> bool:
    """Return whether every sentence has to be shown, and fits.

    That is so where every word is wanted, and of a single sentence; `choose` says the same, but
    has to know their values.
    """
    return (share_min >= 1.0 or len(costs) == 1) and sum(costs) <= cost_max


def choose(
    stats: SentenceStats, costs: Sequence[int], *, cost_max: float, share_min: float
) -> tuple[int, ...]:
    """Return the places, rising, of the sentences to show.

    The cheapest choice that keeps at least `share_min` of the words, where cost = Σ costs +
    gaps - value of the sentences; where that costs more than `cost_max`, the sentences of the
    highest value and their surroundings within `cost_max`. Empty only if no sentence fits.
    """
    count = len(stats.words)
    wanted = share_min * sum(stats.words)
    if count <= _ENUMERATED_MAX:
        chosen = _cheapest(stats, costs, wanted=wanted)
    else:
        chosen = _grown(stats, costs, wanted=wanted, cost_max=cost_max)
    if sum(costs[one] for one in chosen) > cost_max:
        chosen = _grown(stats, costs, wanted=wanted, cost_max=cost_max)
    return chosen


def worth(stats: SentenceStats, index: int) -> float:
    """Return the value of a sentence, as the number of extra tokens that it justifies."""
    return ASKED_WORTH * stats.matches[index] + SPECIFIC_WORTH * stats.specific[index]


Floats = npt.NDArray[np.float64]


@functools.cache
def _choices(count: int) -> tuple[Floats, Floats]:
    """Return every choice of `count` sentences as ones and zeros, and each one's number of gaps.

    float64[2^count, count], and float64[2^count]: gaps before, between and after what it takes.
    """
    numbers = np.arange(1 << count)[:, None]
    taken = ((numbers >> np.arange(count)) & 1).astype(np.float64)
    edges = np.abs(np.diff(taken, axis=1, prepend=1.0, append=1.0)).sum(axis=1)
    return taken, edges / 2.0


def _cheapest(stats: SentenceStats, costs: Sequence[int], *, wanted: float) -> tuple[int, ...]:
    count = len(stats.words)
    choices, gaps = _choices(count)
    prices = [costs[one] - worth(stats, one) for one in range(count)]
    price = choices @ np.array(prices) + GAP_COST * gaps
    price[choices @ np.array(stats.words, dtype=np.float64) < max(wanted, 1.0)] = np.inf
    chosen = int(np.argmin(price))
    return tuple([one for one in range(count) if chosen >> one & 1])


def _grown(
    stats: SentenceStats, costs: Sequence[int], *, wanted: float, cost_max: float
) -> tuple[int, ...]:
    """Return the sentence of the highest value and, step by step, the next best or nearest ones."""
    chosen: list[int] = []
    cost = words = 0
    least = min(costs, default=0)
    for one in _outwards([worth(stats, place) for place in range(len(costs))]):
        if (words >= wanted and words) or cost + least > cost_max:
            break
        if cost + costs[one] <= cost_max:
            chosen.append(one)
            cost += costs[one]
            words += stats.words[one]
    return tuple(sorted(chosen))


_PEAKS_MAX = 4
"""How many places a long text is shown at, at most, before their surroundings are."""


def _outwards(worths: Sequence[float]) -> Iterator[int]:
    """Yield all places: the best ones first, then their neighbours, then the rest.

    A place stands as far out as its distance to the nearest of the first ones; where two are
    equal, the earlier one comes first.
    """
    places = range(len(worths))
    first = sorted(places, key=worths.__getitem__, reverse=True)[:_PEAKS_MAX]
    yield from first
    done = set(first)
    for away in places:
        around = {place + step for place in first for step in (-away, away)}
        ring = sorted(place for place in around - done if place in places)
        yield from ring
        done.update(ring)


GAP = "\u2026"
"""Stands where words of the text are left out."""


def joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
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
