"""The agenda of a space: occurrences of its events, and its tasks that are due, between two times.

Must not know how rules are expanded, nor which metadata say when an event is.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, datetime, tzinfo
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.index.index_view import IndexView
from simonides.index.open_space import OpenSpace
from simonides.model.agenda import Agenda, AgendaEntry
from simonides.model.bounds import LIMIT
from simonides.model.coercion import cursor_of, place_of
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.agenda_entries import entry_of, with_history
from simonides.retrieval.event_times import DAY
from simonides.retrieval.looking import look
from simonides.retrieval.occurrences import STEPS_MAX, Between, due_tasks, occurring_events
from simonides.retrieval.plan import AsOf, check_as_of
from simonides.text.series import Expanded

WINDOW_DAYS_MAX = 366
"""Longest time that is asked for at once."""

ENTRIES_MAX = 10_000
"""Most entries of that time, those of whom the owner trusts most first; the others are counted."""

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
        InvalidInput: The limit or the cursor is malformed.
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
            notes=tuple(shown.describe()),
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
    left_out: int = 0

    def add(self, item: Item, begin: datetime, entry: AgendaEntry) -> None:
        if len(self.entries) >= ENTRIES_MAX:
            self.left_out += 1
            return
        self.entries.append(_Placed((microseconds(begin), item.id), entry, item))

    def describe(self) -> Iterator[str]:
        if self.left_out:
            yield f"{self.left_out:,} more entries are left out; ask for a shorter time"
        yield from self.notes[:NOTES_MAX]
        if len(self.notes) > NOTES_MAX:
            yield f"and {len(self.notes) - NOTES_MAX:,} more events that could not be read"


def _events(
    wanted: Filter, opened: OpenSpace, reader: Reader, view: IndexView, shown: _Shown
) -> None:
    """Add the occurrences of all events in the window."""
    here = shown.window.here
    for item, one, repeats in occurring_events(
        wanted, _between(opened, shown.window), reader=reader, view=view,
        owner=opened.settings.owner, note=shown.notes.append, steps_max=STEPS_MAX,
    ):  # fmt: skip
        begin = one.occurrence.begin(here)
        shown.add(item, begin, entry_of(item, one, here=here, repeats=repeats))


def _tasks(
    wanted: Filter, opened: OpenSpace, reader: Reader, view: IndexView, shown: _Shown
) -> None:
    """Add the tasks that are due in the window."""
    here = shown.window.here
    for item, at in due_tasks(wanted, _between(opened, shown.window), reader=reader, view=view):
        entry = entry_of(item, Expanded(occurrence=at), here=here, repeats=False)
        shown.add(item, at.begin(here), replace(entry, ends_at=""))


def _between(opened: OpenSpace, window: Window) -> Between:
    return Between(since=window.since, until=window.until, here=window.here, now=opened.now())
