"""When events take place and tasks are due between two times, recurrences expanded.

Must not know how rules are expanded, how an agenda is shown, nor what is searched.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from itertools import count, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simonides.errors import InvalidInput
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.event_makers import addresses, is_of_another, senders
from simonides.model.filter import AnyOf, Compare, Filter, Operator
from simonides.model.item import TRUST_RANKS, Item, Trust
from simonides.model.metadata_keys import SENT_BY_KEY
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.event_times import (
    CHANGES,
    DAY,
    RECURS,
    RuledZone,
    changes_of,
    clock_of,
    known_clock_of,
    ruled_zone_of,
    series_of,
    when_of,
)
from simonides.retrieval.trust import TrustResolver
from simonides.text.observed_zone import is_repeated
from simonides.text.recurrence import STEPS_MAX as SERIES_STEPS_MAX
from simonides.text.series import Expanded, Occurrence, Series, SeriesChange, expand_series

STEPS_MAX = 2_000_000
"""Days that the series of one question are looked through in all: about 3 s."""

SENDER_STEPS_MAX = STEPS_MAX // 10
"""Days among them for the invitations of one sender other than the owner."""

ZONE_RULE_STEPS = 700
"""Days that a rule of a zone counts as, where a calendar defines it: reading it takes as long."""

SENDER_ENTRIES_MIN, SENDER_ENTRIES_A_DAY = 50, 20
"""Occurrences of the invitations of one sender that are yielded: so many a day, at least the first.

Nobody invites to more; who sends a calendar of every hour does not take the day of the user.
"""

EXPANSIONS_MAX = 10_000
"""Expansions that are kept, so that a day's questions expand each series once."""


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
    owner: tuple[str, ...] = (),
    note: Callable[[str], None] = lambda _: None,
    steps_max: int = STEPS_MAX,
) -> Iterator[Occurring]:
    """Yield the occurrences of all events that satisfy a filter between two times.

    Those of whom the `owner` trusts most come first; of others, each sender has a share. `note` is
    given what could not be read of an event, and what was left out.
    """
    trusting = TrustResolver.for_view(view, owner)
    shares = _Shares(between=between, steps=steps_max)
    groups = [
        _Group.of(*one, trusting) for one in _groups(_candidates(wanted, between, reader, view))
    ]
    for group in sorted(groups, key=lambda one: TRUST_RANKS[one.trust]):
        times = _Times.of(group, shares)
        for one in _expand_event(times, between, shares, note):
            item = times.changed[int(one.change.name)] if one.change else group.event
            if item is not None and shares.take_entry(group.sender):
                yield Occurring(item, one, times.repeats)
    for sender, left_out in shares.left_out.items():
        note(f"{left_out:,} more occurrences of what {sender!r} sent are left out")


def due_tasks(
    wanted: Filter, between: Between, *, reader: Reader, view: IndexView, key: str = "due"
) -> Iterator[tuple[Item, Occurrence]]:
    """Yield the tasks that satisfy a filter and are due between two times, with when they are.

    Another `key` of their metadata says when else: "completed_at".
    """
    here = between.here
    days = _day_before(between.since), _day_after(_day_after(between.until))
    low, high = (one.date().isoformat() for one in days)
    due = Filter(where={key: {"gte": low, "lt": high}})
    mask = partial(mask_of, view=view, reader=reader)
    for item in _items(mask(wanted, now=between.now) & mask(due), reader, view):
        when = when_of(item, key, known_clock_of)
        if when is None:
            continue
        series = Series(start=when, length=timedelta() if isinstance(when, datetime) else DAY)
        at = series.at(series.wall(when), here)
        if at.overlaps(between.since, between.until, here):
            yield item, at


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """An event with the changes of its instances, and whose it is.

    `sender` mailed it and is not the owner; empty for what stands in a calendar of the user's.
    """

    event: Item | None
    changed: Sequence[Item]
    trust: Trust
    sender: str

    @classmethod
    def of(cls, event: Item | None, changed: Sequence[Item], trusting: TrustResolver) -> "_Group":
        whose = changed[0] if event is None else event
        trust, sent = trusting.of(whose), whose.metadata.get(SENT_BY_KEY)
        sender = "" if sent is None or trust is Trust.OWN else _sender_name(sent)
        return cls(event=event, changed=changed, trust=trust, sender=sender)


def _sender_name(sent: object) -> str:
    named = ", ".join(map(str, sent)) if isinstance(sent, list | tuple) else ""
    return named or "an unknown sender"


