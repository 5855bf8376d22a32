"""`simonides bench relevance`: fit the weights of relevance, and judge them on persons left out.

Each person (a desk's folder, or a file of the neutral format) is judged by weights that are fitted
on all the others. What is written at the end is fitted on all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.scoring import answering_weights
from simonides.scoring.answering import SIGNALS
from simonides_bench.desk.folder import DeskFolder
from simonides_bench.desk.groups import NeutralFile
from simonides_bench.desk.spaces import LabelledData, filled
from simonides_bench.recall import Progress, Told
from simonides_bench.relevance.logistic import Fitted, area, fit
from simonides_bench.relevance.samples import (
    Sample,
    Sort,
    labelled_samples,
    title_samples,
    titles_of,
)

Floats = npt.NDArray[np.float64]

TITLES_WEIGHT = 0.25
"""How much the titles of a person count beside the labelled questions."""

DIGITS = 3
"""Decimals of the weights."""

_FIRST_LINE = "The weights of `answering`: of `simonides bench relevance --fit`, not by hand."
WEIGHTS_FILE = Path(answering_weights.__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One set of data with its samples; `is_desk` where it is made of real files."""

    name: str
    is_desk: bool
    model: str
    samples: Sequence[Sample]


def run(
    data: Sequence[Path],
    *,
    writes: bool = False,
    keep: Path | None = None,
    settings: Settings | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the fitted weights and the measures of each person, left out of the fit.

    `writes` puts the weights, fitted on all persons, into the engine's own file. `keep` is where
    the spaces stay for the next run, which must have the same model.

    Raises:
        InvalidInput: Data cannot be read, leave no question, or are of fewer than two persons.
        ImportFailed: A file of a desk holds nothing that can be imported.
        EmbedderError: The embedder failed.
    """
    sets: list[LabelledData] = [
        DeskFolder(path) if path.is_dir() else NeutralFile(path) for path in data
    ]
    if len(sets) < 2:  # noqa: PLR2004  one is left out
        raise InvalidInput("data", "needs two persons or more: each is judged by the others' fit")
    used = settings or Settings(timezone="UTC", durability="relaxed")
    persons = _persons(sets, settings=used, keep=keep, on_progress=on_progress)
    if not all(any(not s.is_answerable for s in _labelled(one)) for one in persons):
        raise InvalidInput("data", "needs questions without evidence from each person")
    whole = fitted(persons)
    if writes:
        WEIGHTS_FILE.write_text(_file(whole, persons), "utf-8")
    return {
        "intercept": round(whole.intercept, DIGITS),
        "weights": _named(whole),
        "persons": {
            one.name: measures(one, fitted([p for p in persons if p is not one])) for one in persons
        },
        "seen": {one.name: measures(one, whole) for one in persons},
    }


def _persons(
    sets: Sequence[LabelledData],
    *,
    settings: Settings,
    keep: Path | None,
    on_progress: Progress | None,
) -> list[Person]:
    told = Told(total=sum(one.count for one in sets), on_progress=on_progress)
    titles: dict[str, list[str]] = {}
    for one in sets:
        with filled(one, settings=settings, keep=keep) as memory:
            titles[one.name] = [t for part in one.parts(memory) for t in titles_of(part.space)]
    persons = []
    for place, one in enumerate(sets):
        own = titles[one.name]
        strange = [t for t in titles[sets[place - 1].name] if t not in own]
        with filled(one, settings=settings, keep=keep) as memory:
            samples = [
                sample
                for part in one.parts(memory)
                for sample in (*labelled_samples(part), *title_samples(part, own, strange))
            ]
            model = memory._opened.home.identity.model  # noqa: SLF001  the name in its files
        told.add(one.count)
        is_desk = isinstance(one, DeskFolder)
        persons.append(Person(name=one.name, is_desk=is_desk, model=model, samples=samples))
    return persons


def fitted(persons: Sequence[Person]) -> Fitted:
    """Return the weights for all persons: desks and files count alike, as wholes.

    So do questions with and without an answer: the probability is that of one who asks as often
    for what memory does not hold.
    """
    kinds = [one.is_desk for one in persons]
    rows, labels, importance = [], [], []
    for person in persons:
        counts = _importance(person)
        for sample in person.samples:
            rows.append(sample.signals)
            labels.append(sample.labels)
            each = counts[sample.sort, sample.is_answerable] / kinds.count(person.is_desk)
            importance.append(np.full(len(sample.labels), each))
    return fit(np.concatenate(rows), np.concatenate(labels), np.concatenate(importance))


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


def measures(person: Person, by: Fitted) -> dict[str, float]:
    """Return how well weights tell apart, for one person.

    abstention_auc: how likely the best hit of a question with an answer is more relevant than that
    of one without; title_auc: the same of titles; hit_auc: how likely a hit that answers is more
    relevant than another of the same question; brier: mean squared error of the probabilities.
    """
    best = {
        (sort, answerable): np.array(
            [
                float(by.logits(one.signals).max(initial=-np.inf))
                for one in person.samples
                if (one.sort, one.is_answerable) == (sort, answerable)
            ]
        )
        for sort in Sort
        for answerable in (True, False)
    }
    within = [
        area(logits[one.labels > 0], logits[one.labels == 0])
        for one in _labelled(person)
        if 0 < one.labels.sum() < len(one.labels) and len(logits := by.logits(one.signals))
    ]
    errors = [
        (1.0 / (1.0 + np.exp(-by.logits(one.signals))) - one.labels) ** 2
        for one in _labelled(person)
    ]
    return {
        "abstention_auc": area(best[Sort.LABELLED, True], best[Sort.LABELLED, False]),
        "title_auc": _area(best[Sort.OWN_TITLE, True], best[Sort.STRANGE_TITLE, False]),
        "hit_auc": float(np.mean(within)) if within else 0.0,
        "brier": float(np.concatenate(errors).mean()),
    }


def _area(above: Floats, below: Floats) -> float:
    return area(above, below) if len(above) and len(below) else 0.0


def _labelled(person: Person) -> list[Sample]:
    return [one for one in person.samples if one.sort is Sort.LABELLED]


def _named(by: Fitted) -> Mapping[str, float]:
    return {
        name: round(float(weight), DIGITS) + 0.0
        for name, weight in zip(SIGNALS, by.weights, strict=True)
    }


def _file(by: Fitted, persons: Sequence[Person]) -> str:
    """Return the text of the module with the weights."""
    names = ", ".join(one.name for one in persons)
    model = persons[0].model
    weights = "".join(f'    "{name}": {weight},\n' for name, weight in _named(by).items())
    return (
        f'"""{_FIRST_LINE}\n\nFitted on: {names}.\nVectors of: {model}.\n"""\n\n'
        f"INTERCEPT = {round(by.intercept, DIGITS)}\nWEIGHTS = {{\n{weights}}}\n"
    )
