"""Whole dates whose month is not named in English ("5. März 2023", "5 mai 2023", "2023年5月6日").

A day, a month's name and a year, in either order: what else a foreign text says of time is not
read. The names are dateparser's; it is only asked about words that could be such a date, because
it takes milliseconds and would find dates in free text where there are none.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from operator import itemgetter

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "sv", "da", "tr", "zh", "ja")

CANDIDATES_MAX = 16
"""Candidates of one text that dateparser is asked about: each takes it milliseconds."""

_NAME = r"[^\W\d_]{3,12}\.?"
_CANDIDATE = re.compile(
    rf"(?<![\w.])\d{{1,2}}\.?\s(?:de\s)?{_NAME}\s(?:de\s)?[12]\d{{3}}(?!\w)"
    r"|(?<!\d)[12]\d{3}年\d{1,2}月\d{1,2}日"
)


def find_foreign(
    text: str, *, read_already: Sequence[tuple[int, int]]
) -> Iterator[tuple[date, int, int]]:
    """Yield the foreign dates of `text`, each with the characters [start, stop) it stands at.

    What lies within one of the stretches `read_already`, which rise and do not overlap, is English
    and is not looked at. Of many candidates the first `CANDIDATES_MAX` are read.
    """
    read_count = 0
    for match in _CANDIDATE.finditer(text):
        start, stop = match.span()
        before = bisect_right(read_already, start, key=itemgetter(0)) - 1
        if before >= 0 and stop <= read_already[before][1]:
            continue
        if read_count == CANDIDATES_MAX:
            return
        read_count += 1
        read = _read(match.group())
        if read is not None:
            yield read, start, stop


def _read(candidate: str) -> date | None:
    import dateparser

    found = dateparser.parse(
        candidate, languages=list(LANGUAGES), settings={"STRICT_PARSING": True}
    )
    return None if found is None else found.date()
