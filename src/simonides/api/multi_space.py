"""One question to several spaces of one home: each answers by itself, the hits are merged.

Reading only. No space sees another: each search is that space's own, and so is each explanation.
Who may ask which spaces is not decided here.
"""

from collections.abc import Callable, Sequence
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.answer import MultiSpaceResult, SearchResult, SpaceHit
from simonides.model.coercion import tuple_of

SPACES_MAX = 20
"""Spaces that one question may go to."""


def search_across(
    spaces: Sequence[str], search: Callable[..., SearchResult], *, limit: int, **arguments: Any
) -> MultiSpaceResult:
    """Return the best of what each space answers; ties go by the space's name, then the id.

    `search(space, limit=…, **arguments)` asks one space. The hits, at most `limit`, keep their
    own scores, which lie on one scale: that of the scorer.

    Raises:
        InvalidInput: No space is named, too many are, or an argument is out of range.
    """
    named = tuple(dict.fromkeys(tuple_of(str, spaces, field="spaces")))
    if not 1 <= len(named) <= SPACES_MAX:
        raise InvalidInput("spaces", f"must be 1 to {SPACES_MAX}, got {len(named)}")
    results = {space: search(space, limit=limit, **arguments) for space in named}
    found = [SpaceHit(space=space, hit=hit) for space in named for hit in results[space]]
    found.sort(key=lambda one: (-one.hit.score, one.space, one.hit.id))
    return MultiSpaceResult(hits=tuple(found[:limit]), results=results)
