"""The default embedding model as it is without some of the persons it was trained on.

Each was trained like the shipped one (`packages/simonides-minilm/make/train.py --held-out`), and is
kept as what its file differs by: whoever judges ranking on a person asks the one that has not seen
that person.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.minilm import (
    EARLIER,
    IDENTITY,
    MiniLMEmbedder,
    MiniLMModel,
    apply_difference,
    make_model,
    read_file,
)

FOLDS = {
    "daniel": "daniel-nurse",
    "nurse": "daniel-nurse",
    "meera": "meera-captain",
    "captain": "meera-captain",
}
"""The model that has not seen a person, by the person's name: the file of its difference."""

SEEN = frozenset({"chef", "farmer", "lawyer", "student"})
"""Persons whom each of these models was trained on, as the shipped one was: their vectors are made
by the model before, of the upstream weights."""


class HeldOutEmbedder(MiniLMEmbedder):
    """The default embedder with a model that was trained without two persons."""

    def __init__(self, fold: str) -> None:
        super().__init__()
        self._fold = fold

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity of its vectors, which are no others'."""
        return replace(IDENTITY, model=f"{IDENTITY.model} without {self._fold}")

    def _load(self) -> MiniLMModel:
        return _load(self._fold)


@cache
def _load(fold: str) -> MiniLMModel:
    difference = (Path(__file__).parent / f"{fold}.xz").read_bytes()
    return make_model(apply_difference(read_file("model.onnx"), difference))


def embedder_for(person: str) -> MiniLMEmbedder:
    """Return an embedder that was not trained on a person or other set of data, by its name."""
    if person in FOLDS:
        return HeldOutEmbedder(FOLDS[person])
    return MiniLMEmbedder(identity=EARLIER if person in SEEN else IDENTITY)
