"""Content transfer encodings, read leniently.

Knows base64, quoted-printable and uuencode. Must not know headers or character sets. Never raises.
"""

import binascii
import re

_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_UU_NAMES = frozenset(["x-uuencode", "uuencode", "uue", "x-uue"])


def decoded(raw: bytes, encoding: str) -> bytes:
    """Return what `raw` holds in the transfer encoding of this lower-case name."""
    if encoding == "base64":
        return from_base64(raw)
    if encoding == "quoted-printable":
        return from_quoted_printable(raw)
    return from_uuencode(raw) if encoding in _UU_NAMES else raw


def from_base64(raw: bytes) -> bytes:
    """Return what `raw` encodes; what follows its padding is left out, damage is stepped over."""
    try:
        return binascii.a2b_base64(raw)
    except binascii.Error:
        clean = _NOT_BASE64.sub(b"", raw)
        whole = len(clean) - (len(clean) % 4 == 1)  # one letter alone encodes nothing
        return binascii.a2b_base64(clean[:whole] + b"=" * (-whole % 4))


def from_quoted_printable(raw: bytes, *, in_header: bool = False) -> bytes:
    """Return what `raw` encodes; a broken `=XY` stays as it stands."""
    return binascii.a2b_qp(raw, header=in_header)


def from_uuencode(raw: bytes) -> bytes:
    """Return what stands between `begin` and `end`; without a `begin`, `raw` as it is."""
    lines = iter(raw.splitlines())
    if not any(line.startswith(b"begin ") for line in lines):
        return raw
    found = []
    for line in lines:
        if line.strip() in (b"end", b""):
            break
        found.append(_uu_line(line))
    return b"".join(found)


def _uu_line(line: bytes) -> bytes:
    """Return what one line encodes; marks beyond the length that it states are left out."""
    stated = (((line[0] - 32) & 63) * 4 + 5) // 3
    for kept in (line, line[:stated]):
        try:
            return binascii.a2b_uu(kept)
        except binascii.Error:
            continue
    return b""


def base64_size_bytes(raw: bytes) -> int:
    """Return how many bytes a base64 text encodes, without decoding it."""
    marks = len(raw) - raw.count(b"\n") - raw.count(b"\r") - raw.count(b"=")
    return marks * 3 // 4
