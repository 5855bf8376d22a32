"""Reading from a space: search, list, get, history, entities, usage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from simonides.api.arguments import (
    SearchFields,
    StateLike,
    as_state,
    check_limit,
    check_texts,
    question,
)
from simonides.config import check_timezone
from simonides.entities.extract import summarise
from simonides.errors import InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.maintenance.item_history import history as versions_of
from simonides.model.agenda import Agenda
from simonides.model.answer import Entity, MultiSpaceResult, Page, SearchResult, SpaceHit
from simonides.model.coercion import refuse_unknown, tuple_of
from simonides.model.filter import FilterFields, FilterLike, as_filter
from simonides.model.item import Item
from simonides.model.maintenance import Version
from simonides.model.stored import Engagement
from simonides.model.times import TimeLike, as_time, in_zone
from simonides.retrieval.agenda import Window
from simonides.retrieval.agenda import agenda as agenda_of
from simonides.retrieval.as_of import check_as_of, reader_as_of
from simonides.retrieval.listing import list_items
from simonides.retrieval.search import search as search_space

SPACES_MAX = 20
"""Spaces that one question may go to."""


def search(opened: OpenSpace, query: str, given: Mapping[str, Any]) -> SearchResult:
    """Return the hits of a question; `given` are the other arguments of `Memory.search`."""
    return search_space(question(query, given, opened), opened)


def search_across(
    opened: OpenSpace, query: str, given: Mapping[str, Any], *, spaces: Sequence[str], limit: int
) -> MultiSpaceResult:
    """Return the best hits of all spaces; ties by the name of the space, then by id.

    The hits, at most `limit`, keep their own scores, which lie on one scale: that of the scorer.

    Raises:
        InvalidInput: No space is named, too many are, or an argument is out of range.
    """
    refuse_unknown(given, SearchFields.__annotations__)
    named = tuple(dict.fromkeys(tuple_of(str, spaces, field="spaces")))
    if not 1 <= len(named) <= SPACES_MAX:
        raise InvalidInput("spaces", f"must be 1 to {SPACES_MAX}, got {len(named)}")
    asked = {**given, "limit": limit}
    results = {one: search(replace(opened, name=one), query, asked) for one in named}
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


def agenda(
    opened: OpenSpace,
    *,
    since: TimeLike | None,
    until: TimeLike | None,
    wanted: FilterFields,
    limit: int,
    cursor: str,
    as_of: StateLike | None,
    now: TimeLike | None,
    timezone: str | None,
) -> Agenda:
    """Return a page of what takes place and is due; by default today and in the 7 days after."""
    zone = timezone or opened.timezone
    check_timezone(zone)
    read = partial(as_time, timezone=zone)
    asked_at = opened.now() if now is None else read(now, field="now")
    midnight = as_time(in_zone(asked_at, zone).date(), field="now", timezone=zone)
    begin = midnight if since is None else read(since, field="since")
    end = _days_after(begin, zone) if until is None else read(until, field="until")
    return agenda_of(
        as_filter(wanted, timezone=lambda: zone),
        opened,
        window=Window(since=begin, until=end, timezone=zone),
        limit=limit,
        cursor=cursor,
        as_of=as_state(as_of, opened),
    )


AGENDA_DAYS = 8
"""Days of an agenda whose end is not said: the first one, and a week."""


def _days_after(begin: datetime, zone: str) -> datetime:
    """Return the same time by the clock some days later.

    Raises:
        InvalidInput: There is no such year.
    """
    try:
        local = in_zone(begin, zone).replace(tzinfo=None) + timedelta(days=AGENDA_DAYS)
    except OverflowError:
        raise InvalidInput("since", "lies at the end of the years that there are") from None
    return as_time(local, field="until", timezone=zone)


def get(opened: OpenSpace, item_id: str, *, as_of: StateLike | None) -> Item:
    """Return the present version of an item, or the one of a time or revision."""
    check_texts(item_id, field="item_id")
    state = as_state(as_of, opened)
    check_as_of(state)
    space = opened.find()
    if space is not None:
        with space.read() as reader:
            item = reader_as_of(reader, state).item(item_id)
        if item is not None:
            return item
    raise NotFound("item", item_id)


def entities(opened: OpenSpace, *, name: str, limit: int) -> tuple[Entity, ...]:
    """Return the people, projects, issues and topics mentioned, most frequent first."""
    check_limit(limit)
    check_texts(name, field="name")
    space = opened.find()
    if space is None:
        return ()
    with space.read() as reader:
        return summarise(reader.mention_rows(0), name=name)[:limit]


def engagement(opened: OpenSpace, item_id: str) -> Engagement | None:
    """Return how often an item was used and when last; None if it never was."""
    check_texts(item_id, field="item_id")
    space = opened.find()
    if space is None:
        return None
    with space.read() as reader:
        return reader.engagements([item_id]).get(item_id)


def erasure_mark(opened: OpenSpace) -> str:
    """Return a mark of the space that changes with each erasure; empty without a space."""
    space = opened.find()
    if space is None:
        return ""
    with space.read() as reader:
        return f"{space.uuid}:{reader.epoch}"


def history(opened: OpenSpace, item_id: str) -> tuple[Version, ...]:
    """Return every stored version of an item, oldest first."""
    check_texts(item_id, field="item_id")
    return versions_of(item_id, opened)
