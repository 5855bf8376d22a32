"""Reading from a space: search, list, get, usage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simonides import api
from simonides.api.arguments import (
    SearchFields,
    StateLike,
    as_state,
    check_texts,
    question,
)
from simonides.errors import InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.model.answer import MultiSpaceResult, Page, SearchResult, SpaceHit
from simonides.model.bounds import show_value
from simonides.model.coercion import refuse_unknown
from simonides.model.filter import FilterLike, as_filter
from simonides.model.item import Item
from simonides.model.stored import Engagement, background_collection
from simonides.retrieval.counting import count_items
from simonides.retrieval.listing import list_items
from simonides.retrieval.plan import check_as_of, reader_as_of
from simonides.retrieval.search import search as search_space
from simonides.retrieval.story import story_of, with_superseded

if TYPE_CHECKING:
    from simonides.model.counts import ItemCounts
    from simonides.model.story import Story


def search(
    opened: OpenSpace, query: str, given: Mapping[str, Any], *, best_context: bool = False
) -> SearchResult:
    """Return the hits of a question; `given` are the other arguments of `Memory.search`."""
    if not isinstance(best_context, bool):
        raise InvalidInput("best_context", f"must be true or false, got {show_value(best_context)}")
    asked = question(query, given, opened)
    result = search_space(asked, opened)
    if not best_context:
        return result
    collection = background_collection(asked.filter)
    best = api.background.Backgrounds(opened).best(query, collection=collection, limit=1)
    return replace(result, best_context=best)


def story(opened: OpenSpace, query: str, given: Mapping[str, Any], *, limit: int) -> "Story":
    """Return the story of what is asked for; `given` are arguments of `search`."""
    refuse_unknown(given, SearchFields.__annotations__)
    asked = question(query, {**given, "limit": limit}, opened)
    asked = replace(asked, filter=with_superseded(asked.filter))
    return story_of(asked.text, search_space(asked, opened).hits)


def search_across(
    opened: OpenSpace, query: str, given: Mapping[str, Any], *, spaces: Sequence[str], limit: int
) -> MultiSpaceResult:
    """Return the best hits of all spaces; ties by the name of the space, then by id.

    The hits, at most `limit`, keep their own scores, which lie on one scale: that of the scorer.

    Raises:
        AccessDenied: One of them may not be read from here; nothing was read.
        InvalidInput: No space is named, too many are, or an argument is out of range.
    """
    refuse_unknown(given, SearchFields.__annotations__)
    asked = {**given, "limit": limit}
    results = {one.name: search(one, query, asked) for one in opened.readable(spaces)}
    found = [SpaceHit(space=space, hit=hit) for space, result in results.items() for hit in result]
    found.sort(key=lambda one: (-one.hit.score, one.space, one.hit.id))
    return MultiSpaceResult(hits=tuple(found[:limit]), results=results)


def list_(
    opened: OpenSpace,
    *,
    filter: FilterLike | None,  # noqa: A002  the word of the project
    limit: int,
    cursor: str,
    as_of: StateLike | None,
) -> Page:
    """Return a page of items, newest first."""
    wanted = as_filter(filter, timezone=lambda: opened.timezone)
    state = as_state(as_of, opened)
    return list_items(wanted, opened, limit=limit, cursor=cursor, as_of=state)


def counts(
    opened: OpenSpace,
    *,
    filter: FilterLike | None,  # noqa: A002  the word of the project
    as_of: StateLike | None,
    metadata: str,
) -> "ItemCounts":
    """Return the numbers of items that pass a filter."""
    check_texts(metadata, field="metadata")
    wanted = as_filter(filter, timezone=lambda: opened.timezone)
    return count_items(wanted, opened, as_of=as_state(as_of, opened), metadata=metadata)


def get(opened: OpenSpace, item_id: str, *, as_of: StateLike | None) -> Item:
    """Return the present version of an item, or the one of a time or revision."""
    check_texts(item_id, field="item_id")
    state = as_state(as_of, opened)
    check_as_of(state)
    space = opened.find_of_any_embedder()
    if space is not None:
        with space.read() as reader:
            item = reader_as_of(reader, state).item(item_id)
        if item is not None:
            return item
    raise NotFound("item", item_id)


def engagement(opened: OpenSpace, item_id: str) -> Engagement | None:
    """Return how often an item was used and when last; None if it never was."""
    check_texts(item_id, field="item_id")
    space = opened.find_of_any_embedder()
    if space is None:
        return None
    with space.read() as reader:
        return reader.engagements([item_id]).get(item_id)


def erasure_mark(opened: OpenSpace) -> str:
    """Return a mark of the space that changes with each erasure; empty without a space."""
    space = opened.find_of_any_embedder()
    if space is None:
        return ""
    with space.read() as reader:
        return f"{space.uuid}:{reader.epoch}"
