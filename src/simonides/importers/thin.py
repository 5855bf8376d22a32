"""Very large messages made small before they are parsed: long parts are cut, and say so.

Knows where MIME parts begin and end. Must not know what is in them.
"""

import re
from itertools import islice

RAW_BYTES_MAX = 96 << 20
"""Longest message that is held in memory; what follows in the file is stepped over."""

THIN_FROM_BYTES = 8 << 20
"""Messages up to this size are parsed as they are; no part of a longer one keeps more.

A text attachment of 5 MB has 6.9 MB in base64.
"""

THIN_TOTAL_BYTES = 16 << 20
"""What the parts of a thinned message may keep together."""

DROPPED = "X-Simonides-Dropped"
"""Header put before a part that was cut: how many bytes of its body were dropped."""

_LEAST_BYTES = 16 << 10
"""What every part may keep, however many there are."""

_BOUNDARIES_MAX = 100
_BOUNDARY = re.compile(rb'boundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))', re.IGNORECASE)


def thin(raw: bytes) -> bytes:
    """Return `raw` with its long parts cut at a line's end and marked with a `DROPPED` header."""
    if len(raw) <= THIN_FROM_BYTES:
        return raw
    left = THIN_TOTAL_BYTES
    kept = []
    for start, stop in _segments(raw):
        segment = _cut(raw[start:stop], max(min(THIN_FROM_BYTES, left), _LEAST_BYTES))
        left = max(left - len(segment), 0)
        kept.append(segment)
    return b"".join(kept)


def _segments(raw: bytes) -> list[tuple[int, int]]:
    """Return where the parts lie: from after one boundary line to the end of the next."""
    found = islice(_BOUNDARY.finditer(raw), _BOUNDARIES_MAX)
    names = {match[1] or match[2] for match in found}
    if not names:
        return [(0, len(raw))]
    lines = rb"^--(?:" + b"|".join(map(re.escape, sorted(names))) + rb")(?:--)?[ \t]*\r?\n"
    ends = [match.end() for match in re.finditer(lines, raw, re.MULTILINE)]
    return list(zip([0, *ends], [*ends, len(raw)], strict=True))


def _cut(segment: bytes, room: int) -> bytes:
    """Return the headers, at most `room` bytes of the body, and the boundary line at its end."""
    body = _after_headers(segment)
    last_line = segment.rfind(b"\n", body, len(segment) - 1) + 1
    boundary = segment[last_line:] if segment.startswith(b"--", last_line) else b""
    stop = len(segment) - len(boundary)
    if stop - body <= room:
        return segment
    cut = segment.rfind(b"\n", body, body + room) + 1 or body + room
    dropped = f"{DROPPED}: {stop - cut}\n".encode()
    return dropped + segment[:cut] + b"\n" + boundary


def _after_headers(segment: bytes) -> int:
    """Return where the body begins; 64 KiB in at most, so that a body without headers is cut."""
    ends = [segment.find(mark, 0, 1 << 16) for mark in (b"\n\n", b"\r\n\r\n")]
    found = [end for end in ends if end >= 0]
    return min(found) + 2 if found else min(len(segment), 1 << 16)
