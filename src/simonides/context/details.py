"""What an item of each kind says of itself beside its title: the one rule of all interfaces.

A task says its key, status, assignee and due date, an event when, where and with whom, a page of a
document its number, a mail to whom it went. Every text is data: it is shown as a name is, so that
it cannot pass for a mark of the line it stands in. Must not know layouts.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import NamedTuple

from simonides.context import names
from simonides.model.answer import Hit
from simonides.model.item import QUOTED_SOURCE, Item, Kind, Person, Role
from simonides.model.metadata_keys import ATTACHED_KEY, DRAFT_TAG, TIME_ZONE_KEY
from simonides.model.times import in_zone
from simonides.text.recurrence_words import day_in_words
from simonides.text.word_patterns import lazy_pattern

PEOPLE_MAX = 3
"""People of one role that are named; of more their number is said."""

_TIME = lazy_pattern(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?")


class Detail(NamedTuple):
    """A short text, and the words that say the same where all of them stand in a text."""

    text: str
    same: Sequence[str] = ()

    def is_said_in(self, words: str) -> bool:
        """Return whether a text says it already, in whole words."""
        return bool(self.same) and all(
            re.search(rf"(?<!\w){re.escape(one)}(?!\w)", words) for one in self.same
        )


Shared = frozenset[str]
"""The skeletons of names that several people bear: beside these their addresses are shown."""


def details_of(item: Item, *, beside: str = "", shared: Shared = frozenset()) -> tuple[str, ...]:
    """Return short texts about an item, safe on a line of a layout; empty where nothing is said.

    What the words that stand `beside` them say as well is left out. Whose name is `shared` is
    named with the address.
    """
    make = _BY_KIND.get(item.kind)
    said = () if make is None else make(item, shared)
    fresh = (one.text for one in said if not one.is_said_in(beside))
    return (*notes_of(item), *filter(None, fresh))


def notes_of(item: Item) -> list[str]:
    """Return the notes that an item has wherever it is shown: who sent it, that it is a draft."""
    sender = _say_sender(item) if ATTACHED_KEY in item.metadata else ""
    is_draft = item.kind is Kind.EMAIL and DRAFT_TAG in item.tags
    return [*filter(None, (sender, "draft, not sent" if is_draft else ""))]


def people_shown(item: Item) -> list[Person]:
    """Return whom a line of an item may name: its author, and the people of its details."""
    role, author = _NAMED.get(item.kind), item.author
    named = [one for one in item.people if one.role is role][:PEOPLE_MAX]
    return named if author is None else [author, *named]


_NAMED = {Kind.EMAIL: Role.TO, Kind.TASK: Role.ASSIGNEE, Kind.EVENT: Role.ATTENDEE}


def about_hit(hit: Hit, day: Callable[[datetime], str], *, beside: str = "") -> tuple[str, ...]:
    """Return when a hit takes place, its item's details, and what it replaces or is replaced by.

    Details that the words `beside` them say as well are left out.
    """
    occurs = (occurrence_mark(hit.takes_place_at, day),) if hit.takes_place_at else ()
    return (*occurs, *details_of(hit.item, beside=beside), *replacements_of(hit, day))


def occurrence_mark(takes_place_at: datetime, day: Callable[[datetime], str]) -> str:
    """Return `takes place Tue 30 Jun` for an event of a series, with the day as `day` writes it."""
    return f"takes place {day(takes_place_at)}"


def clock_of(event: Item, when: datetime, timezone: str) -> str:
    """Return ` 19:00`: the time of an event in the user's zone, if its text may not say it there.

    Empty for whole days, and for an import in that zone, whose text says when.
    """
    about = event.metadata
    starts = about.get("starts_at")
    is_day = isinstance(starts, str) and "T" not in starts
    if is_day or about.get("all_day") is True or (starts and about.get(TIME_ZONE_KEY) == timezone):
        return ""
    try:
        clock = f"{in_zone(when, timezone):%H:%M}"
    except OverflowError:  # the first and last days that exist
        return ""
    return "" if clock == "00:00" else f" {clock}"


def replacements_of(hit: Hit, day: Callable[[datetime], str]) -> Iterator[str]:
    """Yield what a hit is replaced by and what it replaces, as `replacement_marks` says it."""
    replaced_on = hit.replaced_by.happened_at if hit.replaced_by else None
    yield from replacement_marks([one.happened_at for one in hit.replaces], replaced_on, day)


REPLACED_MAX = 3
"""Days of replaced items that are named, the latest."""


def replacement_marks(
    replaces: Sequence[datetime], replaced_on: datetime | None, day: Callable[[datetime], str]
) -> Iterator[str]:
    """Yield `replaced on 4 Mar` and `replaces what 10 Feb said`, with days as `day` writes them."""
    if replaced_on is not None:
        yield f"replaced on {day(replaced_on)}"
    if replaces:
        days = dict.fromkeys(map(day, sorted(replaces)[-REPLACED_MAX:]))
        yield f"replaces what {', '.join(days)} said"


_UNSIGNED = frozenset({Kind.MEMORY, Kind.TASK})
"""The kinds whose author no line names."""


def _say_sender(item: Item) -> str:
    """Return `sent by zed@x.example` where somebody else sent what an author is named for.

    Of a quote it is who quoted: what is quoted may never have been said.
    """
    sender, author = names.sender_of(item), item.author
    is_quote = item.source == QUOTED_SOURCE
    is_shown = sender == author and item.kind not in _UNSIGNED
    if sender is None or (is_shown and not is_quote):
        return ""
    done = "quoted" if is_quote else "sent"
    return f"{done} by {names.address(sender.address) or names.name(sender.name)}"


def _of_mail(item: Item, shared: Shared) -> Iterator[Detail]:
    yield Detail(_people(item, Role.TO, shared, before="to "))


def _of_task(item: Item, shared: Shared) -> Iterator[Detail]:
    key, status = _text(item, "key"), _text(item, "status")
    yield Detail(key if key != names.name(item.title) else "")
    yield Detail(status, [status])
    priority, kept = _text(item, "priority"), _text(item, "assignee")
    yield Detail(f"priority {priority}" if priority else "")
    assigned = _people(item, Role.ASSIGNEE, shared, before="assigned to ")
    yield Detail(assigned or (f"assigned to {kept}" if kept else ""))
    due = _moment(item, "due")
    yield Detail(f"due {due}" if due else "", _in_words(due))


def _of_event(item: Item, shared: Shared) -> Iterator[Detail]:
    start, end = _moment(item, "starts_at"), _moment(item, "ends_at")
    yield Detail(_when(item), [*_in_words(start), *_in_words(end)[1:]])
    where, status = _text(item, "location"), _text(item, "status")
    yield Detail(f"in {where}" if where else "", [where])
    guests = [one for one in item.people if one.role is Role.ATTENDEE][:PEOPLE_MAX]
    said = [one.address if names.name_skeleton(one.name) in shared else one.name for one in guests]
    yield Detail(_people(item, Role.ATTENDEE, shared, before="with "), said)
    yield Detail(status if status != "confirmed" else "")


def _in_words(moment: str) -> list[str]:
    """Return the words that say a time as the text of an event does: its day, its clock time."""
    day, _, time = moment.partition(" ")
    try:
        return [day_in_words(date.fromisoformat(day)), *filter(None, [time])]
    except ValueError:  # none, or no day of the calendar
        return []


def _of_document(item: Item, _: Shared) -> Iterator[Detail]:
    page, pages = item.metadata.get("page"), item.metadata.get("pages")
    if _is_number(page):
        yield Detail(f"page {page} of {pages}" if _is_number(pages) else f"page {page}")
    sheet = _text(item, "sheet")
    yield Detail(f"sheet {sheet}" if sheet else "")


_BY_KIND = {
    Kind.EMAIL: _of_mail,
    Kind.TASK: _of_task,
    Kind.EVENT: _of_event,
    Kind.DOCUMENT: _of_document,
}


def _when(item: Item) -> str:
    """Return `2026-03-06 10:00 to 11:00 Europe/Vienna`, in the event's own zone."""
    start, end = _moment(item, "starts_at"), _moment(item, "ends_at")
    if not start:
        return ""
    last = end.removeprefix(f"{start[:10]} ")
    until = f" to {last}" if end and end != start else ""
    zone = "" if item.metadata.get("all_day") is True else _text(item, TIME_ZONE_KEY)
    return f"{start}{until} {zone}".rstrip()


