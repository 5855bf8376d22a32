"""How far apart an embedder sets unlike texts: the unit in which its cosines are weighed.

Of one model unlike texts lie .1 apart, of another .3: weights that fit both must weigh cosines in
this unit. It belongs to the embedder, not to a space, so a score does not depend on it.
"""

import numpy as np

from simonides.errors import EmbedderError
from simonides.model.stored import EmbedderIdentity
from simonides.ports.foreign_models import embed_texts
from simonides.ports.models import Embedder

USUAL_SPREAD = 0.1
"""That of the default embedder, and of one that fails to say."""

KNOWN = {
    "desk-minilm/2": 0.1007,
    "desk-minilm/2+e5": 0.1007,
    "desk-minilm/1": 0.1007,
    "all-MiniLM-L6-v2/int8-channel/1": 0.0967,
}
"""What `measure_spread` gives for the shipped models, so that no start has to measure them."""

TEXTS = (
    "The dentist moved the appointment to Thursday at nine.",
    "Please send the signed contract back before the end of the month.",
    "We repainted the kitchen and the smell is nearly gone.",
    "The train to the coast leaves from platform four.",
    "My sister's baby was born this morning, both are well.",
    "The server ran out of disk space during the night.",
    "Can you pick up bread and milk on your way home?",
    "The invoice for the roof repair came to two thousand.",
    "Training starts with a slow run of eight kilometres.",
    "The committee rejected the proposal by two votes.",
    "I finally finished the novel you lent me in spring.",
    "The vet says the dog needs a smaller portion of food.",
    "Flights are cheaper if we travel on a Tuesday.",
    "The new release fixes the crash when a file is empty.",
    "Grandfather's clock stopped the day he moved out.",
    "Add garlic at the end, or it will taste bitter.",
    "The landlord wants to raise the rent from January.",
    "Her thesis compares two methods of measuring soil moisture.",
    "The concert was sold out within ten minutes.",
    "Don't forget your passport, the old one has expired.",
    "Sales in the north fell for the third quarter in a row.",
    "The choir meets in the church hall on Mondays.",
    "I am allergic to penicillin, tell the nurse.",
    "The bicycle needs new brakes before the winter.",
)
"""Unlike texts of everyday life."""


def spread_of(embedder: Embedder | None) -> float:
    """Return the standard deviation of the centred cosines of unlike texts by an embedder."""
    if embedder is None:
        return USUAL_SPREAD
    known = KNOWN.get(embedder.identity.model)
    return known if known is not None else _measure(embedder.identity, embedder)


_measured_before: dict[EmbedderIdentity, float] = {}


def _measure(identity: EmbedderIdentity, embedder: Embedder) -> float:
    """Return the spread of an embedder, measured once; the usual where it fails, to try again."""
    if identity not in _measured_before:
        try:
            _measured_before[identity] = measure_spread(embedder)
        except EmbedderError:
            return USUAL_SPREAD
    return _measured_before[identity]


def measure_spread(embedder: Embedder) -> float:
    """Return the root mean square of the cosines of all pairs of `TEXTS`, their mean taken away."""
    rows = embed_texts(TEXTS, embedder).astype(np.float64)
    rows -= rows.mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0.0)
    above = np.triu_indices(len(rows), k=1)
    found = float(np.sqrt(np.mean((rows @ rows.T)[above] ** 2)))
    return found if found > SPREAD_MIN else USUAL_SPREAD


SPREAD_MIN = 0.01
"""Below this the texts are all alike to a model, or all zero: it says nothing."""
