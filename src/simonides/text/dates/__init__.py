"""Expressions of time in eleven languages, read as half-open UTC ranges in the user's own days.

A pure grammar of English, into which other languages' words are put: the clock and the zone are
arguments. Rules that had to be chosen: weeks begin on Monday; "last week" is the calendar week
before, "past week" and "in the last week" the seven days up to now; "last Friday" is the latest one
before today, "next Friday" that of next week; a bare "Friday" lies behind or ahead by the tense of
the text, and where that is open both count, the nearer one first; a winter bears the year in which
it begins; "by", "until" and "through" a day hold it, "before" does not. "March on Washington" and
"summer house" are no dates.
"""

from simonides.text.dates.cues import (
    asks_when,
    holds_time,
    is_weekday,
    names_a_date,
    says_present,
    time_direction,
)
from simonides.text.dates.ranges import DateMatch, find_ranges, ranges_asked
from simonides.text.dates.tense import Tense, tense_of

__all__ = [
    "DateMatch", "Tense", "asks_when", "find_ranges", "holds_time", "is_weekday", "names_a_date",
    "ranges_asked", "says_present", "tense_of", "time_direction",
]  # fmt: skip