@dataclass(slots=True, kw_only=True)
class _Shares:
    """What is left of the steps of one question, and of the share of each sender."""

    between: Between
    steps: int
    left_out: Counter[str] = field(default_factory=Counter)
    _zones: dict[RuledZone, tzinfo] = field(default_factory=dict)
    _steps: Counter[str] = field(default_factory=Counter)
    _entries: Counter[str] = field(default_factory=Counter)

    def may_expand(self, sender: str) -> bool:
        """Return whether any steps are left."""
        return self.steps > 0 and not (sender and self._steps[sender] >= SENDER_STEPS_MAX)

    def take_steps(self, sender: str, count: int) -> None:
        """Take the steps of a series off what is left."""
        self.steps -= count
        self._steps[sender] += count

    def clock(self, item: Item, sender: str) -> tzinfo | None:
        """Return the clock of an item; None where no rules of zones may be read any more.

        The rules of a zone are read, and counted, once.
        """
        zone = ruled_zone_of(item)
        if zone is None:
            return clock_of(item)
        if zone not in self._zones and self.may_expand(sender):
            self.take_steps(sender, ZONE_RULE_STEPS * sum(map(is_repeated, zone[1])))
            self._zones[zone] = clock_of(item)
        return self._zones.get(zone)

    def take_entry(self, sender: str) -> bool:
        """Return whether one more occurrence of a sender's is yielded."""
        days = (self.between.until - self.between.since) / DAY
        self._entries[sender] += 1
        if sender and self._entries[sender] > max(SENDER_ENTRIES_MIN, SENDER_ENTRIES_A_DAY * days):
            self.left_out[sender] += 1
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Times:
    """When an event of a group takes place, with the changes of its instances.

    `changes` are named by their places in `changed`, so that what is kept of them names no item.
    It `is_exact` unless the rules of its zone were not read: then only its first time is.
    """

    group: _Group
    series: Series | None
    changes: tuple[SeriesChange, ...]
    changed: Sequence[Item]
    is_exact: bool

    @classmethod
    def of(cls, group: _Group, shares: _Shares) -> "_Times":
        clock = partial(shares.clock, sender=group.sender)
        by_id = {one.id: one for one in group.changed}
        changes = changes_of(group.changed, clock, group.event)
        return cls(
            group=group,
            series=None if group.event is None else series_of(group.event, clock),
            changes=tuple(replace(one, name=str(n)) for n, one in enumerate(changes)),
            changed=[by_id[one.name] for one in changes],
            is_exact=group.event is None or clock(group.event) is not None,
        )

    @property
    def repeats(self) -> bool:
        return self.series is not None and bool(self.series.lines)


def _expand_event(
    times: _Times, between: Between, shares: _Shares, note: Callable[[str], None]
) -> Sequence[Expanded]:
    """Return the occurrences of an event, and note what could not be read of it.

    Of a series that goes on too long, or that is malformed, only the first one counts.
    """
    event, series, sender = times.group.event, times.series, times.group.sender
    first = None if series is None else replace(series, lines=())
    problem = "" if event is None else str(event.metadata.get("_recurrence_problem", ""))
    expand = partial(_expand_days, changes=times.changes, between=between)
    if shares.may_expand(sender) and (times.is_exact or not times.repeats):
        made, steps, failure = expand(series)
        shares.take_steps(sender, steps)
    else:
        made, failure = (), "there are too many series"
    if failure:
        made, _, _ = expand(first)
        problem = f"{failure}; only its first time is listed"
    elif not made:
        problem = ""
    if problem and event is not None:
        note(f"{event.title!r}: {problem}")
    return made


def _expand_days(
    series: Series | None, *, changes: tuple[SeriesChange, ...], between: Between
) -> tuple[Sequence[Expanded], int, str]:
    """Return occurrences between two times, the steps that it took, and why there are none.

    The whole days of these times are expanded: whoever asks again that day has them already.
    """
    here = between.here
    low, high = _midnight(between.since, here), _midnight(_day_after(between.until), here)
    found, steps, failure = _expand(
        series, changes, low, max(high, between.until), here, _clocks(series, changes)
    )
    within = [one for one in found if one.occurrence.overlaps(between.since, between.until, here)]
    return within, steps, failure


def _midnight(when: datetime, here: tzinfo) -> datetime:
    return when.astimezone(here).replace(hour=0, minute=0, second=0, microsecond=0)


def _clocks(series: Series | None, changes: tuple[SeriesChange, ...]) -> tuple[tzinfo | None, ...]:
    """Return the clocks of all times: two at one instant are equal, whatever their clocks are."""
    times = [] if series is None else [series.start]
    times += [when for one in changes for when in (one.original, one.start)]
    return tuple(when.tzinfo if isinstance(when, datetime) else None for when in times)


@lru_cache(maxsize=EXPANSIONS_MAX)
def _expand(
    series: Series | None,
    changes: tuple[SeriesChange, ...],
    since: datetime,
    until: datetime,
    here: tzinfo,
    _of_clocks: tuple[tzinfo | None, ...],
) -> tuple[tuple[Expanded, ...], int, str]:
    counted = count()
    steps = islice(counted, SERIES_STEPS_MAX)
    try:
        made = tuple(
            expand_series(series, changes, since=since, until=until, here=here, steps=steps)
        )
    except InvalidInput as error:
        return (), next(counted), error.problem
    return made, next(counted), ""


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
    """Yield each event with the changes of its instances; None where only these are kept.

    What somebody mailed of an event of others changes nothing of it: it may have come before it.
    """
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
        changed = changes.get(name, [])
        foreign = [one for one in changed if _is_of_another(one, event)]
        yield event, [one for one in changed if one not in foreign]
        if foreign:
            yield None, foreign


def _is_of_another(change: Item, event: Item | None) -> bool:
    return event is not None and is_of_another(senders(change), addresses(event))
