"""What a space says of itself, as a row of `spaces`.

Must not know of items.
"""

from typing import TYPE_CHECKING, Any

from simonides.model.stored import Analysis, EmbedderIdentity
from simonides.storage.space_facts import SpaceFacts

if TYPE_CHECKING:
    import psycopg

COLUMNS = (
    "uuid revision epoch floor model dimension window_words quantiser analysis unicode "
    "reembedding sweep_due last_key"
).split()
"""The facts in the order in which they are selected."""

FACTS = f"SELECT {', '.join(COLUMNS)} FROM spaces WHERE space_id = "  # noqa: S608  own names
"""The statement that selects them, but for the number of the space."""


def as_facts(row: tuple[Any, ...]) -> SpaceFacts:
    """Return the facts of a row."""
    said = dict(zip(COLUMNS, row, strict=False))
    return SpaceFacts(
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
        analysis=Analysis(version=said["analysis"], unicode=said["unicode"]),
        reembedding=said["reembedding"],
    )


def read_facts(connection: "psycopg.Connection[Any]", space_id: int) -> SpaceFacts | None:
    """Return the facts of a space; None if there is none of that number."""
    row = connection.execute(f"{FACTS}{space_id:d}").fetchone()
    return None if row is None else as_facts(row)
