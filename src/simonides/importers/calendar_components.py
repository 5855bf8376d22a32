"""The components of iCalendar files (RFC 5545): events, tasks, notes and zones, one at a time.

Knows lines, folding, properties and nesting. Must not know what a property means. Memory does not
grow with the file: a component is handed out at its end, and one that is broken or too large is
handed out with the problem, without its lines.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from icalendar.parser import Contentline, unescape_backslash

from simonides.importers.charset import decode
from simonides.importers.header import one_line
from simonides.text.clean import printable

LINE_BYTES_MAX = 1 << 20
"""Longest line, its folds joined; what comes behind is left out."""

COMPONENT_BYTES_MAX = 4 << 20
"""Longest component without its attachments; a longer one is reported and skipped."""

NESTED_MAX = 8
"""How deep components lie in each other; RFC 5545 has three levels."""

_LEFT_OUT = (b"ATTACH", b"X-ALT-DESC")
"""Lines that are not kept: whole files in base64, and the description again as HTML."""

_LEFT_OUT_BYTES_MIN = 2_000

_ENTRY_BYTES = 64
"""What a line or a component costs in memory beside its bytes, so that many short ones count."""

CALENDAR_PROPERTIES_MAX = 200
"""Properties of the calendar itself that are looked at."""


class Property(NamedTuple):
    """One property: its parameters by upper-case name, and its value as it is written."""

    params: Mapping[str, str]
    value: str

    @property
    def text(self) -> str:
        """The value as text, on as many lines as it has."""
        return printable(unescape_backslash(self.value)).strip()

    @property
    def line(self) -> str:
        """The value as text on one line."""
        return one_line(unescape_backslash(self.value))


Properties = Mapping[str, list[Property]]


@dataclass(slots=True, kw_only=True)
class Component:
    """One component: its name, its lines, and the components in it (alarms are left out).

    `calendar` holds the properties of the calendar around it that came before it; `bytes_done` is
    how far the file is read. With a `problem` the lines are not to be relied on.
    """

    name: str
    lines: list[bytes] = field(default_factory=list)
    inner: list["Component"] = field(default_factory=list)
    calendar: dict[str, list[Property]] = field(default_factory=dict)
    bytes_done: int = 0
    problem: str = ""
    size_bytes: int = 0

    def add(self, line: bytes) -> None:
        """Keep a line, unless the component is too large by it."""
        if len(line) > _LEFT_OUT_BYTES_MIN and line.upper().startswith(_LEFT_OUT):
            return
        self.size_bytes += len(line) + _ENTRY_BYTES
        if self.size_bytes > COMPONENT_BYTES_MAX:
            self.problem = f"is longer than {COMPONENT_BYTES_MAX >> 20} MiB"
            self.lines.clear()
        else:
            self.lines.append(line)

    def properties(self) -> dict[str, list[Property]]:
        """Return the properties by upper-case name; lines that are none are left out."""
        found: dict[str, list[Property]] = {}
        for line in self.lines:
            one = _property(line)
            if one is not None:
                found.setdefault(one[0], []).append(one[1])
        return found


_PLAIN = re.compile(r"([A-Za-z0-9-]+):")
"""The beginning of a line without parameters, which most lines are: no need to look for quotes."""


_LINK = re.compile(r'^([^:"]*;TZID=)(\w{1,20}://[^":;]*)(?=[:;])', re.IGNORECASE)
"""A zone with a colon in its name that should be quoted: `TZID=tzone://Microsoft/Utc:20260305`."""


def _property(line: bytes) -> tuple[str, Property] | None:
    text = decode(line)
    if plain := _PLAIN.match(text):
        return plain[1].upper(), Property({}, text[plain.end() :])
    try:
        name, params, value = Contentline(_LINK.sub(r'\1"\2"', text, count=1)).raw_parts()  # type: ignore[no-untyped-call]
    except (ValueError, AssertionError):
        return None
    texts = {
        key.upper(): one_line(",".join(one) if isinstance(one, list) else str(one))
        for key, one in params.items()
    }
    return name.upper(), Property(texts, value)


def components(stream: BinaryIO) -> Iterator[Component]:
    """Yield the components of calendars, in their order, each once it is complete."""
    calendar: dict[str, list[Property]] = {}
    waiting: list[Component] = []
    done = 0
    for line, done in _lines(stream):
        word, _, name = line.partition(b":")
        mark, kind = word.strip().upper(), name.strip().upper().decode("ascii", "replace")[:80]
        if mark == b"BEGIN" and kind == "VCALENDAR":
            yield from _cut_off(waiting, done)
            calendar = {}
        elif mark == b"BEGIN":
            if waiting and (kind == waiting[0].name or len(waiting) >= NESTED_MAX):
                yield from _cut_off(waiting, done)
            waiting.append(Component(name=kind, calendar=calendar))
        elif mark == b"END" and any(one.name == kind for one in waiting):
            yield from _end(waiting, kind, done)
        elif mark == b"END":
            yield from _cut_off(waiting, done)
        elif waiting:
            waiting[-1].add(line)
        elif len(calendar) < CALENDAR_PROPERTIES_MAX and (one := _property(line)) is not None:
            calendar.setdefault(one[0], []).append(one[1])
    yield from _cut_off(waiting, done)


def _end(waiting: list[Component], kind: str, done: int) -> Iterator[Component]:
    """Close the innermost component of this kind; yield it if it lies in no other."""
    while waiting:
        closed = waiting.pop()
        closed.bytes_done = done
        if waiting and closed.name != "VALARM":
            waiting[0].size_bytes += closed.size_bytes + _ENTRY_BYTES
            if waiting[0].size_bytes <= COMPONENT_BYTES_MAX:
                waiting[-1].inner.append(closed)
        if closed.name == kind:
            if not waiting:
                yield closed
            return


def _cut_off(waiting: list[Component], done: int) -> Iterator[Component]:
    """Yield the outermost open component as one that has no end, and forget all open ones."""
    if waiting:
        first = waiting[0]
        first.problem, first.bytes_done = first.problem or f"has no END:{first.name}", done
        waiting.clear()
        yield first


def _lines(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield (line without its folds, how many bytes are read with it)."""
    line, done, read = bytearray(), 0, 0
    is_new = True
    while raw := stream.readline(LINE_BYTES_MAX):
        part = raw.rstrip(b"\r\n")
        if is_new and part[:1] not in (b" ", b"\t"):
            if line:
                yield bytes(line), done
            line = bytearray()
            part = part if done else part.removeprefix(b"\xef\xbb\xbf")
        elif is_new:
            part = part[1:]
        line += part[: LINE_BYTES_MAX - len(line)]
        read += len(raw)
        is_new, done = raw.endswith(b"\n"), read
    if line:
        yield bytes(line), read
