"""The date and time before each message of WhatsApp, as its apps write them in each country.

Imports no library, since every text file is asked. Must not know what a date means.
"""

import re

MARKS = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
"""Marks without width, most of which say in which direction text is written."""

_M = f"[{MARKS}]*+"
_DATE = rf"\d{{1,4}}{_M}[./\-年년]\s?{_M}\d{{1,2}}{_M}[./\-月월]\s?{_M}\d{{1,4}}"
_CLOCK = (
    rf"\d{{1,2}}{_M}(?:[:.]|\s?[hH时時点點시]\s?){_M}\d{{2}}"
    rf"(?:{_M}(?:[:.]|\s?(?:min|分|분)\s?){_M}\d{{2}})?"
)
_BETWEEN = r"[^\d\n:\[\]]{1,16}?"
_AFTER = r"[^\d\n:\[\]]{0,24}?"
_MOMENT = rf"{_DATE}{_BETWEEN}{_CLOCK}{_AFTER}"
_CLOCK_FIRST = rf"{_CLOCK}{_BETWEEN}{_DATE}"
_BEFORE_COLON = rf"(?:(?!\d{{3}}){_DATE}|{_DATE}{_M}[,،]){_AFTER}\s{_M}{_CLOCK}{_AFTER}"
"""Older iPhones; without a comma, dates that begin with the year are those of logs."""

STAMP = re.compile(
    rf"^{_M}(?:\[\s?{_M}(?P<bracketed>{_DATE}[^\]\n]{{1,40}}|{_CLOCK_FIRST}{_AFTER})\]"
    rf"|(?P<open>{_MOMENT}|{_CLOCK_FIRST})\s{_M}[\-\u2013]"
    rf"|(?P<colon>{_BEFORE_COLON}){_M}:)\s"
)
"""`[04.03.26, 10:00:07] ` on an iPhone, `3/4/26, 10:00 AM - ` on Android, `2026-03-04, 10:00:07 AM:
` on old iPhones."""

_WITHOUT_MARKS = dict.fromkeys(map(ord, MARKS))


def stamp_of(match: re.Match[str]) -> str:
    """Return the date and time that were matched, without marks."""
    return match[match.lastgroup or 0].translate(_WITHOUT_MARKS)
