"""`simonides bench ranking`: fit the weights of ranking, and judge them on persons left out.

Each person (a desk's folder, or a file of the neutral format) is judged by weights that are fitted
on all the others, with vectors of a model that has not seen that person.
"""

import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.api.memory import Memory
from simonides.api.paging import each_item
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.model.answer import Query
from simonides.model.item import Kind
from simonides.models.embedding.minilm import EARLIER, IDENTITY
from simonides.retrieval.search import search
from simonides.scoring import ranking_weights
from simonides.scoring.ranking import (
    FEATURES,
    SAID_FULL,
    SCORE_PER_LOG_ODDS,
    SHIPPED,
    RankingModel,
)
from simonides_bench.desk.folder import DeskFolder
from simonides_bench.desk.judged import is_must_not_before, mean, ranks_of
from simonides_bench.desk.reading import read_labelled_data
from simonides_bench.desk.spaces import LabelledData, Part, fill
from simonides_bench.metrics import auc
from simonides_bench.ranking.fit import Listed, fit_listwise, fit_logistic
from simonides_bench.ranking.held_out import embedder_for
from simonides_bench.ranking.samples import Sample, Sort, samples_of, titles_of
from simonides_bench.recall import DEPTH, Progress, ProgressCounter

Floats = npt.NDArray[np.float64]

BEST_OF_EACH = 20
"""Best candidates of a question that the curve of relevance is fitted on."""

TITLES_WEIGHT = 0.25
"""How much the titles of a person count beside the labelled questions, for relevance."""

DIGITS = 3
"""Decimals of the weights."""

FIRST = 10
"""Evidence is looked for among so many first hits."""

