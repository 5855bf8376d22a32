"""Surrogates: summaries of a text, made of its own sentences: `full`, `gist` and `micro`.

Extractive: every word stands in the text. Knows sentences, words and tokens. Must not know items,
or when which stand-in is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from simonides.errors import InvalidInput
from simonides.model.stored import Tier
from simonides.text.analyse import words
from simonides.text.excerpt import is_boilerplate, without_greeting
from simonides.text.sentences import mark_sentences
from simonides.text.tokens import count, count_batch, truncate
from simonides.text.unicode_script import UNSPACED_CHAR
from simonides.text.unicode_version import mask
from simonides.text.word_patterns import lazy_pattern

ALGORITHM = "extractive"
"""What a stored stand-in is said to be made by, unless its lengths are of another preset."""

MODEL_ALGORITHM = "model"
"""What those are said to be made by that the configured language model wrote."""

VERSION = 1
"""Grows whenever the same text would get other stand-ins, so that the stored ones are rebuilt."""

SENTENCES_MAX = {Tier.FULL: 8, Tier.GIST: 3, Tier.MICRO: 1}
"""How many sentences a tier has at most (the designs')."""

READ_SENTENCES_MAX = 400
"""How many sentences of a text are looked at: the time for a long one has a bound."""

READ_CHARS_MAX = 1_000
"""How much of one sentence is looked at; a longer one is never shown whole."""

TOKENS_MIN = 4
"""The least budget of a tier: no character takes more, so that something always fits."""

WORDS_FULL, WORDS_FEW, WORDS_MANY = 40, 4, 80
FEW_SHARE, MANY_SHARE = 0.25, 0.7
DIGIT, COLON, ENTRY, CODE, DISTINCT = 6.0, 4.0, 2.0, 2.0, 3.0
"""The constants of a sentence's value (the designs' extractive generator); see `_worth`."""

EMPTY_SHARE = 0.02
"""What is left of the worth of a greeting, of boilerplate, and of what only repeats the title."""

FIRST_WORTH_MIN = 0.5
"""A whole sentence that fits leads a tier if it is worth this share of the best; else the best one
leads, cut."""

MORE_WORTH_MIN = 0.05
"""A sentence worth less than this share of the best is not shown beside it."""

ELLIPSIS = "\u2026"

_WORD_CHARS_MIN = 3
_MARK = lazy_pattern(r"(?:#{1,6}|(?P<entry>[-*+\u2022]|\d{1,3}[.)])|>)\s+")
_INTRODUCES = lazy_pattern(r":\s|\uff1a")
_DIGIT = lazy_pattern(r"\d")
_OPEN = lazy_pattern(
    r"""(?<![.!?,:;\u2026\u3002\uff01\uff1f\uff1a\u061f\u06d4\u0964])[\w)\]}"'`*|]$"""
)
"""How a sentence ends that nothing keeps from running on into the next one."""
_LOOSE_END = lazy_pattern(r"[\s,;:.(\[\u2013\u2014-]+$")
_SLACK_TOKENS = 2
"""Sentences may take a little less side by side than one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierBudgets:
    """The token budget of each tier: `full` ≥ `gist` ≥ `micro` ≥ 4."""

    full: int = 100
    gist: int = 25
    micro: int = 8

    def __post_init__(self) -> None:
        if not self.full >= self.gist >= self.micro >= TOKENS_MIN:
            raise InvalidInput(
                "budgets",
                f"needs full >= gist >= micro >= {TOKENS_MIN} tokens, "
                f"got {self.full}, {self.gist}, {self.micro}",
            )


DEFAULT_BUDGETS = TierBudgets()

BUDGETS: dict[str, TierBudgets] = {
    "default": DEFAULT_BUDGETS,
    "compact": TierBudgets(full=50, gist=15, micro=5),
    "verbose": TierBudgets(full=150, gist=40, micro=12),
}
"""The designs' presets."""

ALGORITHMS: dict[str, TierBudgets] = {
    ALGORITHM: DEFAULT_BUDGETS,
    "extractive-compact": BUDGETS["compact"],
    "extractive-verbose": BUDGETS["verbose"],
}
"""The budgets of the tiers by the name under which such a stand-in is kept and asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateTexts:
    """A text at three lengths, each on one line; each longer one contains the shorter."""

    full: str
    gist: str
    micro: str


def surrogate_texts(
    text: str,
    *,
    title: str = "",
    budgets: TierBudgets = DEFAULT_BUDGETS,
    encoding: str = "cl100k_base",
) -> SurrogateTexts:
    """Return the surrogates of a text: its most informative sentences, whole, in their order.

    Each tier is chosen among the sentences of the one above it, and counted as it is written:
    never over its budget. Where no whole sentence of enough value fits, the best one is
    cut after a word and ends in `…`. None is empty unless the text holds nothing but white space.
    A sentence that only repeats `title`, which is shown beside a surrogate, comes last.

    Raises:
        InvalidInput: The encoding is not known.
    """
    read = _read(text, title=title, encoding=encoding)
    full, rest = _tier(read, tier=Tier.FULL, tokens_max=budgets.full, encoding=encoding)
    gist, rest = _tier(rest, tier=Tier.GIST, tokens_max=budgets.gist, encoding=encoding)
    micro, _ = _tier(rest, tier=Tier.MICRO, tokens_max=budgets.micro, encoding=encoding)
    return SurrogateTexts(full=full, gist=gist, micro=micro)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence on one line, with its place in the text, its content words and its value."""

    place: int
    text: str
    words: frozenset[str]
    worth: float
    tokens: int
    whole: bool


def _read(text: str, *, title: str, encoding: str) -> list[_Sentence]:
    """Return the first sentences of a text without list marks, greetings and line breaks."""
    spans = [(s.start, s.stop) for s in islice(mark_sentences(text), READ_SENTENCES_MAX)]
    raw = [
        without_greeting(text[start : min(stop, start + READ_CHARS_MAX)]).strip()
        for start, stop in spans
    ]
    marks = [_MARK.match(one) for one in raw]
    bodies = [one[mark.end() :] if mark else one for one, mark in zip(raw, marks, strict=True)]
    plain = [" ".join(body.split()) for body in bodies]
    costs = count_batch(plain, encoding)
    named = frozenset(_content_words(title))
    return [
        _Sentence(
            place=place,
            text=plain[place],
            words=frozenset(_content_words(plain[place])),
            worth=_worth(bodies[place], is_entry=bool(mark and mark["entry"]), named=named),
            tokens=costs[place],
            whole=stop - start <= READ_CHARS_MAX,
        )
        for place, ((start, stop), mark) in enumerate(zip(spans, marks, strict=True))
    ]


def _content_words(text: str) -> list[str]:
    """Return the words for comparing a sentence, repetitions included.

    Short ones in plain letters say little (the designs' rule), where there are others; a short
    number or a pair of characters of a script without spaces says as much as any word.
    """
    found = words(text)
    content_words = [
        word
        for word in found
        if len(word) >= _WORD_CHARS_MIN or not (word.isascii() and word.isalpha())
    ]
    return content_words or found


def _worth(sentence: str, *, is_entry: bool, named: frozenset[str]) -> float:
    """Return the value of a sentence: higher is more informative, 0 without words.

        worth = (min(n, 40) + 6 digit + 4 colon + 2 entry + 2 code + 3 distinct/n)
                · (0.25 if n < 4) · (0.7 if n > 80) · (0.02 if it says nothing of its own)

    for n content words. The designs' sum and factors, mended: there the factors are for n alone, so
    that a bare number beats a sentence; the number of a list's entry is a digit; and any colon
    counts, also in a time or an address.
    """
    found = _content_words(sentence)
    n, distinct = len(found), frozenset(found)
    if not n:
        return 0.0
    worth = min(n, WORDS_FULL) + DISTINCT * len(distinct) / n
    worth += DIGIT * bool(_DIGIT.search(sentence)) + COLON * bool(_INTRODUCES.search(sentence))
    worth += ENTRY * is_entry + CODE * ("`" in sentence)
    worth *= FEW_SHARE if n < WORDS_FEW else MANY_SHARE if n > WORDS_MANY else 1.0
    is_empty = distinct <= named or is_boilerplate(sentence)
    return worth * EMPTY_SHARE if is_empty else worth


def _tier(
    sentences: Sequence[_Sentence], *, tier: Tier, tokens_max: int, encoding: str
) -> tuple[str, Sequence[_Sentence]]:
    """Return the text of a tier and its sentences: whole, or the beginning of the best one."""
    if not sentences:
        return "", ()
    chosen = _choose(
        sentences, count_max=SENTENCES_MAX[tier], tokens_max=tokens_max, encoding=encoding
    )
    if chosen:
        return _join(chosen), chosen
    best = min(sentences, key=lambda one: (-one.worth, one.place))
    fits = best.whole and best.tokens <= tokens_max
    return best.text if fits else cut(best.text, tokens_max, encoding), (best,)


def _choose(
    sentences: Sequence[_Sentence], *, count_max: int, tokens_max: int, encoding: str
) -> list[_Sentence]:
    """Return the whole sentences of a tier, the most informative first.

    Step by step the one of the largest worth · (1 - overlap), overlap the largest share of words
    in common with one chosen before (Jaccard; maximal marginal relevance as the designs have it).
    What does not fit is passed over. Empty where the first would be worth too little.
    """
    chosen: list[_Sentence] = []
    top = max(one.worth for one in sentences)
    overlap = {one.place: 0.0 for one in sentences}
    left = tokens_max
    rest = [one for one in sentences if one.whole and one.worth > MORE_WORTH_MIN * top]
    while len(chosen) < count_max:
        rest = [one for one in rest if one.tokens <= left + _SLACK_TOKENS]
        if not rest:
            break
        best = min(rest, key=lambda one: (one.worth * (overlap[one.place] - 1.0), one.place))
        rest.remove(best)
        if overlap[best.place] >= 1.0 or (not chosen and best.worth < FIRST_WORTH_MIN * top):
            break
        cost = count(_join([*chosen, best]), encoding)
        if cost <= tokens_max:
            chosen.append(best)
            left = tokens_max - cost
            overlap |= {one.place: max(overlap[one.place], _share_words(one, best)) for one in rest}
    return chosen


def _share_words(one: _Sentence, other: _Sentence) -> float:
    """Return the share of words that two sentences have in common."""
    common = len(one.words & other.words)
    return common / (len(one.words) + len(other.words) - common)


def _join(sentences: Sequence[_Sentence]) -> str:
    """Return the sentences in the order of the text, those without an end ended by a semicolon."""
    texts = [one.text for one in sorted(sentences, key=lambda one: one.place)]
    ended = [f"{one};" if _OPEN.search(mask(one)) else one for one in texts[:-1]]
    return " ".join([*ended, *texts[-1:]])


def cut(text: str, tokens_max: int, encoding: str = "cl100k_base") -> str:
    """Return as much of a text as fits, cut after a word, with an ellipsis if that fits too.

    Raises:
        InvalidInput: The encoding is not known, or the limit is negative.
    """
    for limit in range(tokens_max - 1, 0, -1):
        head = _to_word_end(truncate(text, limit, encoding), text)
        if head and count(head + ELLIPSIS, encoding) <= tokens_max:
            return head + ELLIPSIS
    return truncate(text, tokens_max, encoding)


def _to_word_end(head: str, text: str) -> str:
    """Return a beginning of a text without a cut word at its end, if it has other words.

    A script without spaces may be cut between any two characters.
    """
    before, _, torn = head.rpartition(" ")
    is_torn = len(head) < len(text) and not text[len(head)].isspace()
    if before and is_torn and not UNSPACED_CHAR.search(torn):
        head = before
    return _LOOSE_END.sub("", head) or head.strip()
