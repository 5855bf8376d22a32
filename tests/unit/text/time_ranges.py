"""The range of time that a text most likely asks about, as a plan reads it."""

from datetime import datetime

from simonides.model.answer import TimeRange
from simonides.text.dates import find_ranges, ranges_asked


def find_range(
    text: str, *, now: datetime, timezone: str, day_first: bool = True
) -> TimeRange | None:
    """Return the nearest range that a text may ask about, if it names any."""
    found = find_ranges(text, now=now, timezone=timezone, day_first=day_first)
    return next(iter(ranges_asked(text, found)), None)
