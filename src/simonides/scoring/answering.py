"""The probability that a hit belongs to the answer: a logistic sum of signals on fixed scales.

No signal lowers it, and none is normalised within a question: so a probability depends on the
question, the item and the space, and a threshold means the same in every space (law 12). The
weights are fitted (`answering_weights`); how, and on what, is in docs/explanation/relevance.md.
"""

import numpy as np
import numpy.typing as npt

from simonides.scoring.answering_weights import INTERCEPT, WEIGHTS

Floats = npt.NDArray[np.float64]

SIGNALS = ("meaning", "words", "all_words", "lead", "people", "time", "source", "said", "own")
"""The signals, in the order of their columns:

meaning    centred cosine of the item's best passage
words      share of the question's words in the item, rare words weighing more; a phrase that is
           quoted and not there takes its share away
all_words  the fourth power of that: next to nothing, unless next to nothing is missing
lead       how far its score stands above the eleventh of the space
people     1 if somebody who is named takes part in it or stands in it, or if nobody is named
time       how well it agrees with a time that is named; 1 for what an agenda or a list of tasks
           in a state holds, where nothing else is asked for; 0 where neither is
source     1 if it is of a source or kind that is named, or if none is
said       how much the question says, full at 16 words: little pins little down
own        1 if the question speaks in the first person: a memory knows most of its owner
"""

DOUBTFUL_BELOW = 0.05
"""Of a question whose best hits are all less likely to answer it is said that nothing answers
clearly (measured: docs/explanation/relevance.md)."""

SAID_FULL = 16
"""Words of a question from which on it says as much as any."""

LEAD_PLACES = 10
"""So many of a space's scores stand above the one that leads are counted from."""

LEAD_FULL = 100
"""Items of a space from which on a lead says all: among a few, the next says little."""

FEW = 0.1
"""What a lead gains each time that a space of fewer items is smaller by a factor of e: of few
items each is more likely to be meant."""

ALL_WORDS_POWER = 4

LOG_ODDS_PER_SCORE = 10.0
"""Log odds that are worth 1 of a score. Fixed, whatever the weights are: a threshold keeps its
meaning when they are fitted anew."""

SHARE_LEAST = 1e-9
"""Probabilities nearer to 0 or 1 count as this: their odds are finite."""


def probabilities(signals: Floats) -> Floats:
    """Return float64[n] in [0, 1] of float64[n, signals].

    Added signal by signal: a product of matrices differs in its last bits with the number of rows.
    """
    logits = np.full(len(signals), INTERCEPT)
    for column, name in enumerate(SIGNALS):
        logits += WEIGHTS[name] * signals[:, column]
    return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def answerable_score(best: float) -> float:
    """Return the score in [0, 1] that the best hit of a space gets for its probability.

    Half for even odds, and a tenth more or less for each factor of e: 0 is as good as certainly
    no answer, 1 as good as certainly one.
    """
    share = min(max(best, SHARE_LEAST), 1.0 - SHARE_LEAST)
    score = 0.5 + float(np.log(share / (1.0 - share))) / LOG_ODDS_PER_SCORE
    return min(max(score, 0.0), 1.0)


def leads(scores: Floats, *, of: Floats) -> Floats:
    """Return by how much each score of `of` exceeds the eleventh of all `scores` (no NaN).

    In a small space it exceeds less than that, and stands out by being one of few.
    """
    if not len(scores):
        return of
    place = max(len(scores) - 1 - LEAD_PLACES, 0)
    share = min(len(scores) / LEAD_FULL, 1.0)
    few = -FEW * float(np.log(share))
    return np.asarray(of - share * np.partition(scores, place)[place] + few)
