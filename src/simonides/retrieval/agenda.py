"""The agenda of a space: occurrences of its events, and its tasks that are due, between two times.

Must not know how rules are expanded, nor which metadata say when an event is.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo
from functools import partial
from itertools import islice
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from simonides.errors import InvalidInput
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.model.agenda import Agenda, AgendaEntry
from simonides.model.bounds import LIMIT
from simonides.model.coercion import cursor_of, place_of
from simonides.model.filter import AnyOf, Compare, Filter, Operator
from simonides.model.item import Item, Kind
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.agenda_entries import entry_of, with_history
from simonides.retrieval.event_times import CHANGES, DAY, RECURS, changes_of, series_of, when_of
from simonides.retrieval.plan import AsOf, check_as_of
from simonides.retrieval.search import look
from simonides.text.recurrence import STEPS_MAX as SERIES_STEPS_MAX
from simonides.text.series import Change, Expanded, Series, expanded

WINDOW_DAYS_MAX = 366
"""Longest time that is asked for at once."""

ENTRIES_MAX = 10_000
"""Most entries of that time; more are refused, so that one calendar cannot take all memory."""

STEPS_MAX = 2_000_000
"""Days that the series of one agenda are looked through in all: about 3 s."""

NOTES_MAX = 20
"""Most notes; the last one says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time that is asked for, [since, until), and the zone in which it is shown."""

    since: datetime
    until: datetime
    timezone: str

    def __post_init__(self) -> None:
        for name, when in (("since", self.since), ("until", self.until)):
            if not 1 < when.year < MAXYEAR:
                raise InvalidInput(name, f"must lie in the years 2 to {MAXYEAR - 1}")
        if self.until <= self.since:
            raise InvalidInput("until", f"must come after since, {self.since.isoformat()}")
        if self.until - self.since > WINDOW_DAYS_MAX * DAY:
            problem = f"is more than {WINDOW_DAYS_MAX} days after since; ask for a shorter time"
            raise InvalidInput("until", problem)

    @property
    def here(self) -> tzinfo:
        """The clock of the zone."""
        return ZoneInfo(self.timezone)


def agenda(
    wanted: Filter,
    opened: OpenSpace,
    *,
    window: Window,
    limit: int,
    cursor: str = "",
    as_of: AsOf = None,
) -> Agenda:
    """Return one page of what takes place and is due in the window, by time, then id.

    Raises:
        InvalidInput: The limit or the cursor is malformed, or there are too many entries.
        HistoryGone: The state that is asked for was compacted away.
    """
    check_as_of(as_of)
    LIMIT.check(limit, field="limit")
    after = place_of(cursor, int, str)
    space = opened.find_of_any_embedder()
    answer = partial(Agenda, since=window.since, until=window.until, timezone=window.timezone)
    if space is None:
        return answer(entries=())
    with look(space, opened.home.index(space), as_of=as_of) as (reader, view):
        shown = _Shown(window=window)
        for kind, find in ((Kind.EVENT, _events), (Kind.TASK, _tasks)):
            if not wanted.kinds or kind in wanted.kinds:
                find(replace(wanted, kinds=(kind,)), opened, reader, view, shown)
        entries = sorted(shown.entries, key=lambda one: one.place)
        start = 0 if after is None else bisect_right(entries, after, key=lambda one: one.place)
        page = entries[start : start + limit]
        more = len(entries) > start + limit
        return answer(
            entries=tuple(with_history(one.entry, one.item, reader, window.here) for one in page),
            cursor=cursor_of(*page[-1].place) if more else "",
            notes=tuple(shown.told()),
        )


class _Placed(NamedTuple):
    """An entry with its place in the order, and the item that it tells of."""

    place: tuple[int, str]
    entry: AgendaEntry
    item: Item


@dataclass(slots=True, kw_only=True)
class _Shown:
    """The entries so far, and what is to be said of them."""

    window: Window
    entries: list[_Placed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, item: Item, begin: datetime, entry: AgendaEntry) -> None:
        if len(self.entries) >= ENTRIES_MAX:
            problem = f"there are more than {ENTRIES_MAX:,} entries until then; ask for less"
            raise InvalidInput("until", problem)
        self.entries.append(_Placed((microseconds(begin), item.id), entry, item))

    def told(self) -> Iterator[str]:
        yield from self.notes[:NOTES_MAX]
        if len(self.notes) > NOTES_MAX:
            yield f"and {len(self.notes) - NOTES_MAX:,} more events that could not be read"


# ── events ────────────────────────────────────────────────────────────────────────────────────


def _events(
    wanted: Filter, opened: OpenSpace, reader: Reader, view: IndexView, shown: _Shown
) -> None:
    """Add the occurrences of all events in the window."""
    here, steps = shown.window.here, iter(range(STEPS_MAX))
    for event, changes in _groups(_candidates(wanted, opened, reader, view, shown.window)):
        series = None if event is None else series_of(event)
        by_id = {one.id: one for one in changes}
        for one in _expanded(event, series, changes_of(changes), shown, steps):
            item = by_id[one.change.name] if one.change else event
            if item is not None:
                repeats = series is not None and bool(series.lines)
                begin = one.occurrence.begin(here)
                shown.add(item, begin, entry_of(item, one, here=here, repeats=repeats))


def _expanded(
    event: Item | None,
    series: Series | None,
    changes: Sequence[Change],
    shown: _Shown,
    steps: Iterator[int],
) -> Sequence[Expanded]:
    """Return the occurrences of an event in the window, and note what could not be read of it.

    Of a series that goes on too long, or that is malformed, only the first one counts.
    """
    window = shown.window
    found = partial(
        expanded, changes=changes, since=window.since, until=window.until, here=window.here,
        steps=islice(steps, SERIES_STEPS_MAX),
    )  # fmt: skip
    problem = "" if event is None else str(event.metadata.get("_recurrence_problem", ""))
    try:
        made = list(found(series))
    except InvalidInput as error:
        made = list(found(None if series is None else replace(series, lines=())))
        problem = f"{error.problem}; only its first time is told"
    else:
        problem = problem if made else ""
    if problem and event is not None:
        shown.notes.append(f"{event.title!r}: {problem}")
    return made


def _candidates(
    wanted: Filter, opened: OpenSpace, reader: Reader, view: IndexView, window: Window
) -> Iterable[Item]:
    """Return the events that may lie in the window, all series, and all changes of these."""
    mask = partial(mask_of, view=view, reader=reader)
    low, high = _day_before(window.since), _day_after(window.until)
    happened = view.items.happened.rows(view.item_count)
    ends_later = Compare(key="ends_at", operator=Operator.GTE, value=low.date().isoformat())
    recurs, changes = (
        Compare(key=key, operator=Operator.EXISTS, value=True) for key in (RECURS, CHANGES)
    )
    late_enough = mask(Filter(where=AnyOf(parts=(ends_later, recurs))))
    late_enough |= happened >= microseconds(low)
    early_enough = happened < microseconds(high)
    found = mask(wanted, now=opened.now()) & (
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


# ── tasks ─────────────────────────────────────────────────────────────────────────────────────


def _tasks(
    wanted: Filter, opened: OpenSpace, reader: Reader, view: IndexView, shown: _Shown
) -> None:
    """Add the tasks that are due in the window."""
    window, here = shown.window, shown.window.here
    days = _day_before(window.since), _day_after(_day_after(window.until))
    low, high = (one.date().isoformat() for one in days)
    due = Filter(where={"due": {"gte": low, "lt": high}})
    mask = partial(mask_of, view=view, reader=reader)
    for item in _items(mask(wanted, now=opened.now()) & mask(due), reader, view):
        when = when_of(item, "due")
        if when is None:
            continue
        series = Series(start=when, length=timedelta() if isinstance(when, datetime) else DAY)
        at = series.at(series.wall(when), here)
        if at.overlaps(window.since, window.until, here):
            entry = entry_of(item, Expanded(occurrence=at), here=here, repeats=False)
            shown.add(item, at.begin(here), replace(entry, ends_at=""))
