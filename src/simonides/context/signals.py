"""How much a question pins down: a time, names, numbers, quoted words.

Knows a plan and the words it was read from. Must not know items.
"""

import re
from dataclasses import dataclass

from simonides.entities.everyday import proper_words
from simonides.model.answer import Direction, Plan
from simonides.text.analyse import words
from simonides.text.language import detect
from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import is_lower, masked

WORDS_WEIGHT, ANCHORS_WEIGHT, QUOTES_WEIGHT = 0.40, 0.35, 0.25
"""What words, things pinned down and quotes are worth at most (the seeds' QueryAnalyzer)."""

WORDS_FULL = 8
"""From so many telling words on they count in full (the seeds' divisor)."""

_SURFACE = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySignals:
    """What a question asks for by name.

    `temporal` says whether it asks for a time, by one or for an end of time; `names`, `numbers`
    and `quotes` count distinct words and phrases. `specificity` in [0, 1]: higher is more
    specific.
    """

    temporal: bool = False
    names: int = 0
    numbers: int = 0
    quotes: int = 0
    specificity: float = 0.0


NO_SIGNALS = QuerySignals()


def signals_of(plan: Plan, text: str) -> QuerySignals:
    """Return the signals of a question, from its plan and its text.

    With w the distinct words that are no stop words, a the names and numbers, one more for a time
    range, and q the quoted phrases:

        specificity = 0.40·min(1, w/8) + 0.35·(1 - 2^-a) + 0.25·(1 - 2^-q)

    The seeds' min(w/8, 0.40) is full at 3.2 words, stop words counted, and their 0.35 is given for
    any digit or capital letter, so that nearly every question is worth the same. Here a name is
    one that the space knows, or a word with a capital inside a sentence that has words without
    one (`I` is none), and each further one adds half of what the one before did. Words of a time
    range are no names or numbers besides.
    """
    stopped = stop_words(detect(text))
    timed = frozenset(words(plan.time.text)) if plan.time else frozenset()
    asked = frozenset(plan.words) - stopped
    names = _names(plan, text) - stopped - timed
    numbers = {word for word in asked - timed - names if any(map(str.isdigit, word))}
    named = max(len(names), 1 if plan.people or plan.entities else 0)
    anchors = named + len(numbers) + (plan.time is not None)
    quotes = len(frozenset(plan.phrases))
    return QuerySignals(
        temporal=plan.time is not None or plan.direction is not Direction.NONE or plan.asks_when,
        names=named,
        numbers=len(numbers),
        quotes=quotes,
        specificity=WORDS_WEIGHT * min(1.0, len(asked) / WORDS_FULL)
        + ANCHORS_WEIGHT * (1.0 - 2.0**-anchors)
        + QUOTES_WEIGHT * (1.0 - 2.0**-quotes),
    )


def _names(plan: Plan, text: str) -> frozenset[str]:
    """Return the words of the question that belong to names: known ones, and capitalised ones."""
    known = frozenset(
        word
        for entity in (*plan.people, *plan.entities)
        for word in words(entity.partition(":")[2])
    )
    return (known & frozenset(plan.words)) | _capitalised(text)


def _capitalised(text: str) -> frozenset[str]:
    """Return the words with a capital that tells something; none where every word has one."""
    surface = _SURFACE.findall(masked(text))
    if not any(is_lower(word[0]) for word in surface):
        return frozenset()
    return proper_words(text)
