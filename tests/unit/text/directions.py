"""The end of the timeline that a text asks for, as a plan reads it."""

from datetime import UTC, datetime

from simonides.model.answer import Direction
from simonides.text.dates import find_ranges, time_direction


def direction_of(text: str) -> Direction:
    """Return the direction of a text, whose expressions of time are found first."""
    ranges = find_ranges(text, now=datetime(2026, 3, 12, 9, tzinfo=UTC), timezone="UTC")
    return time_direction(text, ranges)[0]
