"""When events take place and tasks are due between two times, recurrences expanded.

Must not know how rules are expanded, how an agenda is shown, nor what is searched.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simonides.errors import InvalidInput
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.filter import AnyOf, Compare, Filter, Operator
from simonides.model.item import Item
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.event_times import CHANGES, DAY, RECURS, changes_of, series_of, when_of
from simonides.text.recurrence import STEPS_MAX as SERIES_STEPS_MAX
from simonides.text.series import Expanded, Occurrence, Series, expanded

STEPS_MAX = 2_000_000
"""Days that the series of one question are looked through in all: about 3 s."""


class Occurring(NamedTuple):
    """One occurrence of an event, the item that tells of it, and whether it repeats."""

    item: Item
    one: Expanded
    repeats: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """Two times, [since, until), and the clock of days and of times that have none of their own.

    Of what is in the space, `now` leaves out what has expired, if given.
    """

    since: datetime
    until: datetime
    here: tzinfo
    now: datetime | None = None


def occurring_events(
    wanted: Filter,
    between: Between,
    *,
    reader: Reader,
    view: IndexView,
    note: Callable[[str], None] = lambda _: None,
    steps_max: int = STEPS_MAX,
) -> Iterator[Occurring]:
    """Yield the occurrences of all events that satisfy a filter between two times.

    `note` is told what could not be read of an event.
    """
    steps = iter(range(steps_max))
    for event, changes in _groups(_candidates(wanted, between, reader, view)):
        series = None if event is None else series_of(event)
        by_id = {one.id: one for one in changes}
        found = partial(
            expanded, changes=changes_of(changes), since=between.since, until=between.until,
            here=between.here, steps=islice(steps, SERIES_STEPS_MAX),
        )  # fmt: skip
        for one in _expanded(event, series, found, note):
            item = by_id[one.change.name] if one.change else event
            if item is not None:
                yield Occurring(item, one, series is not None and bool(series.lines))


def due_tasks(
    wanted: Filter, between: Between, *, reader: Reader, view: IndexView
) -> Iterator[tuple[Item, Occurrence]]:
    """Yield the tasks that satisfy a filter and are due between two times, with when they are."""
    here = between.here
    days = _day_before(between.since), _day_after(_day_after(between.until))
    low, high = (one.date().isoformat() for one in days)
    due = Filter(where={"due": {"gte": low, "lt": high}})
    mask = partial(mask_of, view=view, reader=reader)
    for item in _items(mask(wanted, now=between.now) & mask(due), reader, view):
        when = when_of(item, "due")
        if when is None:
            continue
        series = Series(start=when, length=timedelta() if isinstance(when, datetime) else DAY)
        at = series.at(series.wall(when), here)
        if at.overlaps(between.since, between.until, here):
            yield item, at


def _expanded(
    event: Item | None,
    series: Series | None,
    found: Callable[[Series | None], Iterable[Expanded]],
    note: Callable[[str], None],
) -> Sequence[Expanded]:
    """Return the occurrences of an event, and note what could not be read of it.

    Of a series that goes on too long, or that is malformed, only the first one counts.
    """
    problem = "" if event is None else str(event.metadata.get("_recurrence_problem", ""))
    try:
        made = list(found(series))
    except InvalidInput as error:
        made = list(found(None if series is None else replace(series, lines=())))
        problem = f"{error.problem}; only its first time is told"
    else:
        problem = problem if made else ""
    if problem and event is not None:
        note(f"{event.title!r}: {problem}")
    return made


def _candidates(
    wanted: Filter, between: Between, reader: Reader, view: IndexView
) -> Iterable[Item]:
    """Return the events that may lie between the times, all series, and all changes of these."""
    mask = partial(mask_of, view=view, reader=reader)
    low, high = _day_before(between.since), _day_after(between.until)
    happened = view.items.happened.rows(view.item_count)
    ends_later = Compare(key="ends_at", operator=Operator.GTE, value=low.date().isoformat())
    recurs, changes = (
        Compare(key=key, operator=Operator.EXISTS, value=True) for key in (RECURS, CHANGES)
    )
    late_enough = mask(Filter(where=AnyOf(parts=(ends_later, recurs))))
    late_enough |= happened >= microseconds(low)
    early_enough = happened < microseconds(high)
    found = mask(wanted, now=between.now) & (
        (late_enough & early_enough) | mask(Filter(where=changes))
    )
    return _items(found, reader, view)


def _items(found: npt.NDArray[np.bool_], reader: Reader, view: IndexView) -> Iterable[Item]:
    keys = [int(key) for key in view.items.keys.rows(view.item_count)[found]]
    return reader.items(keys).values()


def _day_before(when: datetime) -> datetime:
    return when.astimezone(UTC) - DAY if when.year > 1 else when


def _day_after(when: datetime) -> datetime:
    return when.astimezone(UTC) + DAY if when.year < MAXYEAR else when


def _groups(items: Iterable[Item]) -> Iterator[tuple[Item | None, list[Item]]]:
    """Yield each event with the changes of its instances; None where only these are kept."""
    events: dict[tuple[str, str], Item | None] = {}
    changes: dict[tuple[str, str], list[Item]] = {}
    for one in items:
        name = (one.source, str(one.metadata.get("_uid") or one.id))
        if CHANGES in one.metadata:
            events.setdefault(name, None)
            changes.setdefault(name, []).append(one)
        else:
            events[name] = one
    for name, event in events.items():
        yield event, changes.get(name, [])
