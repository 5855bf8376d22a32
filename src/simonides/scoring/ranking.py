"""The default score of an item: a weighted sum of sixteen features, each on a fixed scale.

    score     = Σ weight · feature / 10
    relevance = 1 / (1 + exp(-(slope · score + what the question says + intercept)))

Nothing is standardised within a question, so a score depends on the question, the item and the
space's statistics alone, never on the limit, the filter or the other hits (law 12). The weights
are fitted (`ranking_weights`); how, and on what, is in docs/explanation/ranking.md. Knows arrays;
where they come from is not known here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Contribution
from simonides.scoring.ranking_weights import RELEVANCE, WEIGHTS

Floats = npt.NDArray[np.float64]

FEATURES = tuple(WEIGHTS)
"""The features, in the order in which contributions are added:

passage       cosine of the item's best passage and the question, over the embedder's spread
meaning       mean of the cosines of all its passages, over the spread
words         share in [0, 1] of the question's words that the item holds, rare ones weighing more
length        min(1, words / 12) of a message ("Thanks!" is never what was asked for); 1 for what
              else has a text of its own
people        1 for what a named person wrote, or the owner where their own words are meant; ½ for
              what a named person received or takes part in
when          1 for an item that names a time, where the question asks for one
time          in [0, 1], how well its time agrees with the one named; 1 for what then takes place,
              and for what names a day to come in words
source        1 for an item of a source or kind that is named
before        how well the item before it in its thread fits, by its words and best passage
after         the same of the item after it
assistant     1 for what an assistant said, unless the question asks for that
message       1 for a message of a conversation: it says less by itself than a mail or a note
cancelled     1 for an event that was cancelled
namesake      1 for what has to do only with another person of a name that is distinguished
importance    of a memory, faded by its age, less the neutral ½
conversation  1 for a message of the session in which the question is asked
"""

SCORE_PER_LOG_ODDS = 0.1
"""What a score gains where the odds of belonging to the answer grow by a factor of e."""

FULL_WORDS = 12
"""A message of this many words says enough; shorter ones count in proportion (measured)."""

OTHER_PART = 0.5
"""What it counts in `people` to have another part than that of the author (measured)."""

NEIGHBOUR_WORDS = 0.7
"""What a neighbour's words count in `before` and `after`."""

NEIGHBOUR_MEANING = 0.1
"""What a neighbour's best passage, in spreads, counts in `before` and `after` (both measured)."""

DOUBTFUL_BELOW = 0.02
"""Of a question whose best hits are all less likely to answer it is said that nothing answers
clearly (measured: docs/explanation/relevance.md)."""

MANY = 100
"""Items of a space from which on one more makes no other less likely."""

FEW = 0.5
"""What the log odds gain each time that a space of fewer items is smaller by a factor of e: of few
items each is more likely to be meant. No data say how much: half of what chance alone would."""

APART = 0.4
"""How far anything but a message of a conversation is to be read with its thread: a mail mostly
stands for itself (measured)."""

SAID_FULL = 16
"""Words of a question from which on it says as much as any: little pins little down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingModel:
    """The weight of each feature, in log odds, and how scores become probabilities.

    `relevance` has the slope of a score, what a question of 16 words or more (`said`) and one in
    the first person (`own`) add, and the intercept.
    """

    weights: Mapping[str, float]
    relevance: Mapping[str, float]

    def probabilities(
        self, scores: Floats, *, words: int, is_own: bool, items: int = MANY
    ) -> Floats:
        """Return float64[n] in [0, 1]: how likely items of these scores belong to the answer.

        `words` is how many words the question has, `is_own` whether it speaks in the first person
        (a memory knows most of its owner), `items` how many the space has.
        """
        by, said = self.relevance, min(words, SAID_FULL) / SAID_FULL
        of_question = by["said"] * said + by["own"] * is_own + by["intercept"]
        of_question += FEW * float(np.log(MANY / min(max(items, 1), MANY)))
        return np.asarray(1.0 / (1.0 + np.exp(-(by["score"] * scores + of_question))))


SHIPPED = RankingModel(weights=WEIGHTS, relevance=RELEVANCE)


def no_detail(_: int) -> str:
    """Return the detail of a feature that has nothing to say of a slot."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One feature by item slot; `detail` says in words where the value of a slot comes from."""

    name: str
    values: Floats
    detail: Callable[[int], str] = no_detail


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearScores:
    """The sums of weighted features, by item slot.

    `parts` are the features, each with the part of a score that one unit of it makes.
    """

    parts: Sequence[tuple[Feature, float]]

    @classmethod
    def of(cls, features: Iterable[Feature], model: RankingModel = SHIPPED) -> "LinearScores":
        """Return the sums of features by the weights of a model."""
        weights = model.weights
        return cls(parts=[(one, weights[one.name] * SCORE_PER_LOG_ODDS) for one in features])

    def values(self) -> Floats:
        """Return float64[items], added feature by feature, as contributions are."""
        total = np.zeros(len(self.parts[0][0].values))
        for feature, weight in self.parts:
            total += weight * feature.values
        return total

    def contributions(self, slot: int) -> tuple[Contribution, ...]:
        """Return the contributions of the features to the score of one slot, but for zeros."""
        found = []
        for feature, weight in self.parts:
            value = weight * feature.values.item(slot)
            if value:
                detail = feature.detail(slot)
                found.append(Contribution(name=feature.name, value=value, detail=detail))
        return tuple(found)
