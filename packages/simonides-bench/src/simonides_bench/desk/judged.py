"""The judgement of one question's hits and brief by its labels, and the figures of many.

Pure: names of what was found in, numbers out. An item can have several names, such as that of a
file and that of the mail it came with.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from simonides_bench.metrics import CUTS, auc
from simonides_bench.neutral import Question

MISSED_BELOW = 10
"""Evidence that is not among so many first hits is missed."""

TITLES_SHOWN = 4

Names = frozenset[str]
Figures = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefShares:
    """What a brief of one budget holds, beside the best passages of the hits pasted up to it.

    `evidence` is the share of the evidence, `answer` and `pasted` the share of the answer's figures
    and names in the brief and in what is pasted; None where the answer has none. `is_denied` says
    that no item is shown, `is_in_doubt` that the brief says that nothing answers clearly.
    """

    evidence: float
    answer: float | None
    pasted: float | None
    tokens: int
    is_denied: bool
    is_in_doubt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question as it was answered.

    `ranks` are those of the evidence, from 1; None where it was not found. `certainty` is how sure
    the engine was of its first hit. `briefs` are those of each budget, the first one asked for
    first.
    """

    question: Question
    ranks: Mapping[str, int | None]
    is_first_right: bool
    is_must_not_before: bool
    certainty: float
    briefs: Mapping[int, BriefShares]
    titles: tuple[str, ...]

    @property
    def brief(self) -> BriefShares:
        """The brief of the budget that was asked for."""
        return next(iter(self.briefs.values()))

    @property
    def is_answerable(self) -> bool:
        """Whether anything answers the question."""
        return bool(self.question.evidence)

    def recall(self, cut: int) -> float:
        """Return the share of the evidence among the first hits."""
        found = [rank is not None and rank <= cut for rank in self.ranks.values()]
        return sum(found) / len(found)

    @property
    def is_missed(self) -> bool:
        """Whether some of the evidence is not among the first ten hits."""
        return self.is_answerable and self.recall(MISSED_BELOW) < 1.0

    def describe(self, name: str) -> dict[str, Any]:
        """Return what is written of a missed question of this set of data."""
        return {
            "set": name,
            "group": self.question.group,
            "id": self.question.id,
            "category": self.question.category,
            "question": self.question.text,
            "ranks": dict(self.ranks),
            "top": list(self.titles[:TITLES_SHOWN]),
        }


def ranks_of(evidence: Names, hits: Sequence[Names]) -> dict[str, int | None]:
    """Return where each piece of evidence is first found, from 1."""
    return {
        one: next((rank for rank, names in enumerate(hits, 1) if one in names), None)
        for one in sorted(evidence)
    }


def is_must_not_before(question: Question, hits: Sequence[Names]) -> bool:
    """Return whether an item that must not is found before any evidence is."""
    for names in hits:
        if names & question.evidence:
            return False
        if names & question.must_not:
            return True
    return False


def share_of(wanted: Names, found: Iterable[Names]) -> float:
    """Return which share of the names wanted is among those found; 0 where none is wanted."""
    return len(wanted.intersection(chain.from_iterable(found))) / len(wanted) if wanted else 0.0


def figures(judged: Sequence[Judged]) -> Figures:
    """Return the figures of questions, each of them None where no question says anything of it."""
    answerable = [one for one in judged if one.is_answerable]
    unanswerable = [one for one in judged if not one.is_answerable]
    return {
        **_shares(judged),
        "abstention_auc": auc(
            [one.certainty for one in answerable], [one.certainty for one in unanswerable]
        ),
        "brief_tokens": {
            "answerable": mean(one.brief.tokens for one in answerable),
            "abstention": mean(one.brief.tokens for one in unanswerable),
        },
        "in_doubt": {
            "answerable": mean(one.brief.is_in_doubt for one in answerable),
            "abstention": mean(one.brief.is_in_doubt for one in unanswerable),
        },
        "budgets": {
            str(budget): _of_briefs([one.briefs[budget] for one in answerable])
            for budget in (judged[0].briefs if judged else ())
        },
    }


def _of_briefs(briefs: Sequence[BriefShares]) -> Figures:
    return {
        "brief_evidence": mean(one.evidence for one in briefs),
        "answer": mean(one.answer for one in briefs if one.answer is not None),
        "pasted": mean(one.pasted for one in briefs if one.pasted is not None),
        "denied": mean(one.is_denied for one in briefs),
        "tokens": mean(one.tokens for one in briefs),
    }


def by_category(judged: Sequence[Judged]) -> dict[str, Figures]:
    """Return the figures of the questions of each category, in order of name."""
    named: dict[str, list[Judged]] = {}
    for one in judged:
        named.setdefault(one.question.category, []).append(one)
    return {
        name: {**_shares(named[name]), "brief_tokens": mean(x.brief.tokens for x in named[name])}
        for name in sorted(filter(None, named))
    }


def _shares(judged: Sequence[Judged]) -> Figures:
    rows = [one for one in judged if one.is_answerable]
    warned = [one for one in rows if one.question.must_not]
    return {
        "questions": len(judged),
        "answerable": len(rows),
        "first": mean(one.is_first_right for one in rows),
        **{f"recall@{cut}": mean(one.recall(cut) for one in rows) for cut in CUTS},
        "must_not_before_evidence": mean(one.is_must_not_before for one in warned),
        "brief_evidence": mean(one.brief.evidence for one in rows),
        "answer_in_brief": mean(
            one.brief.answer == 1.0 for one in rows if one.brief.answer is not None
        ),
        "denied": mean(one.brief.is_denied for one in rows),
    }


def mean(values: Iterable[float]) -> float | None:
    """Return the mean of numbers; None where there are none."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
