"""What a space says of itself: which it is, whose vectors it holds, and where it stands.

Knows the rows of `meta`. Must not know of items.
"""

import time
import uuid
from dataclasses import dataclass

import apsw

from simonides.errors import StoreCorrupt
from simonides.model.kept import (
    ANALYSIS_VERSION,
    FIRST_ANALYSIS,
    UNICODE_VERSION,
    Analysis,
    EmbedderIdentity,
)
from simonides.store.sqlite.queries import QUERIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """A space's own facts at one moment. `uuid` tells it from another one of the same name.

    `floor` is the oldest revision whose state is still kept whole; compaction raises it.
    """

    uuid: str
    embedder: EmbedderIdentity
    revision: int
    epoch: int
    floor: int = 0
    analysis: Analysis = FIRST_ANALYSIS


def read_meta(sqlite: apsw.Connection) -> Meta:
    """Return what the space says of itself; inside a transaction this fixes what is seen."""
    said = {"floor": 0, **dict(sqlite.execute(QUERIES["meta"]))}
    for name, kind in FACTS.items():
        if not isinstance(said.get(name), kind):
            problem = f"the space does not say its {name}, or not as it should"
            raise StoreCorrupt(f"{problem}; run `simonides repair`, or restore a backup")
    return Meta(
        uuid=said["uuid"],
        embedder=EmbedderIdentity(
            model=said["model"],
            dimension=said["dimension"],
            window_words=said["window_words"],
            quantiser=said["quantiser"],
        ),
        revision=said["revision"],
        epoch=said["epoch"],
        floor=said["floor"],
        analysis=_analysis(said.get("analysis"), said.get("unicode")),
    )


def _analysis(version: object, unicode: object) -> Analysis:
    """Return how the rows were derived; spaces made before that was recorded say nothing."""
    if isinstance(version, int) and isinstance(unicode, str):
        return Analysis(version=version, unicode=unicode)
    return FIRST_ANALYSIS


FACTS: dict[str, type] = {
    "uuid": str,
    "model": str,
    "dimension": int,
    "window_words": int,
    "quantiser": str,
    "revision": int,
    "epoch": int,
    "floor": int,
}
"""What a space says of itself, and how."""


def write_first(sqlite: apsw.Connection, embedder: EmbedderIdentity) -> None:
    """Give a new space its identity, at revision and epoch 0."""
    set_meta(sqlite, "uuid", uuid.uuid4().hex)
    set_meta(sqlite, "created_us", time.time_ns() // 1000)
    set_meta(sqlite, "revision", 0)
    set_meta(sqlite, "epoch", 0)
    set_meta(sqlite, "analysis", ANALYSIS_VERSION)
    set_meta(sqlite, "unicode", UNICODE_VERSION)
    write_embedder(sqlite, embedder)


def write_embedder(sqlite: apsw.Connection, embedder: EmbedderIdentity) -> None:
    """Say whose vectors the space holds."""
    set_meta(sqlite, "model", embedder.model)
    set_meta(sqlite, "dimension", embedder.dimension)
    set_meta(sqlite, "window_words", embedder.window_words)
    set_meta(sqlite, "quantiser", embedder.quantiser)


def set_meta(sqlite: apsw.Connection, key: str, value: str | int) -> None:
    """Set one of the space's values."""
    sqlite.execute(QUERIES["set_meta"], {"key": key, "value": value})
