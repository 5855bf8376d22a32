"""Excerpts: the whole sentences of a text to show where all of it would cost too much.

Pure. Knows sentences, their costs, their value for a question, and which are boilerplate:
greetings, closings and the small print of mails, in the languages of `reply`. Must not know items,
budgets of a brief or how an excerpt is marked.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.text.analyse import analyse
from simonides.text.mail import is_device_line, is_sign_off
from simonides.text.unicode_version import is_lower, masked

# ruff: noqa: RUF001  letters that look like others are meant as they stand


SMALL_CHARS_MAX = 400
"""A longer sentence is no small print whatever it holds."""

_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good\s+(?:morning|afternoon|evening|day)"
    r"|hallo|moin|servus|liebe[rs]?|sehr\s+geehrte[rs]?|guten\s+(?:tag|morgen|abend)"
    r"|bonjour|bonsoir|salut|ch(?:er|ère)s?|hola|buen[oa]s\s+(?:días|tardes|noches)|estimad[oa]s?"
    r"|querid[oa]s?|ciao|buongiorno|gentile|olá|bom\s+dia|boa\s+tarde|prezad[oa]s?|car[oa]s?|hoi"
    r"|beste|geachte|hej|hei|kære|bästa|cześć|dzień\s+dobry|привет|здравствуйте|добрый\s+день"
    r"|merhaba)(?![^\W_])",
    re.IGNORECASE,
)
_FORMULA = re.compile(
    r"[^\s。！!]{0,12}?[、,，]?\s*(?:こんにちは|おはようございます|お世話になっ(?:ております|ています)"
    r"|お疲れ(?:様|さま)です|よろしくお願い(?:いた|致)?します|ありがとうございま(?:す|した)"
    r"|你好|您好|大家好|谢谢(?:大家|您|你)?|謝謝|祝好|안녕하세요|감사합니다)[\s。！!.,，、]*"
)
"""The same in scripts without spaces, where the name comes first and has no capital."""
_ADDRESSED = frozenset(
    "all there team everyone everybody folks both guys again and to you so very much a lot".split()
)
"""What may stand beside the names in small letters."""
_NAMED_MAX = 5
_PRAISE = re.compile(
    r"(?:thanks|thank\s+you|many\s+thanks|danke|merci|gracias|grazie|obrigad[oa]|bedankt|tack)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_SMALL_PRINT = re.compile(
    r"(?:to|or|please)\s+unsubscribe|unsubscribe\s+(?:here|from\s+(?:this|these)|at\s+any)"
    r"|view\s+(?:this|it)\b.{0,20}\s(?:online|in\s+(?:your|a)\s+browser)|all\s+rights\s+reserved"
    r"|intended\s+(?:only|solely|exclusively)?\s*for\s+the\s+(?:use\s+of\s+the\s+)?"
    r"(?:named\s+|intended\s+)?(?:recipient|addressee|individual)"
    r"|(?:are\s+not|not\s+be)\s+the\s+intended\s+recipient|received\s+this\s+(?:e-?mail|message)"
    r"\s+(?:in|because)|do\s+not\s+(?:reply\s+to|print)\s+this\s+(?:e-?mail|message)"
    r"|consider\s+the\s+environment|newsletter\s+(?:abmelden|abbestellen)|im\s+browser\s+(?:an|öff)"
    r"|alle\s+rechte\s+vorbehalten|se\s+désabonner|tous\s+droits\s+réservés|darse\s+de\s+baja"
    r"|todos\s+los\s+derechos\s+reservados|annulla(?:re)?\s+l['’]iscrizione|uitschrijven\s+voor",
    re.IGNORECASE,
)


def is_boilerplate(sentence: str) -> bool:
    """Return whether a sentence is boilerplate: greeting, thanks, closing or small print.

    Only where that is all there is to it: "Hi Tom, the lamp is broken" is none.
    """
    if len(sentence) > SMALL_CHARS_MAX:
        return False
    sentence = masked(sentence)
    first, _, rest = sentence.strip().partition("\n")
    if is_sign_off(first) or is_device_line(first):
        return len(rest.split()) <= 2 * _NAMED_MAX
    return is_greeting(sentence) or bool(_SMALL_PRINT.search(sentence))


def is_greeting(sentence: str) -> bool:
    """Return whether a sentence is only a greeting or thanks, with names."""
    sentence = masked(sentence)
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
