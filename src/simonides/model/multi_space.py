"""What a search through several spaces finds. Must not know how."""

from collections.abc import Mapping
from dataclasses import dataclass

from simonides.model.answer import Hit, SearchResult
from simonides.model.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceHit(Result):
    """A hit, and the space that it was found in."""

    space: str
    hit: Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiSpaceResult(Result):
    """The hits of several spaces, best first, and what each space answered by itself.

    `results` are in the order in which the spaces were named. A score is that of its own space:
    the words of a question are weighed by how rare they are there.
    """

    hits: tuple[SpaceHit, ...]
    results: Mapping[str, SearchResult]
