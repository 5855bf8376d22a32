"""The questions that the weights are fitted on: their best candidates' features, and what answers.

Beside the labelled questions each person is asked for known things: for titles of their own items,
which are to be found, and for titles of somebody else's, which are not. So short questions are not
taken for idle ones.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from simonides.api.memory import Memory
from simonides.api.paging import each_item
from simonides.model.answer import Query
from simonides.model.item import Item
from simonides.retrieval.evidence import gather
from simonides.retrieval.features import features_of
from simonides.retrieval.looking import open_look
from simonides.retrieval.search import plan_query
from simonides.retrieval.spread import spread_of
from simonides.scoring.ranking import FEATURES
from simonides_bench.desk.spaces import Part
from simonides_bench.neutral import Question

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DEPTH = 60
"""Items of each question that are best by their words, and as many by their best passage."""

TITLES_MAX = 40
"""Titles of a person that are asked for."""

_REPLY = re.compile(r"^(?:(?:re|fw|fwd|aw|wg)\s*:\s*)+", re.IGNORECASE)


class Sort(StrEnum):
    """What is asked: a labelled question, a title of one's own, or one of somebody else."""

    LABELLED = "labelled"
    OWN_TITLE = "own title"
    STRANGE_TITLE = "strange title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One question: float64[candidates, features], and which of them answer, or must not rank.

    `words` is how many it has, `is_own` whether it speaks in the first person.
    """

    sort: Sort
    is_answerable: bool
    rows: Floats
    answers: Bools
    must_not: Bools
    words: int
    is_own: bool


def titles_of(space: Memory) -> list[str]:
    """Return titles of a space's items, without reply marks, evenly drawn from all of them."""
    found = {bare_title(item) for item in each_item(space)}
    listed = sorted(title for title in found if len(title.split()) > 1)
    step = max(1, len(listed) // TITLES_MAX)
    return listed[::step][:TITLES_MAX]


def bare_title(item: Item) -> str:
    """Return the title of an item without reply marks."""
    return _REPLY.sub("", item.title).strip()


def samples_of(part: Part, own: Sequence[str], strange: Sequence[str]) -> Iterator[Sample]:
    """Yield the samples of a space: its labelled questions, titles of its own, and of another."""
    space = _Candidates(part.space)
    for question in part.questions:
        yield space.sample(
            question.text,
            now=question.at or part.now,
            sort=Sort.LABELLED,
            judge=_Labels(question, part.names),
            is_answerable=bool(question.evidence),
        )
    now = max((one.at for one in part.questions if one.at), default=part.now)
    for sort, titles in ((Sort.OWN_TITLE, own), (Sort.STRANGE_TITLE, strange)):
        for title in titles:
            yield space.sample(
                title, now=now, sort=sort, judge=_OfTitle(title),
                is_answerable=sort is Sort.OWN_TITLE,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Labels:
    """How the labels of a question call an item: an answer, a repetition, or one that must not."""

    question: Question
    names: Mapping[str, frozenset[str]]

    def __call__(self, item: Item) -> tuple[bool, bool, bool]:
        names = self.names.get(item.id, frozenset())
        asked = self.question
        return (
            bool(names & asked.evidence),
            bool(names & asked.also_ok),
            bool(names & asked.must_not),
        )


@dataclass(frozen=True, slots=True)
class _OfTitle:
    """An item answers by its title."""

    title: str

    def __call__(self, item: Item) -> tuple[bool, bool, bool]:
        return bare_title(item) == self.title, False, False


Judge = Callable[[Item], tuple[bool, bool, bool]]


class _Candidates:
    """The items of one space, read once, and their features for any question."""

    def __init__(self, space: Memory) -> None:
        self._opened = space._opened  # noqa: SLF001  features are no part of the public API
        self._items: dict[int, Item] = {}

    def sample(
        self, text: str, *, now: datetime, sort: Sort, judge: Judge, is_answerable: bool
    ) -> Sample:
        """Return the sample of one question: what only repeats the answer is left out."""
        query = Query(text=text, now=now)
        with open_look(query, self._opened) as look:
            assert look is not None  # noqa: S101  the space was filled
            view = look.view
            asked, vector = plan_query(query, self._opened, look)
            evidence = gather(asked, vector, view=view, reader=look.reader)
            found = features_of(asked, evidence, view, spread=spread_of(look.embedder))
            keys = view.items.keys.rows(view.item_count).tolist()
            if not self._items:
                self._items = look.reader.items(keys)
            labels = np.array([judge(self._items[key]) for key in keys], dtype=bool)
            alive = view.alive.copy()
        nothing = np.zeros(len(keys))
        rows = np.column_stack(
            [found[name].values if name in found else nothing for name in FEATURES]
        )
        answers, repeats, must_not = labels.T
        kept = _best(found["passage"].values) | _best(found["words"].values) | answers | must_not
        kept &= alive & (answers | ~repeats)
        return Sample(
            sort=sort,
            is_answerable=is_answerable,
            rows=rows[kept],
            answers=answers[kept],
            must_not=must_not[kept],
            words=len(asked.plan.words),
            is_own=asked.plan.first_person,
        )


def _best(values: Floats) -> Bools:
    """Return which values are among the best ones, of equals all."""
    if len(values) <= DEPTH:
        return np.ones(len(values), dtype=bool)
    return np.asarray(values >= np.partition(values, -DEPTH)[-DEPTH])
