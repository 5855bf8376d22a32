"""Search of one space, or of several as one: each answers by itself, and their hits are merged.

Scores mean the same in every space (law 12), so that the best of all come first; ties go by space
and id. Each hit says whose it is. Knows nothing of permissions: `OpenSpace.beside` gives spaces.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Diagnostics, Hit, Query, SearchResult
from simonides.retrieval.search import search

Asked = tuple[OpenSpace, Query]
"""A space, and what it is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInSpaces:
    """The results of one question, of each space and as one, the own space first.

    Of several spaces each hit says whose it is. Without any further ones, `whole` is the result of
    the own space as it is.
    """

    results: tuple[tuple[OpenSpace, SearchResult], ...]
    whole: SearchResult

    @property
    def is_shared(self) -> bool:
        """Whether several spaces were asked."""
        return len(self.results) > 1

    def with_hits(self, hits: Sequence[Hit]) -> "FoundInSpaces":
        """Return the same with some of its hits, in each result and in the whole."""
        chosen = frozenset(hit.key for hit in hits)
        results = tuple(
            (opened, replace(one, hits=tuple(hit for hit in one.hits if hit.key in chosen)))
            for opened, one in self.results
        )
        return FoundInSpaces(results=results, whole=replace(self.whole, hits=tuple(hits)))


def questions_to(query: Query, spaces: Sequence[OpenSpace]) -> list[Asked]:
    """Return one query for each space; its session is one of the own space.

    Raises:
        InvalidInput: It asks several spaces for one revision.
    """
    if len(spaces) > 1 and query.as_of is not None and not isinstance(query.as_of, datetime):
        raise InvalidInput("as_of", "is a revision, and each space counts its own; give a time")
    elsewhere = replace(query, session_id="")
    return [(one, elsewhere if place else query) for place, one in enumerate(spaces)]


def search_each(
    asked: Sequence[Asked], *, explained: bool = True, pinned: bool = False
) -> FoundInSpaces:
    """Return the results of a question to one or several spaces, the own one first.

    With `pinned` the pinned memories of the own space come along.

    Raises:
        SimonidesError: What `search` raises, of any of the spaces.
    """
    found = [
        (opened, search(query, opened, explained=explained, pinned=pinned and not place))
        for place, (opened, query) in enumerate(asked)
    ]
    if len(found) == 1:
        return FoundInSpaces(results=tuple(found), whole=found[0][1])
    results = tuple((opened, _with_space(result, opened.name)) for opened, result in found)
    limit = max(query.limit for _, query in asked)
    return FoundInSpaces(results=results, whole=_join([one for _, one in results], limit=limit))


def _with_space(result: SearchResult, space: str) -> SearchResult:
    """Return a result whose hits and notes say of which space they are."""
    notes = tuple(f"space {space}: {note}" for note in result.diagnostics.notes)
    return replace(
        result,
        hits=tuple(replace(hit, space=space) for hit in result.hits),
        pinned=tuple(replace(hit, space=space) for hit in result.pinned),
        diagnostics=replace(result.diagnostics, notes=notes),
    )


def _join(results: Sequence[SearchResult], *, limit: int) -> SearchResult:
    """Return several results as one: the best hits, and what the own space says for the rest.

    Nothing answers only where no space has an answer; what is nearest is named for the own one
    alone.
    """
    own = results[0]
    hits = best_first(hit for one in results for hit in one.hits)
    answers = any(one.hits and not one.nothing for one in results)
    plan = replace(
        own.plan,
        people=_each_once(one.plan.people for one in results),
        entities=_each_once(one.plan.entities for one in results),
    )
    return SearchResult(
        hits=tuple(hits[:limit]),
        plan=plan,
        diagnostics=_join_diagnostics([one.diagnostics for one in results]),
        background=own.background,
        nothing="" if answers else own.nothing,
        pinned=own.pinned,
    )


def best_first(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits of several spaces by falling score, ties by space and id."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.key))


def _join_diagnostics(said: Sequence[Diagnostics]) -> Diagnostics:
    return replace(
        said[0],
        notes=tuple(note for one in said for note in one.notes),
        waiting=sum(one.waiting for one in said),
        took_ms=round(sum(one.took_ms for one in said), 3),
    )


def _each_once(listed: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in listed for one in some))
