"""A mail's tree of parts, read from its bytes in linear time.

Knows header blocks, boundaries and mails inside of mails. Must not know what a part means to a
reader. Never raises: what is damaged is read as far as it goes, what is too much is noted in the
budget. Parts are places in the mail's own bytes; nothing is copied before its text is wanted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from simonides.importers.budget import DEPTH_MAX, HEADER_BYTES_MAX, HEADERS_MAX, ParseBudget
from simonides.importers.parameter import Parameters, parameters
from simonides.importers.transfer import decoded

Fields = dict[str, list[str]]
"""Header values by lower-case name, in the order of the message.

They stand as they came: folded, and 8-bit bytes as surrogates.
"""

MAIL_TYPES = frozenset(["message/rfc822", "message/news", "message/global", "text/rfc822-headers"])
"""Media types of a mail inside of a mail, or of its head alone."""

_FIELD = re.compile(rb"([!-9;-~]{1,998}+)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)\n?")
"""One header; blanks before the colon are obsolete syntax (RFC 5322, 4.5) that is still met."""

_PASSED_OVER = re.compile(rb">?From [^\n]*+\n?|:[^\n]*+\n?")
"""What stands between headers without being one."""

_BLANK_LINE = re.compile(rb"\r?\n")
_FIRST_FOLDED = re.compile(rb"[ \t][^\n]*+\n?")
_DELIMITER_END = re.compile(rb"(--)?[ \t]*+(?:\r?\n|\r?\Z)")
_BOUNDARY_CHARS_MAX = 998


@dataclass(slots=True, kw_only=True)
class Part:
    """A mail or a part of one: its headers, where its body lies, and the parts of that body.

    `number` is counted as IMAP does, empty for the mail itself.
    """

    raw: bytes
    start: int
    end: int
    fields: Fields
    media_type: str
    parameters: Parameters
    number: str
    parts: list["Part"] = field(default_factory=list)

    @property
    def encoding(self) -> str:
        """Return the transfer encoding's name, in small letters."""
        return self.header("content-transfer-encoding").strip().lower()

    def header(self, name: str) -> str:
        """Return the first value of a header by its lower-case name; empty where there is none."""
        values = self.fields.get(name)
        return values[0] if values else ""

    def walk(self) -> Iterator["Part"]:
        """Yield this part and all below it, in their order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def parse(raw: bytes, budget: ParseBudget) -> Part:
    """Return the mail in `raw`, from its first header on."""
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")
    return _Reader(raw, budget).part(0, len(raw), default="text/plain", number="", depth=0)


class _Reader:
    """Reads the parts that lie in one run of bytes."""

    def __init__(self, raw: bytes, budget: ParseBudget) -> None:
        self.raw = raw
        self.budget = budget

    def part(self, start: int, end: int, *, default: str, number: str, depth: int) -> Part:
        """Return the part between two places, with all that is in it."""
        fields, body = self._headers(start, end, number)
        stated = (fields.get("content-type") or [""])[0]
        part = Part(
            raw=self.raw,
            start=body,
            end=end,
            fields=fields,
            media_type=_media_type(stated, default),
            parameters=parameters(stated) if ";" in stated else {},
            number=number,
        )
        if part.media_type.startswith("multipart/") or part.media_type in MAIL_TYPES:
            self._take_apart(part, depth=depth)
        return part

    def _take_apart(self, part: Part, *, depth: int) -> None:
        if depth >= DEPTH_MAX:
            self.budget.lose(part.number, f"nested deeper than {DEPTH_MAX} parts; not taken apart")
        elif part.media_type in MAIL_TYPES:
            self._read_inner(part, depth=depth)
        else:
            self._split(part, depth=depth)

    def _read_inner(self, part: Part, *, depth: int) -> None:
        """Read the mail that is this part's body, be it encoded or not."""
        if not self.budget.take_part():
            return
        number = f"{part.number}.1".lstrip(".")
        reader, start, end = self, part.start, part.end
        if part.encoding not in ("", "7bit", "8bit", "binary"):
            raw = decoded(self.raw[start:end], part.encoding)
            reader, start, end = _Reader(raw, self.budget), 0, len(raw)
        start += len(reader.raw[start : start + 64]) - len(reader.raw[start : start + 64].lstrip())
        inner = reader.part(start, end, default="text/plain", number=number, depth=depth + 1)
        part.parts.append(inner)

    def _split(self, part: Part, *, depth: int) -> None:
        """Split a multipart at its boundary; without one that works it has no parts."""
        boundary = part.parameters.get("boundary", "").rstrip()[:_BOUNDARY_CHARS_MAX]
        if not boundary:
            return
        default = "message/rfc822" if part.media_type == "multipart/digest" else "text/plain"
        for start, end in self._between(boundary.encode("utf-8", "surrogateescape"), part):
            if not self.budget.take_part():
                return
            number = f"{part.number}.{len(part.parts) + 1}".lstrip(".")
            child = self.part(start, end, default=default, number=number, depth=depth + 1)
            part.parts.append(child)

    def _between(self, boundary: bytes, part: Part) -> Iterator[tuple[int, int]]:
        """Yield where the parts lie between the lines of this boundary, to the last one or end."""
        begun = -1
        for start, end, is_last in self._delimiters(b"--" + boundary, part):
            if begun >= 0:
                yield begun, max(begun, start)
            elif is_last:  # closed without ever being begun: all before is text
                part.end = start
            begun = -1 if is_last else end
            if is_last:
                return
        if begun >= 0:
            yield begun, part.end

    def _delimiters(self, mark: bytes, part: Part) -> Iterator[tuple[int, int, bool]]:
        """Yield (end of what is before, begin of what follows, whether it is the last)."""
        raw, at = self.raw, part.start
        while True:
            at = raw.find(mark, at, part.end)
            if at < 0:
                return
            stop = at + len(mark)
            if at == part.start or raw[at - 1] == ord("\n"):
                match = _DELIMITER_END.match(raw, stop, part.end)
                if match:
                    before = at - 1 - (at > part.start + 1 and raw[at - 2] == ord("\r"))
                    yield max(before, part.start), match.end(), match[1] is not None
                    stop = match.end()
            at = stop

    def _headers(self, start: int, end: int, number: str) -> tuple[Fields, int]:
        """Return the headers that begin at `start`, and where the body begins."""
        fields: Fields = {}
        raw, at, count = self.raw, start, 0
        first = _FIRST_FOLDED.match(raw, at, end)
        at = first.end() if first else at
        while match := _FIELD.match(raw, at, end) or _PASSED_OVER.match(raw, at, end):
            at = match.end()
            count += 1
            if count > HEADERS_MAX:
                self.budget.lose(number, f"more than {HEADERS_MAX} headers; the rest is left out")
                return fields, self._after_headers(at, end)
            if match.re is _FIELD:
                self._keep(fields, match, number)
        blank = _BLANK_LINE.match(raw, at, end)
        return fields, blank.end() if blank else at

    def _keep(self, fields: Fields, match: re.Match[bytes], number: str) -> None:
        name, value = match[1].decode("ascii").lower(), match[2]
        if len(value) > HEADER_BYTES_MAX:
            reason = f"the header {name[:40]} is longer than {HEADER_BYTES_MAX} bytes; it is cut"
            self.budget.lose(number, reason)
            value = value[:HEADER_BYTES_MAX]
        text = value.decode("ascii", "surrogateescape").lstrip(" \t").rstrip("\r\n")
        fields.setdefault(name, []).append(text)

    def _after_headers(self, at: int, end: int) -> int:
        """Return where the body begins below headers that are not read."""
        found = [self.raw.find(mark, at - 1, end) for mark in (b"\n\n", b"\n\r\n")]
        ends = [place + 2 for place in found if place >= 0]
        return min(ends, default=end)


def _media_type(stated: str, default: str) -> str:
    """Return the media type without parameters and comments; what is none is plain text."""
    found = stated.partition(";")[0].partition("(")[0].strip().lower()
    if not found:
        return default
    return found if found.count("/") == 1 else "text/plain"