def _moment(item: Item, name: str) -> str:
    """Return a day, with its time if it has one; empty where the metadata has no such time.

    A time with an offset is shown in the zone of the item, or else in its own.
    """
    value = item.metadata.get(name)
    if not (isinstance(value, str) and (found := _TIME.match(value))):
        return ""
    day, time = found.groups()
    return _in_zone(value, item.metadata.get(TIME_ZONE_KEY)) or f"{day} {time or ''}".rstrip()


def _in_zone(value: str, zone: object) -> str:
    """Return a time in this zone; empty for a day, a time without an offset or an unknown zone."""
    try:
        when = datetime.fromisoformat(value)
        if when.tzinfo is None or not isinstance(zone, str) or not zone:
            return ""
        return f"{in_zone(when, zone):%Y-%m-%d %H:%M}"
    except (ValueError, KeyError, OSError, OverflowError):
        return ""


def _text(item: Item, name: str) -> str:
    value = item.metadata.get(name)
    return names.name(value) if isinstance(value, str) else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _people(item: Item, role: Role, shared: Shared, *, before: str) -> str:
    people = [one for one in item.people if one.role is role]
    named = (names.person_among(one, shared) for one in people[:PEOPLE_MAX])
    shown: Sequence[str] = [*filter(None, named)]
    if not shown:
        return ""
    more = f" and {len(people) - PEOPLE_MAX} more" if len(people) > PEOPLE_MAX else ""
    return f"{before}{', '.join(shown)}{more}"
