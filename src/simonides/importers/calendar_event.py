"""Events of calendars as items: a series, a single event, or one changed instance of a series.

Must not know files.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from simonides.errors import InvalidInput
from simonides.importers.calendar_components import Component
from simonides.importers.calendar_entry import Entry, Setting
from simonides.importers.calendar_times import (
    Recurrence,
    When,
    days_of_duration,
    end_of,
    recurrence_of,
)
from simonides.importers.calendar_zones import UTC_NAMES, UTC_ZONE
from simonides.model.item import Item, Kind, Person, Role
from simonides.model.metadata_keys import TIME_ZONE_KEY
from simonides.text.recurrence import Rule
from simonides.text.recurrence_words import (
    day_in_words,
    join_words,
    rule_in_words,
    span_in_words,
    time_in_words,
)
from simonides.text.series import day_meant

DATES_SHOWN_MAX = 30
"""Most exceptions, and most further dates, that the content of a series names."""


def event_item(component: Component, setting: Setting) -> Item:
    """Return the item of an event.

    Raises:
        InvalidInput: It has no start, or a time that is none; says which.
    """
    entry = Entry(component, setting)
    event = _Event(entry)
    if event.start is None and not event.is_cancelled:
        raise InvalidInput("DTSTART", "is missing")
    begin = event.start or event.instead_of
    return Item(
        kind=Kind.EVENT,
        source=setting.source or "calendar",
        source_id=entry.source_id,
        title=entry.title,
        content="\n".join(event.content()),
        tags=entry.tags,
        people=tuple(event.people()),
        happened_at=entry.instant(begin) if begin else None,
        metadata={name: value for name, value in event.metadata().items() if value},
    )


class _Event:
    """An event, with its times read."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.start = entry.when("DTSTART")
        self.instead_of = entry.when("RECURRENCE-ID")
        self.end = end_of(entry.found, self.start, entry.zones) if self.start else None
        self.recurrence = (
            Recurrence() if self.instead_of else recurrence_of(entry.found, self.start, entry.zones)
        )
        self.status = entry.line("STATUS").lower()
        if entry.setting.method == "CANCEL":
            self.status = "cancelled"
        self.guests = entry.guests
        self.location = entry.line("LOCATION") or join_words(
            one.shown for one in self.guests if one.is_thing
        )

    @property
    def original(self) -> When | None:
        """When the instance that it changes was to be; a day where both are whole days."""
        named, start = self.instead_of, self.start
        return named.at_midnight_of(start) if named and start else named

    @property
    def is_cancelled(self) -> bool:
        return self.status == "cancelled"

    @property
    def is_of_all_after(self) -> bool:
        """Whether it changes all later instances too."""
        changed = self.entry.found.get("RECURRENCE-ID", [])
        return any(one.params.get("RANGE", "").upper() == "THISANDFUTURE" for one in changed)

    def people(self) -> Iterator[Person]:
        organizer = self.entry.organizer
        if organizer:
            yield organizer.person(Role.AUTHOR)
        for guest in self.guests:
            if not guest.is_thing and (not organizer or guest.shown != organizer.shown):
                yield guest.person(Role.ATTENDEE)

    def metadata(self) -> dict[str, Any]:
        entry, start = self.entry, self.start
        organizer, created = entry.organizer, entry.stamp("CREATED")
        zone = self._show(start).zone if start else None
        return {
            "starts_at": start.text if start else "",
            "ends_at": self._last(self.end).text if self.end else "",
            "all_day": bool(start and start.is_day),
            "location": self.location,
            "status": self.status,
            TIME_ZONE_KEY: zone.name if zone else "",
            "organizer": organizer.shown if organizer else "",
            "url": entry.line("URL"),
            "meeting_url": entry.meeting_url,
            "created_at": created.isoformat() if created else "",
            "_attendees": [
                {"name": one.name, "address": one.address, "answer": one.answer}
                for one in self.guests
                if not one.is_thing
            ],
            "_calendar": self._calendar,
            "_uid": entry.uid,
            "_recurrence": list(self.recurrence.lines),
            "_recurrence_problem": self.recurrence.problem,
            "_recurrence_id": self.original.text if self.original else "",
            "_duration_days": days_of_duration(entry.found) if self.recurrence.lines else 0,
            "_range": "this and future" if self.is_of_all_after else "",
            "_zone_rules": list(zone.rules) if zone else [],
            "_time_zone": "assumed UTC" if self._is_floating else "",
            "_sequence": entry.sequence,
            "_revised_at": entry.revised_at,
        }

    @property
    def _is_floating(self) -> bool:
        """Whether it starts by every clock in the world, none of which is known to be the own."""
        start = self.start
        return not (start is None or start.is_day or start.zone)

    @property
    def _calendar(self) -> str:
        named = self.entry.setting.calendar.get("X-WR-CALNAME", ())
        return named[0].line if named else ""

    def _show(self, when: When) -> When:
        """Return a time as it is shown; of a series as it is written, since it repeats so."""
        return when if self.recurrence.lines else self.entry.show(when)

    def _last(self, end: When) -> When:
        """Return the last day of a span of days, else the end itself."""
        return end.plus(timedelta(days=-1)) if end.is_day else end

    def content(self) -> Iterator[str]:
        """Yield the lines of the content."""
        yield from self._when_lines()
        if self.location:
            yield f"Where: {self.location}"
        organizer = self.entry.organizer
        if organizer:
            yield f"Organizer: {organizer.shown}"
        if guests := [
            _describe_answer(one.shown, one.answer) for one in self.guests if not one.is_thing
        ]:
            yield f"Attendees: {', '.join(guests)}"
        if self.entry.description:
            yield ""
            yield self.entry.description

    def _when_lines(self) -> Iterator[str]:
        span, before = self._span(), self.original and self._was(self.original)
        if self.is_cancelled:
            span = span or before or ""
            yield f"Cancelled; it was to be on {span}" if span else "Cancelled"
        elif span:
            yield f"When: {span}"
        if repeats := self._repeats():
            yield f"{'Repeated' if self.is_cancelled else 'Repeats'}: {repeats}"
        if before and self.is_of_all_after:
            yield f"Changed for good, from the one of {before} on"
        elif before and self._is_moved():
            yield f"Moved from {before}"
        if self.status == "tentative":
            yield "Tentative, not confirmed"

    def _span(self) -> str:
        if self.start is None or self.end is None:
            return ""
        start = self._show(self.start)
        end = self._last(self.end).by_clock_of(start)
        zone = start.zone.name if start.zone else ""
        if zone in UTC_NAMES:
            zone = "UTC"  # who has no other zone yet may have one when this is read
        elif zone == self.entry.setting.timezone:
            zone = ""  # "Europe/London" in every event would make all of them be of London
        return span_in_words(start.value, end.value, zone=zone)

    def _was(self, when: When) -> str:
        """Return another time of the event in words, by the clock that the event itself has."""
        return time_in_words(self._by_own_clock(when))

    def _by_own_clock(self, when: When) -> date:
        return when.by_clock_of(self._show(self.start)).value if self.start else when.value

    def _is_moved(self) -> bool:
        start, original = self.start, self.original
        if start is None or original is None:
            return False
        if start.is_day and original.zone is UTC_ZONE:
            return start.value != day_meant(original.value)
        return start.text != original.text

    def _repeats(self) -> str:
        found = self.recurrence
        if not (found.rules or found.further) or self.start is None:
            return ""
        begin = self.start.value
        parts = [rule_in_words(one, begin, last=self._last_day(one)) for one in found.rules]
        for words, days in (("also on", found.further), ("not on", found.without)):
            if days:
                parts.append(f"{words} {self._days(days)}")
        return "; ".join(parts)

    def _last_day(self, rule: Rule) -> date | None:
        """Return the day of a rule's end by the clock of the event."""
        return None if rule.until is None else self._by_own_clock(When(value=rule.until))

    def _days(self, days: tuple[When, ...]) -> str:
        by_time = sorted(days, key=lambda one: one.text)
        shown = [self._day(one) for one in by_time[:DATES_SHOWN_MAX]]
        rest = len(days) - len(shown)
        return join_words(shown) if not rest else f"{', '.join(shown)} and {rest:,} more"

    def _day(self, when: When) -> str:
        """Return an exception in words; its hour where that is not the series' own."""
        own, value = self.start and self.start.value, self._by_own_clock(when)
        if isinstance(own, datetime) and isinstance(value, datetime) and own.time() == value.time():
            return day_in_words(value)
        return time_in_words(value)


def _describe_answer(name: str, answer: str) -> str:
    return f"{name} ({answer})" if answer and answer != "needs-action" else name
