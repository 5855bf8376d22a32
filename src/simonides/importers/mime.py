"""A mail's tree of parts, read from its bytes in linear time, within limits.

Knows header blocks, boundaries and mails inside of mails. Must not know what a part means to a
reader. Never raises: damaged input is read as far as it goes, and what exceeds a limit is noted in
the budget. The limits are of sizes and counts, never of time. Parts are places in the mail's own
bytes; nothing is copied before its text is wanted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import unquote_to_bytes

from simonides.importers.charset import decode, decode_transfer

RAW_BYTES_MAX = 96 << 20
"""Longest message that is held in memory; what follows in the file is stepped over."""

PARTS_MAX = 1_000
"""Most parts of one message that are read, mails inside of it and their parts included."""

DEPTH_MAX = 32
"""How deep parts are nested; a deeper one is not taken apart."""

HEADERS_MAX = 1_000
"""Most header lines of one part that are read."""

HEADER_BYTES_MAX = 65_536
"""Longest header value that is read; the rest of a longer one is left out."""

PARAMETERS_MAX = 100
"""Most parameters of one header that are read."""

TEXT_CHARS_MAX = 16 << 20
"""Most characters of text that one message keeps, its attachments included."""

TEXT_CHARS_MIN = 1 << 20
"""With fewer characters left, a text that does not fit ends the reading of attachments."""

LOSSES_MAX = 20
"""Most entries that one message adds to the report; the last one says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One thing that was left out of a message: the part it stood in, and why.

    `part` is numbered as IMAP does: `2.1` is the first part of the second; empty for the message.
    """

    part: str
    reason: str


class ParseBudget:
    """The parts and characters that a message may still hold, and what was left out so far."""

    def __init__(self) -> None:
        self._parts_left = PARTS_MAX
        self._chars_left = TEXT_CHARS_MAX
        self._losses: dict[Loss, None] = {}
        self.is_used_up = False

    @property
    def losses(self) -> list[Loss]:
        """Return the omissions in their order, at most `LOSSES_MAX` entries."""
        found = list(self._losses)
        if len(found) <= LOSSES_MAX:
            return found
        more = len(found) - LOSSES_MAX + 1
        return [*found[: LOSSES_MAX - 1], Loss(part="", reason=f"{more} more things were left out")]

    def lose(self, part: str, reason: str) -> None:
        """Note that something in `part` is not kept."""
        self._losses[Loss(part=part, reason=reason)] = None

    def take_part(self) -> bool:
        """Count one part; return False where the message has had all that it may have."""
        self._parts_left -= 1
        if self._parts_left < 0:
            self.lose("", f"more than {PARTS_MAX} parts; the rest is left out")
        return self._parts_left >= 0

    def take_text(self, text: str, *, part: str) -> str:
        """Return `text`, or empty where the message may not keep so much more."""
        if len(text) > self._chars_left:
            limit = f"{TEXT_CHARS_MAX} characters in all its parts"
            self.lose(part, f"the message has more than {limit}; this one is left out")
            self.is_used_up = self._chars_left < TEXT_CHARS_MIN
            return ""
        self._chars_left -= len(text)
        return text


Parameters = dict[str, str]
"""Values by lower-case name, unquoted; 8-bit bytes as surrogates."""

_PARAMETER = re.compile(
    r';[\s;]*+(?:([^\s=;"]++)\s*+(?:=\s*+("(?:[^"\\]|\\.)*+"?|[^;]*+))?)?', re.DOTALL
)
_PIECE = re.compile(r"([^*]+)(?:\*(\d{1,3}))?(\*)?")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

_Pieces = dict[int, tuple[str, bool]]
"""The pieces of one value by their number: (text, whether it is percent-encoded)."""


def parameters(value: str) -> Parameters:
    """Return the parameters after the first `;`; of two with one name the first stands."""
    found: dict[str, _Pieces] = {}
    for match in islice(_PARAMETER.finditer(value), PARAMETERS_MAX):
        piece = _PIECE.fullmatch(match[1] or "")
        if piece is None:
            continue
        pieces = found.setdefault(piece[1].lower(), {})
        number = -1 if piece[2] is None and piece[3] is None else int(piece[2] or 0)
        pieces.setdefault(number, (_unquote(match[2] or ""), piece[3] is not None))
    return {name: _join(pieces) for name, pieces in found.items()}


def _unquote(text: str) -> str:
    text = text.strip()
    if not text.startswith('"'):
        return text
    inside = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
    return _ESCAPED.sub(_escape, inside)


def _escape(match: re.Match[str]) -> str:
    """Return an escaped quote or backslash; before anything else a backslash is itself."""
    return match[1] if match[1] in '"\\' else match[0]


def _join(pieces: _Pieces) -> str:
    """Return the value in one: the encoded one where there is one, as RFC 6266 asks."""
    numbered = [pieces[number] for number in sorted(pieces) if number >= 0]
    if not numbered:
        return pieces[-1][0]
    if not any(is_encoded for _, is_encoded in numbered):
        return "".join(text for text, _ in numbered)
    charset, (text, is_encoded) = "", numbered[0]
    if is_encoded and text.count("'") > 1:
        charset, _, text = text.split("'", 2)
    rest = [(text, is_encoded), *numbered[1:]]
    return decode(b"".join(_bytes(one, is_encoded=encoded) for one, encoded in rest), charset)


def _bytes(text: str, *, is_encoded: bool) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    return unquote_to_bytes(raw) if is_encoded else raw


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
class MimePart:
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
    parts: list["MimePart"] = field(default_factory=list)

    @property
    def encoding(self) -> str:
        """Return the transfer encoding's name, in small letters."""
        return self.header("content-transfer-encoding").strip().lower()

    def header(self, name: str) -> str:
        """Return the first value of a header by its lower-case name; empty where there is none."""
        values = self.fields.get(name)
        return values[0] if values else ""

    def walk(self) -> Iterator["MimePart"]:
        """Yield this part and all below it, in their order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def parse(raw: bytes, budget: ParseBudget) -> MimePart:
    """Return the mail in `raw`, from its first header on."""
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")
    return _PartReader(raw, budget).part(0, len(raw), default="text/plain", number="", depth=0)


class _PartReader:
    """Reads the parts that lie in one run of bytes."""

    def __init__(self, raw: bytes, budget: ParseBudget) -> None:
        self.raw = raw
        self.budget = budget

    def part(self, start: int, end: int, *, default: str, number: str, depth: int) -> MimePart:
        """Return the part between two places, with all that is in it."""
        fields, body = self._headers(start, end, number)
        stated = (fields.get("content-type") or [""])[0]
        part = MimePart(
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

    def _take_apart(self, part: MimePart, *, depth: int) -> None:
        if depth >= DEPTH_MAX:
            self.budget.lose(part.number, f"nested deeper than {DEPTH_MAX} parts; not taken apart")
        elif part.media_type in MAIL_TYPES:
            self._read_inner(part, depth=depth)
        else:
            self._split(part, depth=depth)

    def _read_inner(self, part: MimePart, *, depth: int) -> None:
        """Read the mail that is this part's body, be it encoded or not."""
        if not self.budget.take_part():
            return
        number = f"{part.number}.1".lstrip(".")
        reader, start, end = self, part.start, part.end
        if part.encoding not in ("", "7bit", "8bit", "binary"):
            raw = decode_transfer(self.raw[start:end], part.encoding)
            reader, start, end = _PartReader(raw, self.budget), 0, len(raw)
        start += len(reader.raw[start : start + 64]) - len(reader.raw[start : start + 64].lstrip())
        inner = reader.part(start, end, default="text/plain", number=number, depth=depth + 1)
        part.parts.append(inner)

    def _split(self, part: MimePart, *, depth: int) -> None:
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

    def _between(self, boundary: bytes, part: MimePart) -> Iterator[tuple[int, int]]:
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

    def _delimiters(self, mark: bytes, part: MimePart) -> Iterator[tuple[int, int, bool]]:
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
    """Return the media type without parameters and comments; plain text where it is malformed."""
    found = stated.partition(";")[0].partition("(")[0].strip().lower()
    if not found:
        return default
    return found if found.count("/") == 1 else "text/plain"
