"""What the entries of calendars have in common: their name, people, times and revisions.

Knows the properties of RFC 5545 that events, tasks and journal entries share. Must not know how
an entry becomes an item.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from itertools import islice

from simonides.errors import InvalidInput
from simonides.importers.calendar_components import Component, Properties, Property
from simonides.importers.calendar_times import When, when_of
from simonides.importers.calendar_zones import UTC_ZONE, Zone, Zones, find_shown_zone, find_zone
from simonides.importers.event_states import NO_TITLE
from simonides.importers.file_item import by_own_clock
from simonides.importers.header import PEOPLE_MAX
from simonides.model.item import Person, Role, short_hash
from simonides.text.clean import from_html

TITLE_CHARS_MAX = 500
"""Longest title; a longer summary is cut."""

UID_CHARS_MAX = 1_000
"""Longest UID that is kept as it is; a longer one is kept as its hash."""

TAGS_MAX = 100
"""Most categories of one entry."""

SEQUENCE_MAX = 499_999
"""Highest sequence number that counts: twice it stands in the microseconds of a revision."""

INVITING = ("REQUEST", "CANCEL", "ADD")
"""Methods of messages that tell others of an event. Of one revision the calendar's own state is the
later one: it has the answers."""

_HTML = re.compile(
    r"<(?:p|br|a|b|i|u|ul|ol|li|div|span|html|body|table|h[1-6])\b[^<>]{0,500}>", re.IGNORECASE
)
_MEETING_LINKS = ("CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL")
_NAME = re.compile(r"[^\s@:=/][^@:=/]{0,299}")
"""A person who is named where the standard wants an address."""
_PARAGRAPHS = {"DESCRIPTION": "", "COMMENT": "", "CONTACT": "Contact: ", "RESOURCES": "Resources: "}
"""What is said about an entry in words, in the order it is shown, and how it is announced."""
_ADDRESS = re.compile(r"(?:mailto:)?([^\s:<>@]{1,300}@[^\s:<>@]{1,300})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What an entry is read in: the zones, the calendar around it, and the mail it came in.

    `source` overrides the source of the items; `sent_at` is when the invitation was sent;
    `timezone` is the user's own.
    """

    zones: Zones
    calendar: Properties
    source: str = ""
    sent_at: datetime | None = None
    timezone: str = ""

    @property
    def method(self) -> str:
        """The method of the calendar in upper case, such as REQUEST; empty for none."""
        named = self.calendar.get("METHOD", ())
        return named[0].line.upper() if named else ""

    @property
    def own_zone(self) -> Zone | None:
        """The zone of the calendar itself, where it names one."""
        named = self.calendar.get("X-WR-TIMEZONE", ())
        return find_zone(named[0].line) or find_shown_zone(named[0].line) if named else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Someone who is invited, and what they answered, in lower case; empty for nothing."""

    name: str
    address: str
    answer: str
    is_thing: bool = False

    @property
    def shown(self) -> str:
        """The name, or else the address."""
        return self.name or self.address

    def person(self, role: Role) -> Person:
        """Return them as a person of an item."""
        return Person(name=self.name[:1_000], address=self.address, role=role)


class Entry:
    """One component with its properties, read in its setting."""

    def __init__(self, component: Component, setting: Setting) -> None:
        self.found = component.properties()
        self.setting = setting
        self.zones = setting.zones.of_calendar(setting.own_zone)
        self._lines = component.lines

    def line(self, name: str) -> str:
        """Return a property as text on one line; empty where there is none."""
        return self.found[name][0].line if name in self.found else ""

    def when(self, name: str) -> When | None:
        """Return a property as a time; None where there is none.

        Raises:
            InvalidInput: It is no time.
        """
        return when_of(self.found[name][0], self.zones) if name in self.found else None

    def stamp(self, name: str) -> datetime | None:
        """Return a time that is always UTC, such as DTSTAMP; None where there is no good one."""
        try:
            when = self.when(name)
        except InvalidInput:
            return None
        return None if when is None or when.is_day else self.instant(when)

    def instant(self, when: When) -> datetime:
        """Return a time for comparisons; noon of a day, where the user is."""
        value = when.value
        if not isinstance(value, datetime):
            noon = datetime.combine(value, time(12), tzinfo=UTC)
            return by_own_clock(noon, self.setting.timezone)
        if value.tzinfo is not None:
            return value.astimezone(UTC)
        return value.replace(tzinfo=UTC)

    def show(self, when: When) -> When:
        """Return a time as it is shown: one in UTC in the zone of the calendar, or the user's."""
        own = self.setting.own_zone or find_zone(self.setting.timezone)
        if when.zone is UTC_ZONE and own is not None and isinstance(when.value, datetime):
            return When(value=when.value.astimezone(own.clock), zone=own)
        return when

    @property
    def uid(self) -> str:
        """The UID, or a name made of all that the component says."""
        uid = self.line("UID")
        if not uid:
            return short_hash(b"\n".join(self._lines).decode("latin-1"))
        return uid if len(uid) <= UID_CHARS_MAX else short_hash(uid)

    @property
    def source_id(self) -> str:
        """The id of the entry; that of an instance of a series also says which one it is.

        It is named as it is written, without the zone of the calendar around it.

        Raises:
            InvalidInput: It is no time.
        """
        named = self.found.get("RECURRENCE-ID")
        return f"{self.uid}/{when_of(named[0], self.setting.zones).compact}" if named else self.uid

    @property
    def title(self) -> str:
        """The summary, on one line."""
        return self.line("SUMMARY")[:TITLE_CHARS_MAX] or NO_TITLE

    @cached_property
    def description(self) -> str:
        """The description, the comments, whom to ask and what is needed, as plain text."""
        texts = (
            label + text
            for name, label in _PARAGRAPHS.items()
            for one in self.found.get(name, ())
            if (text := _plain(one.text))
        )
        return "\n\n".join(texts)

    @property
    def tags(self) -> tuple[str, ...]:
        """The categories, each once."""
        found = (
            tag.strip() for one in self.found.get("CATEGORIES", ()) for tag in one.line.split(",")
        )
        return tuple(islice(dict.fromkeys(tag[:1_000] for tag in found if tag), TAGS_MAX))

    @property
    def sequence(self) -> int:
        """How often the entry was revised, as its organizer counts."""
        text = self.line("SEQUENCE")
        return min(int(text), SEQUENCE_MAX) if text.isascii() and text[:9].isdigit() else 0

    @property
    def revised_at(self) -> str:
        """When this state was made, as ISO 8601 in UTC; at one time a higher sequence is later.

        Empty where neither the entry nor the mail it came in says.
        """
        made = self.stamp("LAST-MODIFIED") or self.stamp("DTSTAMP") or self.setting.sent_at
        if made is None:
            return ""
        second = made.astimezone(UTC).replace(microsecond=0)
        place = 2 * self.sequence + (self.setting.method not in INVITING)
        return (second + timedelta(microseconds=place)).isoformat()

    @property
    def meeting_url(self) -> str:
        """The address of the meeting in the web."""
        return next(filter(None, map(self.line, _MEETING_LINKS)), "")

    @cached_property
    def organizer(self) -> Guest | None:
        """Who made the entry."""
        return next(_guests(self.found.get("ORGANIZER", [])), None)

    @cached_property
    def guests(self) -> list[Guest]:
        """Who is invited, each once, rooms too."""
        found = {(one.address or one.name): one for one in _guests(self.found.get("ATTENDEE", []))}
        return list(islice(found.values(), PEOPLE_MAX))


def _guests(properties: list[Property]) -> Iterator[Guest]:
    for one in properties:
        match = _ADDRESS.fullmatch(one.params.get("EMAIL", "")) or _ADDRESS.fullmatch(one.line)
        address = match[1].lower() if match else ""
        name = one.params.get("CN", "").strip("\"' ")
        if not name and _NAME.fullmatch(one.line):
            name = one.line
        guest = Guest(
            name="" if name.lower() == address else name,
            address=address,
            answer=one.params.get("PARTSTAT", "").lower(),
            is_thing=one.params.get("CUTYPE", "").upper() in ("ROOM", "RESOURCE"),
        )
        if guest.shown:
            yield guest


def _plain(text: str) -> str:
    return from_html(text).strip() if _HTML.search(text) else text
