"""What a space says of itself: which it is, whose vectors it holds, and where it stands.

Knows the rows of `meta`. Must not know of items.
"""

import time
import uuid
from dataclasses import dataclass

import apsw

from simonides.errors import StoreCorrupt
from simonides.model.kept import EmbedderIdentity
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


def read_meta(sqlite: apsw.Connection) -> Meta:
    """Return what the space says of itself; inside a transaction this fixes what is seen."""
    found = dict(sqlite.execute(QUERIES["meta"]))
    try:
        embedder = EmbedderIdentity(
            model=found["model"],
            dimension=found["dimension"],
            window_words=found["window_words"],
            quantiser=found["quantiser"],
        )
        return Meta(
            uuid=found["uuid"],
            embedder=embedder,
            revision=found["revision"],
            epoch=found["epoch"],
            floor=found.get("floor", 0),
        )
    except KeyError as error:
        problem = f"the space does not say its {error}"
        raise StoreCorrupt(f"{problem}; run `simonides doctor` and restore a backup") from error


def write_first(sqlite: apsw.Connection, embedder: EmbedderIdentity) -> None:
    """Give a new space its identity, at revision and epoch 0."""
    set_meta(sqlite, "uuid", uuid.uuid4().hex)
    set_meta(sqlite, "created_us", time.time_ns() // 1000)
    set_meta(sqlite, "revision", 0)
    set_meta(sqlite, "epoch", 0)
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
