"""Times as Google's Takeout shows them: `Tuesday, March 10, 2026 at 10:12:33 AM UTC`.

Must not know what happened then.
"""

import re
from datetime import datetime, timedelta

from simonides.importers.local_dates import local_moment, puts_day_first

_BETWEEN = re.compile(r"-feira\b|\s(?:a las|alle(?: ore)?|at|de|om|um|à|às)(?=\s)")
"""Words between the parts of a date, and the end of Portuguese weekdays."""
_ZONE = re.compile(r"\s(?:([A-Z]{3,5})|GMT([+-]\d{1,2})(?::?(\d{2}))?)$")
_HOURS = {
    "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3,
    "MSK": 3, "JST": 9, "KST": 9, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
    "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "AEST": 10, "AEDT": 11, "NZST": 12,
    "NZDT": 13,
}  # fmt: skip
"""Hours before UTC of the zones that Takeout names with letters."""


def takeout_moment(text: str) -> tuple[datetime | None, bool]:
    """Return (a time as Takeout shows it, whether UTC was assumed); None for what has no clock."""
    zone = _ZONE.search(text)
    plain = (text[: zone.start()] if zone else text).replace("\u202f", " ")
    plain = _BETWEEN.sub("", plain)
    found, _ = local_moment(plain, day_first=puts_day_first([plain]))
    if found is None or not re.search(r"\d:\d\d", plain):
        return None, False
    if zone is None or (zone[1] and zone[1] not in _HOURS):
        return found, True
    hours = _HOURS[zone[1]] if zone[1] else int(zone[2])
    minutes = int(zone[3] or 0) * (-1 if (zone[2] or "").startswith("-") else 1)
    try:
        return found - timedelta(hours=hours, minutes=minutes), False
    except OverflowError:
        return None, False
