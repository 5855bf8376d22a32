"""Untrusted text made harmless for a terminal.

What is kept came from other people: it may hold escape sequences that move the cursor, set the
window's title or write over what stands there, and marks that make text read backwards. Knows
those characters. Must not know where text is printed.
"""

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0, DEL and C1; newline and tab stay."""

_BREAKS = re.compile(r"\r\n|[\u2028\u2029]")

_DIRECTION = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Bidirectional marks, embeddings, overrides and isolates (Unicode Annex 9)."""


def safe(text: str) -> str:
    """Return `text` without control characters, its bidirectional marks made visible."""
    unbroken = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    return _DIRECTION.sub(lambda mark: f"<U+{ord(mark[0]):04X}>", unbroken)


def one_line(text: str) -> str:
    """Return `text` on one line: every run of white space is one space."""
    return " ".join(safe(text).split())


def clipped(text: str, width: int) -> str:
    """Return `text` on one line of at most `width` characters, cut with an ellipsis."""
    line = one_line(text)
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"
