"""Rich text of Outlook: unpacked, and read as the HTML or plain text that it was made of.

Knows the compression of [MS-OXRTFCP], and of RTF as much as [MS-OXRTFEX] wraps HTML and text in.
Must not know mails.
"""

import re
from dataclasses import dataclass, replace

from simonides.importers.charset import decode
from simonides.text.clean import from_html, printable, squeeze

RTF_BYTES_MAX = 4 << 20
"""Most bytes of rich text that are unpacked and read; pictures in it are not wanted."""

DEPTH_MAX = 1_000
"""How deep groups may lie in each other; what lies deeper is read as if it lay there."""

_PACKED, _PLAIN = b"LZFu", b"MELA"
_HEADER_BYTES = 16
_WINDOW = 4096
_FIRST_WORDS = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
"""What the window holds before the first byte ([MS-OXRTFCP], 2.1.2.1)."""


def unpack(raw: bytes) -> bytes:
    """Return the rich text in a compressed stream, as far as it can be unpacked."""
    kind = raw[8:12]
    if kind == _PLAIN:
        return raw[_HEADER_BYTES : _HEADER_BYTES + RTF_BYTES_MAX]
    return _unpack(raw) if kind == _PACKED else b""


def _unpack(raw: bytes) -> bytes:
    window = bytearray(_WINDOW)
    window[: len(_FIRST_WORDS)] = _FIRST_WORDS
    place, at, out = len(_FIRST_WORDS), _HEADER_BYTES, bytearray()
    while at < len(raw) and len(out) < RTF_BYTES_MAX:
        flags, at = raw[at], at + 1
        for bit in range(8):
            piece = raw[at : at + 1]
            if flags >> bit & 1:
                token = int.from_bytes(raw[at : at + 2])
                if token >> 4 == place or at + 1 >= len(raw):
                    return bytes(out)
                begin = token >> 4
                for step in range((token & 15) + 2):
                    byte = window[(begin + step) % _WINDOW]
                    out.append(byte)
                    window[place] = byte
                    place = (place + 1) % _WINDOW
                at += 2
            elif piece:
                out += piece
                window[place] = piece[0]
                place, at = (place + 1) % _WINDOW, at + 1
    return bytes(out)


_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)"
)
_MARKS = {
    b"par": "\n", b"line": "\n", b"row": "\n", b"tab": "\t", b"cell": "\t", b"lquote": "\u2018",
    b"rquote": "\u2019", b"ldblquote": "\u201c", b"rdblquote": "\u201d", b"bullet": "\u2022",
    b"endash": "\u2013", b"emdash": "\u2014",
}  # fmt: skip
_UNSEEN = frozenset(
    [b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"footer"]
)
_ENTITIES = {b"~": "\u00a0", b"-": "", b"_": "-", b"\n": "\n", b"\r": "\n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """What holds inside of one pair of braces."""

    is_seen: bool = True
    is_html: bool = False
    begins: bool = True
    is_starred: bool = False
    fallback_chars: int = 1


class _Reader:
    """The reader of one rich text."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw[:RTF_BYTES_MAX]
        self.wraps_html = b"\\fromhtml" in raw[:2000]
        self.charset = "cp1252"
        self.found: list[str] = []
        self.waiting = bytearray()
        self.groups = [_Group()]
        self.is_rtf_only = False
        self.to_skip = 0

    def read(self) -> str:
        """Return the text or HTML that the rich text holds."""
        for match in _TOKEN.finditer(self.raw):
            word, number, byte, mark, brace, text = match.groups()
            if brace:
                self._brace(brace)
            elif word:
                self._word(word, int(number) if number else None)
            elif byte:
                self._bytes(bytes.fromhex(byte.decode()))
            elif mark:
                self._mark(mark)
            else:
                self._bytes(text)
        self._flush()
        return "".join(self.found)

    def _mark(self, mark: bytes) -> None:
        if mark == b"*":
            self.groups[-1] = replace(self.groups[-1], is_starred=True)
        elif mark in _ENTITIES:
            self._text(_ENTITIES[mark])
        else:
            self._bytes(mark)

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self.to_skip = 0
        if brace == b"{" and len(self.groups) < DEPTH_MAX:
            self.groups.append(replace(self.groups[-1], begins=True, is_starred=False))
        elif brace == b"}" and len(self.groups) > 1:
            self.groups.pop()

    def _word(self, word: bytes, number: int | None) -> None:
        group = self.groups[-1]
        if group.begins or group.is_starred:
            is_html = word == b"htmltag"
            hides = word in _UNSEEN or (group.is_starred and not is_html)
            group = replace(
                group,
                is_html=group.is_html or is_html,
                is_seen=group.is_seen and not hides,
                begins=False,
                is_starred=False,
            )
            self.groups[-1] = group
        if word == b"htmlrtf":
            self._flush()
            self.is_rtf_only = number != 0
        elif word == b"ansicpg" and number:
            self.charset = f"cp{number}" if number != 65001 else "utf-8"  # noqa: PLR2004  UTF-8
        elif word == b"uc":
            self.groups[-1] = replace(group, fallback_chars=min(max(number or 0, 0), 8))
        elif word == b"u" and number is not None:
            self._text(chr(number % 65536))
            self.to_skip = group.fallback_chars
        elif word in _MARKS:
            self._text(_MARKS[word])

    def _bytes(self, raw: bytes) -> None:
        """Take in bytes, less those that stand for a character given in another way."""
        skipped = min(self.to_skip, len(raw))
        self.to_skip -= skipped
        group = self.groups[-1]
        if group.begins:
            self.groups[-1] = group = replace(group, begins=False)
        if group.is_seen and (group.is_html or not self.is_rtf_only):
            self.waiting += raw[skipped:]

    def _text(self, text: str) -> None:
        self._flush()
        group = self.groups[-1]
        if group.is_seen and (group.is_html or not self.is_rtf_only):
            self.found.append(text)

    def _flush(self) -> None:
        if self.waiting:
            self.found.append(decode(bytes(self.waiting), self.charset))
            self.waiting.clear()


def text_of_rtf(raw: bytes) -> str:
    """Return the readable text of a rich text, of HTML wrapped in it, too."""
    reader = _Reader(raw)
    found = reader.read().encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return squeeze(printable(from_html(found) if reader.wraps_html else found)).strip()
