"""What a space says of itself: its identity, its embedder and where it stands.

Knows shapes and names. Must not know how an adapter keeps them.
"""

import json
from dataclasses import dataclass

from simonides.model.stored import (
    ANALYSIS_VERSION,
    FIRST_ANALYSIS,
    UNICODE_VERSION,
    Analysis,
    EmbedderIdentity,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceFacts:
    """A space's own facts at one moment. `uuid` tells it from another one of the same name.

    `floor` is the oldest revision whose state is still kept whole; compaction raises it.
    `reembedding` says which embedder a re-embedding under way is with (see `reembedding_mark`).
    """

    uuid: str
    embedder: EmbedderIdentity
    revision: int
    epoch: int
    floor: int = 0
    analysis: Analysis = FIRST_ANALYSIS
    reembedding: str = ""


REEMBEDDING = "reembedding"
"""The name of the fact that a re-embedding is under way."""

SWEEP_DUE = "sweep_due"
"""The name of the fact that bytes of erased rows may still lie about."""


def reembedding_mark(embedder: EmbedderIdentity) -> str:
    """Return the mark of staged chunks: their embedder, and this engine's analysis."""
    parts = (embedder.model, embedder.dimension, embedder.window_words, embedder.quantiser)
    return json.dumps([*parts, ANALYSIS_VERSION, UNICODE_VERSION])
