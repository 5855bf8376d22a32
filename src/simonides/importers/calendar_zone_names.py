"""Names of time zones as programs show them to people, such as `(UTC+01:00) Amsterdam, Berlin`.

Must not know calendars.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

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
def displayed_zone(name: str) -> str:
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
