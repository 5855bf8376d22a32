"""The mails that a mail repeats below its own words, each with the lines that announce it.

Knows the marks of quoting (`>`), and how the lines above a quote are laid out. Must not know items.
"""

import re
from dataclasses import dataclass, field
from itertools import takewhile

from simonides.text.mail import (
    announcement_lines,
    begins_header_block,
    is_copied_header,
    is_device_line,
    is_forward_mark,
    is_original_mark,
    is_sign_off,
    next_visible,
)
from simonides.text.word_patterns import lazy_pattern

_MARKS = lazy_pattern(r"(?:[ \t]{0,3}>)*")
_NAMED = lazy_pattern(
    r"""(?:^|[,:"])\s*([^",:<>\[\]()\n]{0,80}?)["'\s]*"""
    r"[<\[(]?\s*(?:mailto:)?([^\s<>\[\]():,;\"']+@[^\s<>\[\]():,;\"']+)",
    re.MULTILINE,
)

_CLOCK_WORDS = frozenset(["AM", "PM", "GMT", "UTC", "Uhr"])
"""What stands behind a time, and before a name: `at 4:00 PM Ann Dahl <ann@x.example> wrote:`."""

ANNOUNCED_LINES_MAX = 6
"""Lines of an announcement with the beginning of the quote below it."""

HEADER_LINES_MAX = 6
"""Lines of a copied header among which its sender must stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One repeated mail, or what is left of it: its announcement, if it has one, and its words."""

    head: str
    text: str

    def author(self) -> tuple[str, str] | None:
        """Return the (name, address) that the announcement names first; None without an address."""
        match = _NAMED.search(self.head)
        return (_name(match[1]), match[2]) if match else None


def _name(text: str) -> str:
    """Return the name at the end of an announcement: `11.00 skrev Ann Dahl` says when before it."""
    parts = text.split()
    if not any(char.isdigit() for char in text):
        return " ".join(parts)
    plain = [at for at, part in enumerate(parts) if _is_no_name(part)]
    return " ".join(parts[max(plain, default=-1) + 1 :])


def _is_no_name(part: str) -> bool:
    return part[0].islower() or not part.isalpha() or part in _CLOCK_WORDS


def quotes_of(quoted: str) -> list[Quote]:
    """Return the mails that a quoted text repeats, in its order.

    Lines of one depth of quoting are of one mail until an announcement or a copied header comes, so
    a quote that answers stand between is one. Closings and the lines of devices are left out.
    """
    depths, lines = zip(*map(_strip_marks, quoted.split("\n")), strict=True)
    reader = _QuoteReader(lines=lines, depths=depths)
    reader.read()
    made = (Quote(head=_join(one.head), text=_join(one.text)) for one in reader.quotes)
    return [one for one in made if one.text]


def _strip_marks(line: str) -> tuple[int, str]:
    """Return the depth of quoting of a line, and the line without its marks."""
    match = _MARKS.match(line)
    marks = match[0] if match else ""
    return marks.count(">"), line[len(marks) :].removeprefix(" ") if marks else line


@dataclass(slots=True)
class _Open:
    """A quote that is being read."""

    head: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _QuoteReader:
    lines: tuple[str, ...]
    depths: tuple[int, ...]
    quotes: list[_Open] = field(default_factory=list)
    _last_at: dict[int, _Open] = field(default_factory=dict)
    _gap: bool = False

    def read(self) -> None:
        """Take every line into the quote that it belongs to."""
        at = 0
        while at < len(self.lines):
            count = self._head_lines(at) if self.lines[at].strip() else 0
            if count:
                self.quotes.append(_Open(head=[*self.lines[at : at + count]]))
                at += count
                continue
            self._take(self.lines[at], self.depths[at])
            at += 1

    def _head_lines(self, at: int) -> int:
        """Return how many lines of an announcement or of a copied header begin here."""
        lines = self.lines
        if is_original_mark(lines[at]) or is_forward_mark(lines[at]):
            return 1
        first = at if is_copied_header(lines[at]) else next_visible(lines, at + 1)
        if begins_header_block(lines, at) or self._names_sender_below(at):
            return first - at + self._header_lines(first)
        return announcement_lines(self._as_quoted(at), 0)

    def _as_quoted(self, at: int) -> list[str]:
        """Return the next lines with the marks that they have beside those of the first one."""
        stop = min(at + ANNOUNCED_LINES_MAX, len(self.lines))
        own = self.depths[at]
        return [f"{'>' * (self.depths[i] - own)}{self.lines[i]}" for i in range(at, stop)]

    def _names_sender_below(self, at: int) -> bool:
        """Return whether a copied header begins with another line than its sender's."""
        run = len(list(takewhile(is_copied_header, self.lines[at : at + HEADER_LINES_MAX])))
        return any(begins_header_block(self.lines, below) for below in range(at, at + run))

    def _header_lines(self, at: int) -> int:
        """Return how many lines a copied header has; a list of people may go on in the next one."""
        below, before = at, ""
        while below < len(self.lines) and (line := self.lines[below].strip()):
            goes_on = below > at and ("@" in line or before.endswith((",", ";")))
            if not (is_copied_header(line) or goes_on):
                break
            below, before = below + 1, line
        return below - at

    def _take(self, line: str, depth: int) -> None:
        if not line.strip():
            self._gap = True
            return
        if line.rstrip() == "--" or is_sign_off(line) or is_device_line(line):
            return
        quote = self._quote_at(depth)
        if self._gap and quote.text:
            quote.text.append("")
        self._gap = False
        quote.text.append(line)

    def _quote_at(self, depth: int) -> _Open:
        """Return the quote that a line of this depth goes on with, or a new one."""
        last = self.quotes[-1] if self.quotes else None
        if last is not None and not last.text:
            self._last_at[depth] = last
        elif depth not in self._last_at:
            self._last_at[depth] = _Open()
            self.quotes.append(self._last_at[depth])
        return self._last_at[depth]


def _join(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
