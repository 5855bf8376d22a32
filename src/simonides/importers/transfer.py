"""Content transfer encodings, read leniently.

Knows base64 and quoted-printable. Must not know headers or character sets. Never raises.
"""

import binascii
import re

_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


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


def base64_size_bytes(text: str, *, dropped: int = 0) -> int:
    """Return how many bytes a base64 text encodes, without decoding it.

    `dropped` counts characters that were not kept; they are taken to hold as many line ends as
    the rest, so that the size of a cut text is exact to about a line.
    """
    marks = len(text) - text.count("\n") - text.count("\r") - text.count("=")
    return (marks + dropped * marks // max(len(text), 1)) * 3 // 4
