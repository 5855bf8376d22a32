"""Vectors of many texts by the jax encoder, and how well questions find their items by them.

Knows plain cosine search. Must not know how weights are trained.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import numpy as np
from encoder import Weights, encode
from graph import HIDDEN
from people import Person
from tokens import ids_of, rows_of

WIDTHS = (16, 32, 64, 128, 256)
"""Texts are encoded beside others of about their length; 256 tokens are the model's most."""
BATCH = 32

TOP = 10

_encode = jax.jit(encode)


def vectors_of(weights: Weights, texts: Sequence[str]) -> np.ndarray:
    """Return float32[texts, 384], rows of unit length."""
    out = np.zeros((len(texts), HIDDEN), dtype=np.float32)
    lengths = np.array([min(len(ids_of(text)), WIDTHS[-1]) for text in texts])
    least = 0
    for width in WIDTHS:
        places = np.flatnonzero((lengths > least) & (lengths <= width))
        for start in range(0, len(places), BATCH):
            some = places[start : start + BATCH]
            ids, mask = rows_of([texts[place] for place in np.resize(some, BATCH)], width=width)
            out[some] = np.asarray(_encode(weights, ids, mask))[: len(some)]
        least = width
    return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The vectors of one person: of each item's chunks, of the questions, and with the answers."""

    items: dict[str, np.ndarray]
    questions: np.ndarray
    answers: np.ndarray


def embed_person(weights: Weights, person: Person) -> Embedded:
    """Return the vectors of all that a person has."""
    rows = iter(vectors_of(weights, [text for texts in person.items.values() for text in texts]))
    asked = [one.text for one in person.questions]
    known = [f"{one.text} {one.answer}" for one in person.questions]
    return Embedded(
        items={name: np.array([next(rows) for _ in texts]) for name, texts in person.items.items()},
        questions=vectors_of(weights, asked),
        answers=vectors_of(weights, known),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What dense search alone finds: evidence among the first ten, evidence first, reciprocal rank.

    `auc`: how often a question that has an answer is nearer to its nearest item than one that has
    none; nan where all have one.
    """

    recall: float
    first: float
    reciprocal: float
    auc: float


def figures(weights: Weights, person: Person) -> Figures:
    """Return how well the questions of a person find their evidence."""
    found = embed_person(weights, person)
    names = list(found.items)
    near = np.stack([(found.questions @ rows.T).max(axis=1) for rows in found.items.values()], 1)
    recall, reciprocal = [], []
    for one, row in zip(person.questions, near, strict=True):
        if one.evidence:
            order = np.argsort(-row, kind="stable")
            rank = {names[place]: position for position, place in enumerate(order, 1)}
            ranks = [min(rank[name] for name in names_of) for names_of in one.evidence]
            recall.append(np.mean([rank <= TOP for rank in ranks]))
            reciprocal.append(1 / min(ranks))
    has = np.array([bool(one.evidence) for one in person.questions])
    best = near.max(axis=1)
    nearer = best[has][:, None] > best[~has][None, :]
    return Figures(
        recall=float(np.mean(recall)),
        first=float(np.mean(np.array(reciprocal) == 1.0)),
        reciprocal=float(np.mean(reciprocal)),
        auc=float(nearer.mean()) if nearer.size else float("nan"),
    )
