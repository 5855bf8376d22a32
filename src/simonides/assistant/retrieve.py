"""Retrieval of items and conversations for one question.

The seed's `retrieve_with_memory`, mended: what is found is told once, and only as much as was
asked for. Knows in which order it is looked, and how messages share the places with items.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from simonides.assistant.preferences import preferences_now
from simonides.context.names import known_entities
from simonides.index.open_space import OpenSpace
from simonides.memories.preferences import SOURCE
from simonides.model.answer import Hit, Mode, Query, Scorer, SearchResult
from simonides.model.bounds import HITS
from simonides.model.chat import Retrieved
from simonides.model.coercion import one_of, tuple_of
from simonides.model.filter import Filter
from simonides.model.item import Kind
from simonides.model.query import NamedTime, named_range
from simonides.retrieval.search import search
from simonides.text.similarity import DuplicateDetector

EPISODIC_MAX = 3
"""Messages inside a `classic` retrieval at most (the seed's limit=3)."""

EPISODIC_OF_TEN = 5
"""Places of ten that messages take from items in any other (measured: how-to/sessions)."""

LIKENESS_MIN = 0.8
"""A message is not told beside an item that says so much of it (as in a brief: `likeness_max`)."""

_ITEMS = tuple(kind for kind in Kind if kind is not Kind.MESSAGE)


def retrieve(
    query: str,
    opened: OpenSpace,
    *,
    now: datetime,
    sources: Sequence[str] = (),
    without_ids: Sequence[str] = (),
    **how: Any,
) -> Retrieved:
    """Return the hits of `retrieve_with_memory` without preferences, which a prompt lists apart.

    They are found only where `preference` is among the sources.
    """
    hidden = () if SOURCE in sources else (one.id for one in preferences_now(opened))
    return retrieve_with_memory(
        query, opened, now=now, sources=sources, without_ids=(*without_ids, *hidden), **how
    )


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
) -> Retrieved:
    """Return the hits of a question among items and messages, without duplicates, best first.

    `sources`, `time_filter` (`today`, `yesterday`, `last_week`, `last_month`, `last_3_months`,
    `last_6_months`) and `entity_filter` (ids or names) exclude, messages too; what the words of the
    question say of sources and time steers, as in any search. `include_episodic` looks through
    messages: of the last 10 sessions the last 20 by the seed's formula where the scorer is
    `classic`, through the whole history else. Messages take 5 places of 10 from items at most; one
    that says no more than an item beside it, than another message or than the question is left
    out. Where the sources asked for have nothing, all sources are looked through by words alone.
    `notes` tell that, and what could not run.

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
    found = _look(asked, opened, include_episodic=include_episodic)
    notes = list(found.notes)
    if not found.hits and asked.filter.sources:
        told = ", ".join(asked.filter.sources)
        notes.append(f"nothing was found in {told}; looked in all sources, by words alone")
        wider = replace(asked, mode=Mode.TEXT, filter=replace(asked.filter, sources=()))
        found = _look(wider, opened, include_episodic=include_episodic)
        notes += found.notes
    hits = _shared(found, asked, messages_max=_messages_max(found, asked))
    return Retrieved(
        hits=hits,
        entities=tuple(known_entities(replace(found.result, hits=hits))),
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

    result: SearchResult
    messages: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All hits, best first, ties by id."""
        return tuple(sorted((*self.result.hits, *self.messages), key=_rank))


def _rank(hit: Hit) -> tuple[float, str]:
    return -hit.score, hit.id


def _look(asked: Query, opened: OpenSpace, *, include_episodic: bool) -> _Found:
    """Search items and messages apart: a score does not depend on the filter (law 12).

    So a history of any length crowds out no item. Twice as many messages as are asked for: some
    repeat others.
    """
    items = search(replace(asked, filter=replace(asked.filter, kinds=_ITEMS)), opened)
    if not include_episodic:
        return _Found(result=items, notes=items.diagnostics.notes)
    said = search(
        replace(
            asked,
            filter=replace(asked.filter, kinds=(Kind.MESSAGE,)),
            limit=min(2 * asked.limit, HITS.high),
        ),
        opened,
    )
    notes = (*items.diagnostics.notes, *said.diagnostics.notes)
    return _Found(result=items, messages=said.hits, notes=tuple(dict.fromkeys(notes)))


def _messages_max(found: _Found, asked: Query) -> int:
    """Return the most messages among the hits; in `classic` a fixed number."""
    if asked.scorer is Scorer.CLASSIC:
        return EPISODIC_MAX
    return places_for_messages(asked.limit, items=len(found.result.hits))


def places_for_messages(places: int, *, items: int) -> int:
    """Return the number of places for messages: their share, and those that items leave."""
    return max(1, EPISODIC_OF_TEN * places // 10, places - items)


def _shared(found: _Found, asked: Query, *, messages_max: int) -> tuple[Hit, ...]:
    """Return the best hits, without messages that repeat another hit."""
    left_out: set[str] = set()
    while True:
        ranked = (hit for hit in found.hits if hit.id not in left_out)
        chosen = tuple(_chosen(ranked, limit=asked.limit, messages_max=messages_max))
        repeats = _repeats(chosen, question=asked.text)
        if not repeats:
            return chosen
        left_out |= repeats


def _chosen(ranked: Iterator[Hit], *, limit: int, messages_max: int) -> Iterator[Hit]:
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


def _repeats(chosen: Sequence[Hit], *, question: str) -> set[str]:
    """Return the ids of messages whose words are in an item or in a better message.

    Or the question itself: that it was asked before answers nothing.
    """
    items = (hit for hit in chosen if hit.item.kind is not Kind.MESSAGE)
    messages = (hit for hit in chosen if hit.item.kind is Kind.MESSAGE)
    seen, repeats = DuplicateDetector(), set()
    seen.add("question", question)
    for hit in chain(items, messages):
        text = hit.item.content or hit.item.title
        is_message = hit.item.kind is Kind.MESSAGE
        if is_message and seen.find_duplicate(text, likeness_min=LIKENESS_MIN):
            repeats.add(hit.id)
        else:
            seen.add(hit.id, text)
    return repeats
