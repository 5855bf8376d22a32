"""The questions that the weights are fitted on: their best hits' signals, and which hits answer.

Beside the labelled questions each person is asked for known things: for titles of their own items,
which are to be found, and for titles of somebody else's, which are not. So short questions are not
taken for idle ones.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

import numpy as np
import numpy.typing as npt

from simonides.api.memory import Memory
from simonides.model.answer import Query
from simonides.model.item import Item
from simonides.retrieval.search import search
from simonides.scoring.answering import SIGNALS
from simonides_bench.desk.spaces import Part, items_of

Floats = npt.NDArray[np.float64]

DEPTH = 20
"""Hits of each question."""

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
    """One question: float64[hits, signals], and 1 for each hit that answers, else 0."""

    sort: Sort
    is_answerable: bool
    signals: Floats
    labels: Floats


def titles_of(space: Memory) -> list[str]:
    """Return titles of a space's items, without reply marks, evenly drawn from all of them."""
    found = {bare_title(item) for item in items_of(space)}
    listed = sorted(title for title in found if len(title.split()) > 1)
    step = max(1, len(listed) // TITLES_MAX)
    return listed[::step][:TITLES_MAX]


def bare_title(item: Item) -> str:
    """Return the title of an item without reply marks."""
    return _REPLY.sub("", item.title).strip()


def labelled_samples(part: Part) -> Iterator[Sample]:
    """Yield the samples of a space's labelled questions."""
    for question in part.questions:
        fine = question.evidence | question.also_ok
        yield _sample(
            part.space,
            question.text,
            now=question.at or part.now,
            sort=Sort.LABELLED,
            answers=partial(_is_one_of, names=part.names, fine=fine),
            is_answerable=bool(question.evidence),
        )


def _is_one_of(item: Item, *, names: Mapping[str, frozenset[str]], fine: frozenset[str]) -> bool:
    return bool(names.get(item.id, frozenset()) & fine)


def _is_of_title(item: Item, *, title: str) -> bool:
    return bare_title(item) == title


def title_samples(part: Part, own: Sequence[str], strange: Sequence[str]) -> Iterator[Sample]:
    """Yield the samples of titles: one's own, and those of somebody else."""
    now = max((one.at for one in part.questions if one.at), default=part.now)
    for sort, titles in ((Sort.OWN_TITLE, own), (Sort.STRANGE_TITLE, strange)):
        for title in titles:
            yield _sample(
                part.space,
                title,
                now=now,
                sort=sort,
                answers=partial(_is_of_title, title=title),
                is_answerable=sort is Sort.OWN_TITLE,
            )


def _sample(
    space: Memory,
    text: str,
    *,
    now: datetime,
    sort: Sort,
    answers: Callable[[Item], bool],
    is_answerable: bool,
) -> Sample:
    told: list[Floats] = []
    query = Query(text=text, now=now, limit=DEPTH)
    hits = search(query, space._opened, explained=False, on_signals=told.append)  # noqa: SLF001  no other way to them
    return Sample(
        sort=sort,
        is_answerable=is_answerable,
        signals=told[0] if told else np.zeros((0, len(SIGNALS))),
        labels=np.array([float(answers(hit.item)) for hit in hits]),
    )
