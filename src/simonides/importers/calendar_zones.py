"""Time zones as calendars name them: IANA names, Windows names, and rules that came along.

Must not know events.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from simonides.errors import InvalidInput
from simonides.importers.allowance import MAIL_ZONE_RULES_MAX
from simonides.importers.calendar_components import Component
from simonides.ports.importer import Allowance
from simonides.text.observed_zone import RULES_MAX, is_repeated, observed_zone

ZONES_MAX = 100
"""Zones with rules of their own in one file; no calendar meets in so many places."""

REPEATED_MAX = 100
"""Rules that repeat in all zones of a file that have no known name: two to ten are usual in one."""

NAMES_SHOWN_MAX = 5
"""Most unknown names that the report of a file shows."""

_NAME_CHARS_MAX = 200
_IANA_FORM = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{1,30}(?:/[A-Za-z0-9_+-]{1,30}){0,2}")
_FIXED = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?", re.ASCII | re.IGNORECASE)
_OFFSET_HOURS_MAX = 14
"""The clocks of Kiribati are the furthest from UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A zone: its name, its clock, and its rules where it has no name that is known."""

    name: str
    clock: tzinfo
    rules: tuple[str, ...] = ()


UTC_ZONE = Zone(name="UTC", clock=UTC)
UTC_NAMES = frozenset("UTC Etc/UTC Etc/UCT Etc/Universal Etc/Zulu".split())


class Zones:
    """The zones of one file by the names that its times use.

    The rules that repeat are taken from the `allowance` of the mail around the file, if there is
    one.
    """

    def __init__(
        self, definitions: Iterable[Component] = (), *, allowance: Allowance | None = None
    ) -> None:
        self._allowance = allowance
        self._rules: dict[str, tuple[str, ...]] = {}
        self._zones: dict[str, Zone | None] = {}
        self._left = REPEATED_MAX
        self.own: Zone | None = None
        self._unknown: dict[str, None] = {}
        self._left_out: set[str] = set()
        self.left_out = 0
        for one in definitions:
            names = one.properties().get("TZID", [])
            if names and not one.problem:
                self._define(names[0].line[:_NAME_CHARS_MAX], one)

    @property
    def problem(self) -> str:
        """Why some zones are not known; empty if all are."""
        if not self.left_out:
            return ""
        most = f"{ZONES_MAX} zones and {REPEATED_MAX} rules that repeat"
        of_mail = "" if self._allowance is None else f", a mail {MAIL_ZONE_RULES_MAX} such rules"
        return f"{self.left_out} time zones are not known: a file may define {most}{of_mail}"

    @property
    def assumed(self) -> str:
        """The names that times use and that no zone is known by; empty if there are none.

        Those that are not known for another reason are named by `problem`.
        """
        shown = ", ".join(repr(one) for one in islice(self._unknown, NAMES_SHOWN_MAX))
        more = len(self._unknown) - NAMES_SHOWN_MAX
        rest = f" and {more} more" if more > 0 else ""
        reason = "not known, so the zone that the calendar names is assumed, or else your own"
        return f"{shown}{rest}: {reason}" if shown else ""

    def _define(self, name: str, definition: Component) -> None:
        """Keep the zone of a definition: by its name if that is known, else by its rules."""
        if name in self._zones or name in self._rules or find_zone(name):
            return
        others = (one.line for one in definition.properties().get("X-LIC-LOCATION", []))
        known = next(filter(None, map(find_zone, others)), None)
        rules = () if known else tuple(islice(_rules(definition), RULES_MAX))
        repeated = sum(map(is_repeated, rules))
        if len(self._zones) + len(self._rules) >= ZONES_MAX or not self._take(repeated):
            self.left_out += 1
            if self.left_out <= ZONES_MAX:
                self._left_out.add(name)
        elif known:
            self._zones[name] = known
        else:
            self._rules[name] = rules

    def _take(self, repeated: int) -> bool:
        """Count rules that repeat; return False, and count none, where they are too many."""
        of_mail = self._left if self._allowance is None else self._allowance.left
        if repeated > min(self._left, of_mail):
            return False
        self._left -= repeated
        if self._allowance is not None:
            self._allowance.take(repeated)
        return True

    def of_calendar(self, own: Zone | None) -> "Zones":
        """Return these zones for the times of a calendar that names one for all its times."""
        made = copy(self)
        made.own = own
        return made

    def of_time(self, name: str) -> Zone | None:
        """Return the zone of a time that names one, or none: then that of the calendar."""
        zone = self.find(name) if name else None
        return self.own if zone is None else zone

    def find(self, name: str) -> Zone | None:
        """Return the zone of this name; None where neither its name nor its rules are known."""
        name = name[:_NAME_CHARS_MAX]
        if rules := self._rules.pop(name, ()):
            self._zones[name] = _make_zone(name, rules) or _by_name(name)
        found = self._zones[name] if name in self._zones else _by_name(name)
        if found is None and name not in self._left_out and len(self._unknown) < ZONES_MAX:
            self._unknown[name] = None
        return found


def _make_zone(name: str, rules: tuple[str, ...]) -> Zone | None:
    """Return the zone that is made of these rules; None if they are broken."""
    try:
        return Zone(name=name, clock=observed_zone(name, rules), rules=rules)
    except InvalidInput:
        return None


def _rules(definition: Component) -> Iterator[str]:
    """Yield the changes of the clock as `ObservedZone` reads them."""
    for one in definition.inner:
        found = one.properties()
        try:
            begin, before, after = (
                found[key][0].line for key in ("DTSTART", "TZOFFSETFROM", "TZOFFSETTO")
            )
        except KeyError:
            continue
        rule = found["RRULE"][0].line if "RRULE" in found else ""
        yield " ".join(filter(None, (begin, before, after, rule.replace(" ", ""))))
        for dates in found.get("RDATE", ()):
            yield from (f"{day.strip()} {before} {after}" for day in dates.line.split(","))


@lru_cache(maxsize=1024)
def find_zone(name: str) -> Zone | None:
    """Return the zone of an IANA name, also at the end of a path, or of a Windows name."""
    bare = name.strip('"/ ')
    parts = bare.split("/")
    ends = ("/".join(parts[-count:]) for count in (len(parts), 3, 2, 1) if count <= len(parts))
    for named in (WINDOWS.get(bare.casefold(), ""), *ends):
        key = "UTC" if named == "Utc" else named  # `tzone://Microsoft/Utc`
        if _IANA_FORM.fullmatch(key):
            try:
                return Zone(name=key, clock=ZoneInfo(key))
            except (KeyError, ValueError, OSError):
                continue
    return None


def _by_name(name: str) -> Zone | None:
    return find_zone(name) or _read_offset(name) or find_shown_zone(name)


def find_shown_zone(name: str) -> Zone | None:
    """Return the zone of a name as programs show it to people; None if it is not known."""
    iana = find_displayed_zone(name.strip('"'))
    return find_zone(iana) if iana else None


WINDOWS = {name.casefold(): iana for name, iana in WINDOWS_TO_OLSON.items()}
"""The IANA names of Windows' zones by their names in lower case."""

