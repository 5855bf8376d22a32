"""What a question wants of the lanes of a store: its filter, and what its words steer to.

Names become entities here. What a database would compare by other rules than the engine (the letter
case of tags, values of metadata) is compared by the engine's, and becomes keys of items. Must not
know any store.
"""

from collections.abc import Container, Iterator
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import NamedTuple

from simonides.entities.directory import Names
from simonides.model.answer import Plan
from simonides.model.filter import (
    MISSING,
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Filter,
    Not,
    holds,
)
from simonides.model.item import Kind
from simonides.model.times import microseconds
from simonides.ports.lanes import Lanes, Wanted
from simonides.ports.space import Reader
from simonides.retrieval.asked_tasks import LISTS_OPEN
from simonides.retrieval.named_days import WITH_TIME
from simonides.text.unicode_version import fold_case


class _Set(NamedTuple):
    """Keys of items, or all but these."""

    keys: frozenset[int]
    inverted: bool = False

    def __invert__(self) -> "_Set":
        return _Set(self.keys, not self.inverted)

    def __and__(self, other: "_Set") -> "_Set":
        if self.inverted and other.inverted:
            return _Set(self.keys | other.keys, inverted=True)
        if self.inverted or other.inverted:
            own, less = (other, self) if self.inverted else (self, other)
            return _Set(own.keys - less.keys)
        return _Set(self.keys & other.keys)


def wanted_of(
    asked: Filter, *, now: datetime, names: Names, reader: Reader, lanes: Lanes
) -> Wanted:
    """Return the condition of a filter, in the form that a store takes."""
    mentioned = tuple(
        (part, tuple(sorted({entity for name in said for entity in names.matching(name)})))
        for part, said in (
            ("part", asked.people), ("author", asked.authors), ("any", asked.entities),
        )
        if said
    )  # fmt: skip
    sets = []
    if asked.tags:
        sets.append(_want_tags(asked.tags, lanes))
    if asked.where is not None:
        sets.append(_satisfying(asked.where, reader))
    return Wanted(
        filter=asked,
        now_us=microseconds(now),
        mentioned=mentioned,
        keys=tuple(tuple(sorted(one.keys)) for one in sets if not one.inverted),
        without_keys=tuple(sorted({key for one in sets if one.inverted for key in one.keys})),
    )


def _want_tags(tags: tuple[str, ...], lanes: Lanes) -> _Set:
    asked = {fold_case(tag) for tag in tags}
    found = (key for key, own in lanes.tags() if not asked.isdisjoint(map(fold_case, own)))
    return _Set(frozenset(found))


def _satisfying(condition: Condition, reader: Reader) -> _Set:
    match condition:
        case Compare(key=name):
            missing = holds(condition, MISSING)
            found = (
                k for k, value in reader.metadata(name, 0) if holds(condition, value) != missing
            )
            return _Set(frozenset(found), inverted=missing)
        case Not(part=part):
            return ~_satisfying(part, reader)
        case AllOf(parts=parts):
            every = _Set(frozenset(), inverted=True)
            return reduce(_Set.__and__, (_satisfying(one, reader) for one in parts), every)
        case AnyOf(parts=parts):
            every = _Set(frozenset(), inverted=True)
            return ~reduce(_Set.__and__, (~_satisfying(one, reader) for one in parts), every)


def list_steering(plan: Plan, wanted: Wanted, names: Names) -> Iterator[Wanted]:
    """Yield what fits each thing that a question names: people, sources or kinds, a time."""
    named = {*plan.people, *plan.owner, *plan.entities}
    if named:
        entities = {one for same in names.classes(named) for one in same}
        mention = ("any", tuple(sorted(entities)))
        yield replace(wanted, mentioned=(*wanted.mentioned, mention))
    if plan.sources or plan.kinds:
        yield replace(wanted, pointed=(plan.sources, plan.kinds))
    for time in filter(None, (plan.other_time, plan.time)):
        since_us, until_us = time.bounds_us
        yield replace(wanted, since_us=since_us, until_us=until_us)


def all_of(ways: list[Wanted], wanted: Wanted) -> Wanted:
    """Return the condition of all that a question names; of two times, the last one's."""
    for one in ways:
        wanted = replace(
            wanted,
            mentioned=tuple(dict.fromkeys((*wanted.mentioned, *one.mentioned))),
            pointed=one.pointed or wanted.pointed,
            since_us=wanted.since_us if one.since_us is None else one.since_us,
            until_us=wanted.until_us if one.until_us is None else one.until_us,
        )
    return wanted


def agenda(wanted: Wanted) -> Wanted:
    """Return the events and tasks among what is wanted."""
    return replace(wanted, pointed=((), (Kind.EVENT, Kind.TASK)))


def letters_of(people: tuple[str, ...], kinds: Container[str], wanted: Wanted) -> Iterator[Wanted]:
    """Yield the mails of people, and the messages, among what is wanted, if of these kinds."""
    if Kind.EMAIL in kinds:
        mentioned = (*wanted.mentioned, ("part", people))
        yield replace(wanted, pointed=((), (Kind.EMAIL,)), mentioned=mentioned)
    if Kind.MESSAGE in kinds:
        yield replace(wanted, pointed=((), (Kind.MESSAGE,)))


def without_times(wanted: Wanted, reader: Reader) -> Wanted:
    """Return the condition without the events and tasks that have times of their own."""
    timed = sorted(_satisfying(WITH_TIME, reader).keys)
    return replace(wanted, without_keys=(*wanted.without_keys, *timed))


def open_lists(wanted: Wanted, reader: Reader) -> Wanted | None:
    """Return the notes with empty check boxes among what is wanted; None where there are none."""
    keys = tuple(sorted(_satisfying(LISTS_OPEN, reader).keys))
    return replace(wanted, keys=(*wanted.keys, keys)) if keys else None
