"""Background: append-only snapshots of a free-text document of a collection ("latest context").

Knows the shape of a snapshot. Must not know how it is stored, checked or found. A snapshot is no
item: no lane of the search of entries ever sees it.
"""

from dataclasses import dataclass
from datetime import datetime

from simonides.model.filter import Filter
from simonides.model.result import Result

MAIN = "main"
"""The collection of what names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(Result):
    """One snapshot: the whole text of a collection's background from `created_at` on.

    `id` is derived from collection, time and text; `created_at` is aware UTC, `revision` that of
    the space after the write.
    """

    id: str
    collection: str
    text: str
    created_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBackground:
    """A snapshot made ready to commit; `terms` is a packed term list (`text.terms.pack`)."""

    id: str
    collection: str
    text: str
    terms: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundPage(Result):
    """One page of snapshots, latest first; `cursor` asks for the next and is empty at the end."""

    snapshots: tuple[Background, ...]
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredBackground(Result):
    """A snapshot that shares words with a question; `score` in (0, 1], higher is better."""

    score: float
    background: Background


def background_collection(wanted: Filter) -> str:
    """Return the collection whose background goes with a search: the only one named, or `main`."""
    named = set(wanted.collections)
    return named.pop() if len(named) == 1 else MAIN