_OFFSET = re.compile(
    r"\((?:UTC|GMT)(?:([+-])(\d{1,2})(?:[:.]?(\d\d))?)?\)", re.ASCII | re.IGNORECASE
)
_BETWEEN = re.compile(r"[,/&;]")
_CONTINENTS = frozenset(
    "Africa America Antarctica Asia Atlantic Australia Europe Indian Pacific".split()
)
_NO_CITIES = {
    "brasilia": "America/Sao_Paulo",
    "abu dhabi": "Asia/Dubai",
    "beijing": "Asia/Shanghai",
    "islamabad": "Asia/Karachi",
    "mumbai": "Asia/Kolkata",
    "central america": "America/Guatemala",
    "west central africa": "Africa/Lagos",
    "indiana (east)": "America/Indiana/Indianapolis",
    "arizona": "America/Phoenix",
    "alaska": "America/Anchorage",
    "hawaii": "Pacific/Honolulu",
    "newfoundland": "America/St_Johns",
    "saskatchewan": "America/Regina",
    "coordinated universal time": "Etc/UTC",
}
"""Zones of places that programs show, and that no IANA name ends with."""

_SHOWN = ("(us", "(canada")


@lru_cache(maxsize=1024)
def find_displayed_zone(name: str) -> str:
    """Return the IANA name of the zone that is shown so; empty if it is not known.

    Of several places the first that is known counts; one whose clock is never as far from UTC as
    the name says is another of its name.
    """
    stated = _OFFSET.match(name.strip())
    places = name.strip()[stated.end() :].strip() if stated else name.strip()
    return next((one for one in _zones(places) if stated is None or _is_at(one, stated)), "")


def _zones(places: str) -> Iterator[str]:
    words, _, region = places.casefold().partition(" (")
    if words.endswith(" time") and (not region or f"({region}".startswith(_SHOWN)):
        yield from filter(None, [WINDOWS.get(f"{words.removesuffix(' time')} standard time")])
    cities = _cities()
    for one in (places, *_BETWEEN.split(places)):
        place = one.strip().casefold()
        yield from filter(None, [_NO_CITIES.get(place) or cities.get(place)])


@lru_cache(maxsize=1)
def _cities() -> Mapping[str, str]:
    """Return the zones by the cities that they are named after, in lower case."""
    named = sorted(one for one in available_timezones() if one.split("/")[0] in _CONTINENTS)
    return {one.rpartition("/")[2].replace("_", " ").casefold(): one for one in named}


def _is_at(zone: str, stated: re.Match[str]) -> bool:
    """Return whether the clock of a zone is at the stated offset, in summer or in winter."""
    sign = -1 if stated[1] == "-" else 1
    offset = sign * timedelta(hours=int(stated[2] or 0), minutes=int(stated[3] or 0))
    seasons = (datetime(2026, month, 1, tzinfo=ZoneInfo(zone)) for month in (1, 7))
    return any(one.utcoffset() == offset for one in seasons)


def _read_offset(name: str) -> Zone | None:
    """Return the zone of a name that is an offset, such as `GMT+0100`; None if it is none."""
    match = _FIXED.fullmatch(name.strip(" ()"))
    if match is None or int(match[2]) > _OFFSET_HOURS_MAX or int(match[3] or 0) > 59:  # noqa: PLR2004  minutes
        return None
    offset = f"{match[1]}{match[2]:0>2}{match[3] or '00'}"
    rules = (f"19700101T000000 {offset} {offset}",)
    return Zone(name=name.strip(), clock=observed_zone(name.strip(), rules), rules=rules)
