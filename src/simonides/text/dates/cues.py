"""Time cues: whether a passage holds a time, and whether a question asks for one.

Knows words alone; nothing here depends on a clock.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from simonides.model.answer import Direction
from simonides.text.dates.ranges import DateMatch
from simonides.text.dates.words import DECADES, MONTHS, NUMBERS, SEASONS, WEEKDAYS
from simonides.text.terms import MemoTable
from simonides.text.unicode_version import lower_in_place, mask
from simonides.text.vocabulary import list_pattern, numbers, words_pattern
from simonides.text.word_patterns import lazy_pattern

_UNIT = r"(?:minute|hour|day|week|weekend|fortnight|month|quarter|year|decade)s?\b"
_SEASON = rf"(?:the\s+)?(?:{'|'.join(SEASONS)})\b"
_OFTEN_ELSE = ("may", "march")
_CURLED = "\u2019"
"""The apostrophe that phones and editors write."""
_SHORT_MONTHS = tuple(word for word in MONTHS if len(word) <= len("sept") and word != "may")
_ANY_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))


def _expressions() -> list[str]:
    """Return patterns for lower-case text, each of which begins with its own letter."""
    whole = [month for month in MONTHS if month not in (*_SHORT_MONTHS, *_OFTEN_ELSE)]
    plain = [
        "yesterday", "today", "tonight", "tomorrow", "ago", "ytd", "weekend", "noon", "midnight",
        "christmas", "xmas", "halloween", "easter", "thanksgiving", "q[1-4]",
        *(day for day in WEEKDAYS if day.endswith("day")), *whole, "june", "july", *DECADES,
    ]  # fmt: skip
    counts = (*NUMBERS, r"couple\s+of", "few", "several", "past")
    return [
        *(rf"{word}\b" for word in plain),
        *(rf"{day}days\b" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")),
        *(rf"{count}\s+{_UNIT}" for count in counts),
        *(rf"{word}\s+(?:{_UNIT}|night\b|morning\b|{_SEASON})" for word in ("last", "this")),
        *(rf"{word}\s+(?:few\s+|[0-9]+\s+)?{_UNIT}" for word in ("last", "past", "previous")),
        *(rf"{word}\s+(?:{_UNIT}|{_SEASON})" for word in ("next", "coming", "following")),
        *(rf"{word}\s+(?:{_SEASON}|may\b|march\b)" for word in ("in", "during", "since", "until")),
        *(rf"{word}\s+(?:may|march)\b" for word in ("of", "early", "late", "mid", "before")),
        *(rf"{word}\.?\s+'?[0-9]" for word in (*_SHORT_MONTHS, *_OFTEN_ELSE)),
        r"new\s+year", r"valentine", r"o'clock",
    ]  # fmt: skip


_FIGURES = (
    r"(?:19|20)[0-9]{2}(?:s?\b|(?=[-/tq]))",
    r"[0-9]{1,2}(?::[0-9]{2}\b|\s?[ap]\.?m\b)",
    r"[0-9]{1,2}[/.-][0-9]{1,2}[/.-](?:[0-9]{4}|[0-9]{2})\b",
    rf"[0-9]{{1,2}}(?:st|nd|rd|th)?[\s-](?:of\s+)?(?:{_ANY_MONTH})\b",
    r"[0-9]0s\b",
    rf"[0-9]{{1,6}}\s+{_UNIT}",
)


def _by_letter(patterns: Iterable[str]) -> str:
    """Return one pattern that branches on the first letter, so that most words fail at once."""
    groups = groupby(sorted(set(patterns)), key=lambda pattern: pattern[0])
    return "|".join(f"{first}(?:{'|'.join(p[1:] for p in group)})" for first, group in groups)


_TIME = lazy_pattern(
    rf"(?<![^\W_])(?:{_by_letter(_expressions())}|(?=[0-9])(?:{'|'.join(_FIGURES)}))"
)


_LAST = lazy_pattern(
    rf"{_UNIT}|night|morning|{'|'.join(SEASONS)}|{_ANY_MONTH}|year|'?[0-9]|[ap]\.?m\b"
)
"""How the last run of an expression of several begins; `_EARLIER_MAX` others may be before it."""
_EARLIER_MAX = 2
_LASTS_MAX = 8
"""Where more runs may be the last of several, one search through the whole is cheaper."""
_NEVER, _PERHAPS, _SURELY = ".?!"
"""What a run says of time: nothing, that it may be the last of several, or all that it takes."""


def holds_time(text: str, *, runs: Sequence[str] | None = None) -> bool:
    """Return whether a passage contains any expression of time, clock times and years included.

    Meant for writing, where every passage is asked; linear, and coarser than `find_ranges`. A bare
    `may` or `march` does not count, nor does "a day". `runs` are `text.split()`, where the caller
    has them: what each says by itself is looked up, so that few passages need a search.
    """
    plain = mask(text)
    if plain is not text:
        text, runs = plain, None
    runs = text.split() if runs is None else runs
    marks = "".join(map(_TIME_MARKS.__getitem__, runs))
    if _PERHAPS not in marks or _SURELY in marks:
        return _SURELY in marks
    return _may_end(runs, marks) and _TIME.search(_plain(text)) is not None


def _may_end(runs: Sequence[str], marks: str) -> bool:
    """Return whether a multi-word expression ends in one of these, with single spaces."""
    if marks.count(_PERHAPS) > _LASTS_MAX:
        return True
    lasts = [i for i, one in enumerate(marks) if one == _PERHAPS]
    near = (" ".join(runs[max(0, i - _EARLIER_MAX) : i + 1]) for i in lasts)
    return any(_TIME.search(_plain(one)) for one in near)


def _plain(text: str) -> str:
    return text.lower().replace(_CURLED, "'")


def _time_mark(run: str) -> str:
    plain = _plain(run)
    if _TIME.search(plain):
        return _SURELY
    return _PERHAPS if _LAST.match(plain) else _NEVER


_TIME_MARKS = MemoTable(_time_mark)


_ENDS = lazy_pattern(
    lambda: (
        rf"(?P<neither>{words_pattern('no_end_of_time')})|(?P<newest>{words_pattern('newest')})"
        rf"|(?P<oldest>{words_pattern('oldest')})|(?P<next>{words_pattern('next')})"
    )
)


_DURATION = lazy_pattern(r"\bhow\s+(?:long|many)\b")
_ENDINGS = {"newest": Direction.NEWEST, "oldest": Direction.OLDEST, "next": Direction.NEXT}


def time_direction(
    text: str, ranges: Sequence[DateMatch]
) -> tuple[Direction, list[tuple[int, int]]]:
    """Return the end of the timeline that a question asks for, and where its words stand.

    That is newest, oldest, next or none; words stand at the characters [start, stop). The first
    word that says one counts. Words inside an expression of time, one of the `ranges` of the text,
    do not ("last week" is a range), nor do "at last", "first name", "next to" and the like, nor a
    thing that lasts.
    """
    rest = lower_in_place(_without(ranges, mask(text)))
    found = [one for one in _ENDS.finditer(rest) if one.lastgroup not in (None, "neither")]
    spans = [_with_count(one, rest) for one in found]
    for one in found:
        lasts = one[0] == "last" and _DURATION.search(rest)
        if not lasts:
            return _ENDINGS[one.lastgroup or ""], spans
    return Direction.NONE, spans


def _number() -> str:
    return rf"(?:[0-9]{{1,2}}|{'|'.join((*NUMBERS, *numbers()))})"


_COUNT = lazy_pattern(lambda: rf"\s+{_number()}(?=\s+\w)")
_COUNT_BEFORE = lazy_pattern(lambda: rf"(?<!\w){_number()}\s+\Z")


_COUNT_CHARS = 16
"""Characters before an end of time in which a number beside it stands."""


def _with_count(said: re.Match[str], text: str) -> tuple[int, int]:
    """Return where an end of time is said, with the number beside it: the next three."""
    near = max(0, said.start() - _COUNT_CHARS)
    before, after = _COUNT_BEFORE.search(text, near, said.start()), _COUNT.match(text, said.end())
    start = before.start() if before else said.start()
    return start, after.end() if after else said.end()


_NAMED = lazy_pattern(rf"[0-9]|\b(?:{_ANY_MONTH})\b|\b(?:{'|'.join(SEASONS)})\b", re.IGNORECASE)


def names_a_date(text: str) -> bool:
    """Return whether an expression of time has figures, a month or a season, and so recurs in text.

    "4 July" and "this spring" do; "next week" and "yesterday" count from today.
    """
    return _NAMED.search(text) is not None


_PRESENT = lazy_pattern(r"as\s+of\s+(?:right\s+)?(?:now|today)", re.IGNORECASE)


def says_present(text: str) -> bool:
    """Return whether an expression of time asks how things stand now: "as of today"."""
    return _PRESENT.fullmatch(text) is not None


def is_weekday(text: str) -> bool:
    """Return whether an expression of time is the name of a day of the week and nothing else."""
    return text.casefold().strip(".") in WEEKDAYS


def _without(ranges: Sequence[DateMatch], text: str) -> str:
    """Return `text` with bars, which no word goes across, in place of each expression of time."""
    pieces, stop = [], 0
    for match in ranges:
        pieces += [text[stop : match.start], "|" * (match.stop - match.start)]
        stop = match.stop
    return "".join([*pieces, text[stop:]])


_ASKS = lazy_pattern(
    lambda: rf"\b(?:{list_pattern('asks_when')})(?:\b|(?<=[?.!])|\Z)|{words_pattern('when')}",
)


def asks_when(text: str) -> bool:
    """Return whether a question asks for a time, a duration, a frequency or an order.

    "When" counts where it asks ("when did", "since when"), not where it joins two sentences
    ("what did I eat when I was in Rome").
    """
    return _ASKS.search(_plain(mask(text))) is not None