_FIRST_LINE = "The weights of `ranking`: of `simonides bench ranking --fit`, not by hand."
WEIGHTS_FILE = Path(ranking_weights.__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One set of data with its samples; `sort` is `desk`, `chat` or `person`."""

    data: LabelledData
    sort: str
    samples: Sequence[Sample]

    @property
    def name(self) -> str:
        """What the set is called."""
        return self.data.name


def run(
    data: Sequence[Path],
    *,
    writes: bool = False,
    keep: Path | None = None,
    settings: Settings | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the features with their fitted weights, and how each person fares when left out.

    `writes` puts the weights, fitted on all persons, into the engine's own file. `keep` is where
    the spaces stay for the next run.

    Raises:
        InvalidInput: Data cannot be read, leave no question, or are of fewer than two persons.
        ImportFailed: A file of a desk holds nothing that can be imported.
        EmbedderError: The embedder failed.
    """
    sets = [read_labelled_data(path) for path in data]
    if len(sets) < 2:  # noqa: PLR2004  one is left out
        raise InvalidInput("data", "needs two persons or more: each is judged by the others' fit")
    used = settings or Settings(timezone="UTC", durability="relaxed")
    progress = ProgressCounter(total=2 * sum(one.count for one in sets), on_progress=on_progress)
    with _homes(keep) as homes:
        persons = _persons(sets, settings=used, keep=homes, progress=progress)
        whole = fit(persons)
        if writes:
            WEIGHTS_FILE.write_text(_file(whole, persons), "utf-8")
        left_out = {}
        for one in persons:
            model = fit([other for other in persons if other is not one])
            with _open(one.data, used, homes) as memory:
                left_out[one.name] = measures(list(one.data.parts(memory)), model)
            progress.add(one.data.count)
    return {
        "features": list(FEATURES),
        "weights": _round(whole.weights),
        "relevance": _round(whole.relevance),
        "left_out": left_out,
        "mean": {
            name: mean([value for one in left_out.values() if (value := one[name]) is not None])
            for name in MEASURES
        },
    }


@contextmanager
def _homes(keep: Path | None) -> Iterator[Path]:
    """Give the place of the spaces: the one to keep, or one that is thrown away."""
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        yield Path(folder)


@contextmanager
def _open(data: LabelledData, settings: Settings, homes: Path) -> Iterator[Memory]:
    """Open the memory of one set of data, with vectors of a model that has not seen it."""
    with fill(data, settings=settings, keep=homes, embedder=embedder_for(data.name)) as memory:
        yield memory


def _persons(
    sets: Sequence[LabelledData], *, settings: Settings, keep: Path, progress: ProgressCounter
) -> list[Person]:
    titles: dict[str, list[str]] = {}
    sorts: dict[str, str] = {}
    for one in sets:
        with _open(one, settings, keep) as memory:
            spaces = [part.space for part in one.parts(memory)]
            titles[one.name] = [title for space in spaces for title in titles_of(space)]
            sorts[one.name] = _sort_of(one, spaces)
    persons = []
    for place, one in enumerate(sets):
        own = titles[one.name]
        strange = [title for title in titles[sets[place - 1].name] if title not in own]
        with _open(one, settings, keep) as memory:
            samples = [
                sample for part in one.parts(memory) for sample in samples_of(part, own, strange)
            ]
        progress.add(one.count)
        persons.append(Person(data=one, sort=sorts[one.name], samples=samples))
    return persons


def _sort_of(data: LabelledData, spaces: Sequence[Memory]) -> str:
    if isinstance(data, DeskFolder):
        return "desk"
    kinds = {item.kind for space in spaces for item in each_item(space)}
    return "chat" if kinds == {Kind.MESSAGE} else "person"


def fit(persons: Sequence[Person]) -> RankingModel:
    """Return the model for all persons: each sort of data counts alike, and in it each person."""
    before = np.array([SHIPPED.weights[name] for name in FEATURES])
    sorts = [one.sort for one in persons]
    lists = []
    for person in persons:
        labelled = [one for one in _label(person) if one.answers.any()]
        each = 1.0 / (max(len(labelled), 1) * sorts.count(person.sort))
        lists += [
            Listed(rows=one.rows, answers=one.answers, must_not=one.must_not, importance=each)
            for one in labelled
        ]
    weights = fit_listwise(lists, before=before)
    return RankingModel(
        weights=dict(zip(FEATURES, weights.tolist(), strict=True)),
        relevance=_relevance(persons, weights * SCORE_PER_LOG_ODDS),
    )


def _relevance(persons: Sequence[Person], weights: Floats) -> dict[str, float]:
    """Return the curve from scores to probabilities.

    Questions with and without an answer count alike: the probability is that of one who asks as
    often for what memory does not hold.
    """
    rows, labels, importance = [], [], []
    sorts = [one.sort for one in persons]
    for person in persons:
        counts = _importance(person)
        for sample in person.samples:
            scores = sample.rows @ weights
            best = np.argsort(-scores, kind="stable")[:BEST_OF_EACH]
            said = min(sample.words, SAID_FULL) / SAID_FULL
            rows += [(scores[at], said, float(sample.is_own)) for at in best]
            labels += [float(sample.answers[at]) for at in best]
            each = counts[sample.sort, sample.is_answerable] / sorts.count(person.sort)
            importance += [each] * len(best)
    found, intercept = fit_logistic(np.array(rows), np.array(labels), np.array(importance))
    named = zip(("score", "said", "own"), found.tolist(), strict=True)
    return {**dict(named), "intercept": intercept}


def _importance(person: Person) -> dict[tuple[Sort, bool], float]:
    """Return how much a sample counts, by its sort and whether it has an answer."""
    groups: dict[tuple[Sort, bool], float] = {}
    for sample in person.samples:
        group = (sample.sort, sample.is_answerable)
        groups[group] = groups.get(group, 0.0) + 1.0
    return {
        group: (1.0 if group[0] is Sort.LABELLED else TITLES_WEIGHT) / count
        for group, count in groups.items()
    }


def _label(person: Person) -> list[Sample]:
    return [one for one in person.samples if one.sort is Sort.LABELLED]


MEASURES = ("recall@10", "first", "must_not_before_evidence", "abstention_auc")


def measures(parts: Sequence[Part], model: RankingModel) -> dict[str, float | None]:
    """Return how a model fares with the questions of a person, all passes included.

    recall@10: share of the evidence among the first ten hits; first: how often the first hit
    answers; must_not_before_evidence: how often something that must not stands before it, of the
    questions that name such; abstention_auc: how likely the best hit of a question with an answer
    is more relevant than that of one without.
    """
    recalls: list[float] = []
    firsts: list[bool] = []
    before: list[bool] = []
    sure: list[float] = []
    unsure: list[float] = []
    for part in parts:
        for question in part.questions:
            query = Query(text=question.text, now=question.at or part.now, limit=DEPTH)
            found = search(query, part.space._opened, explained=False, model=model)  # noqa: SLF001  the model is no part of the public API
            (sure if question.evidence else unsure).append(
                found.hits[0].relevance if found.hits else 0.0
            )
            if not question.evidence:
                continue
            hits = [part.names.get(hit.id, frozenset()) for hit in found]
            ranks = ranks_of(question.evidence, hits).values()
            recalls.append(sum(r is not None and r <= FIRST for r in ranks) / len(ranks))
            firsts.append(bool(hits and hits[0] & (question.evidence | question.also_ok)))
            if question.must_not:
                before.append(is_must_not_before(question, hits))
    return {
        "recall@10": mean(recalls),
        "first": mean(firsts),
        "must_not_before_evidence": mean(before),
        "abstention_auc": auc(sure, unsure),
    }


def _round(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(weight, DIGITS) + 0.0 for name, weight in weights.items()}


def _file(model: RankingModel, persons: Sequence[Person]) -> str:
    """Return the text of the module with the weights."""
    names = ", ".join(one.name for one in persons)
    fitted_on = "\n".join(textwrap.wrap(f"Fitted on: {names}.", 98))
    weights = "".join(f'    "{n}": {w},\n' for n, w in _round(model.weights).items())
    curve = "".join(f'    "{n}": {w},\n' for n, w in _round(model.relevance).items())
    return (
        f'"""{_FIRST_LINE}\n\n{fitted_on}\nVectors of: {IDENTITY.model}, or of {EARLIER.model}\n'
        f'where it was trained on them.\n"""\n\n'
        f"WEIGHTS = {{\n{weights}}}\nRELEVANCE = {{\n{curve}}}\n"
    )
