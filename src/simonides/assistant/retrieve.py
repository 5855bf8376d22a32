"""Retrieval of items and conversations for one question.

The design's `retrieve_with_memory`, mended: what is found is shown once, and only as much as was
asked for. Knows in which order it is looked, and how messages share the places with items.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from simonides.assistant.preferences import preferences_now
from simonides.context.names import entities_of_each, known_entities
from simonides.index.open_space import OpenSpace
from simonides.memories.preferences import SOURCE
from simonides.model.answer import Hit, ItemKey, Mode, Query, Scorer, SearchResult
from simonides.model.bounds import HITS
from simonides.model.chat import Retrieved
from simonides.model.coercion import one_of, tuple_of
from simonides.model.filter import Filter
from simonides.model.item import Kind
from simonides.model.query import NamedTime, named_range
from simonides.retrieval.across import Asked, FoundInSpaces, best_first, questions_to, search_each
from simonides.text.similarity import DuplicateDetector

EPISODIC_MAX = 3
"""Messages inside a `classic` retrieval at most (the design's limit=3)."""

EPISODIC_OF_TEN = 5
"""Places of ten that messages take from items in any other (measured: how-to/sessions)."""

LIKENESS_MIN = 0.8
"""A message is not shown beside an item that says so much of it (as in a brief: `likeness_max`)."""

_ITEMS = tuple(kind for kind in Kind if kind is not Kind.MESSAGE)


def retrieve(
    query: str,
    opened: OpenSpace,
    *,
    now: datetime,
    sources: Sequence[str] = (),
    spaces: Sequence[str] = (),
    **how: Any,
) -> Retrieved:
    """Return the hits of `retrieve_with_memory` without preferences, which a prompt lists apart.

    They are found only where `preference` is among the sources. Each space hides its own.

    Raises:
        AccessDenied: One of the spaces may not be read from here; nothing was read.
    """
    asked = opened.with_spaces(spaces)
    hidden = {} if SOURCE in sources else {one.name: _preferences(one) for one in asked}
    return retrieve_with_memory(
        query, opened, now=now, sources=sources, shared=asked[1:], hidden=hidden, **how
    )


def _preferences(opened: OpenSpace) -> tuple[str, ...]:
    return tuple(one.id for one in preferences_now(opened))


def retrieve_with_memory(
    query: str,
    opened: OpenSpace,
    *,
    now: datetime,
    timezone: str,
    session_id: str = "",
    sources: Sequence[str] = (),
    time_filter: str = "",
    entity_filter: Sequence[str] = (),
    include_episodic: bool = True,
    limit: int = 10,
    without_ids: Sequence[str] = (),
    scorer: Scorer | str = Scorer.FUSED,
    shared: Sequence[OpenSpace] = (),
    hidden: Mapping[str, Sequence[str]] | None = None,
) -> Retrieved:
    """Return the hits of a question among items and messages, without duplicates, best first.

    `sources`, `time_filter` (`today`, `yesterday`, `last_week`, `last_month`, `last_3_months`,
    `last_6_months`) and `entity_filter` (ids or names) exclude, messages too; what the words of the
    question say of sources and time steers, as in any search. `include_episodic` looks through
    messages: of the last 10 sessions the last 20 by the design's formula where the scorer is
    `classic`, through the whole history else. Messages take 5 places of 10 from items at most; one
    that says no more than an item beside it, than another message or than the question is left
    out. Where the sources asked for have nothing, all sources are looked through by words alone.
    `notes` tell that, and what could not run. `shared` are asked besides the own space, and their
    hits compete for the same places; `hidden` are further ids to leave out, by the space.

    Raises:
        InvalidInput: An argument is out of range.
    """
    asked = Query(
        text=query,
        now=now,
        timezone=timezone,
        limit=limit,
        scorer=one_of(Scorer, scorer, field="scorer"),
        session_id=session_id,
        filter=filter_of(
            sources=sources,
            time_filter=time_filter,
            entity_filter=entity_filter,
            without_ids=without_ids,
            now=now,
            timezone=timezone,
        ),
    )
    HITS.check(limit, field="limit")
    spaces = (opened, *shared)
    found = _look(asked, spaces, hidden or {}, include_episodic=include_episodic)
    notes = list(found.notes)
    if not found.hits and asked.filter.sources:
        searched = ", ".join(asked.filter.sources)
        notes.append(f"nothing was found in {searched}; looked in all sources, by words alone")
        wider = replace(asked, mode=Mode.TEXT, filter=replace(asked.filter, sources=()))
        found = _look(wider, spaces, hidden or {}, include_episodic=include_episodic)
        notes += found.notes
    hits = _drop_repeats(found, asked, messages_max=_messages_max(found, asked))
    return Retrieved(
        hits=hits,
        entities=found.entities_among(hits),
        notes=tuple(dict.fromkeys(notes)),
    )


def filter_of(
    *,
    sources: Sequence[str],
    time_filter: str,
    entity_filter: Sequence[str] = (),
    without_ids: Sequence[str],
    now: datetime,
    timezone: str,
) -> Filter:
    """Return the filter of an assistant's own filter arguments.

    Raises:
        InvalidInput: No range of time has that name, or a list is no list.
    """
    since = until = None
    if time_filter:
        name = one_of(NamedTime, time_filter, field="time_filter")
        named = named_range(name, now=now, timezone=timezone)
        since, until = named.since, named.until
    return Filter(
        sources=tuple_of(str, sources, field="sources"),
        entities=tuple_of(str, entity_filter, field="entity_filter"),
        without_ids=tuple_of(str, without_ids, field="without_ids"),
        since=since, until=until,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The hits of one search: items and messages apart, each best first."""

    items: FoundInSpaces
    messages: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def result(self) -> SearchResult:
        """The search for items."""
        return self.items.whole

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All hits, best first, ties by space and id."""
        return tuple(best_first((*self.result.hits, *self.messages)))

    def entities_among(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Return a line for each known entity of the question, as these hits know it."""
        if not self.items.is_shared:
            return tuple(known_entities(replace(self.result, hits=tuple(hits))))
        return entities_of_each(
            (one.name, replace(result, hits=tuple(hit for hit in hits if hit.space == one.name)))
            for one, result in self.items.results
        )


def _look(
    asked: Query,
    spaces: Sequence[OpenSpace],
    hidden: Mapping[str, Sequence[str]],
    *,
    include_episodic: bool,
) -> _Found:
    """Search items and messages apart: a score does not depend on the filter (law 12).

    So a history of any length crowds out no item. Twice as many messages as are asked for: some
    repeat others.
    """
    kinds = replace(asked, filter=replace(asked.filter, kinds=_ITEMS))
    items = search_each(without_hidden(questions_to(kinds, spaces), hidden))
    if not include_episodic:
        return _Found(items=items, notes=items.whole.diagnostics.notes)
    messages = replace(
        asked,
        filter=replace(asked.filter, kinds=(Kind.MESSAGE,)),
        limit=min(2 * asked.limit, HITS.high),
    )
    said = search_each(without_hidden(questions_to(messages, spaces), hidden)).whole
    notes = (*items.whole.diagnostics.notes, *said.diagnostics.notes)
    return _Found(items=items, messages=said.hits, notes=tuple(dict.fromkeys(notes)))


def without_hidden(asked: Sequence[Asked], hidden: Mapping[str, Sequence[str]]) -> list[Asked]:
    """Return the questions with filters that leave out the hidden ids of each space."""
    if not hidden:
        return list(asked)
    return [(one, _without(query, hidden.get(one.name, ()))) for one, query in asked]


def _without(query: Query, ids: Sequence[str]) -> Query:
    if not ids:
        return query
    without = (*query.filter.without_ids, *ids)
    return replace(query, filter=replace(query.filter, without_ids=without))


def _messages_max(found: _Found, asked: Query) -> int:
    """Return the most messages among the hits; in `classic` a fixed number."""
    if asked.scorer is Scorer.CLASSIC:
        return EPISODIC_MAX
    return places_for_messages(asked.limit, items=len(found.result.hits))


def places_for_messages(places: int, *, items: int) -> int:
    """Return the number of places for messages: their share, and those that items leave."""
    return max(1, EPISODIC_OF_TEN * places // 10, places - items)


def _drop_repeats(found: _Found, asked: Query, *, messages_max: int) -> tuple[Hit, ...]:
    """Return the best hits, without messages that repeat another hit."""
    left_out: set[ItemKey] = set()
    while True:
        ranked = (hit for hit in found.hits if hit.key not in left_out)
        chosen = tuple(_choose(ranked, limit=asked.limit, messages_max=messages_max))
        repeats = _repeats(chosen, question=asked.text)
        if not repeats:
            return chosen
        left_out |= repeats


def _choose(ranked: Iterator[Hit], *, limit: int, messages_max: int) -> Iterator[Hit]:
    messages = taken = 0
    for hit in ranked:
        if taken == limit:
            return
        if hit.item.kind is Kind.MESSAGE:
            if messages == messages_max:
                continue
            messages += 1
        taken += 1
        yield hit


def _repeats(chosen: Sequence[Hit], *, question: str) -> set[ItemKey]:
    """Return the keys of messages whose words are in an item or in a better message.

    Or the question itself: that it was asked before answers nothing.
    """
    items = (hit for hit in chosen if hit.item.kind is not Kind.MESSAGE)
    messages = (hit for hit in chosen if hit.item.kind is Kind.MESSAGE)
    seen, repeats = DuplicateDetector(), set[ItemKey]()
    seen.add("question", question)
    for hit in chain(items, messages):
        text = hit.item.content or hit.item.title
        is_message = hit.item.kind is Kind.MESSAGE
        if is_message and seen.find_duplicate(text, likeness_min=LIKENESS_MIN):
            repeats.add(hit.key)
        else:
            seen.add(hit.id, text)
    return repeats
