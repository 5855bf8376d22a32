"""The parameters of a header such as Content-Type, read in one pass.

Knows RFC 2045 and RFC 2231 as they are met in the wild. Must not know what a parameter means.
"""

import re
from itertools import islice
from urllib.parse import unquote_to_bytes

from simonides.importers.budget import PARAMETERS_MAX
from simonides.importers.charset import decode

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
        pieces.setdefault(number, (_unquoted(match[2] or ""), piece[3] is not None))
    return {name: _joined(pieces) for name, pieces in found.items()}


def _unquoted(text: str) -> str:
    text = text.strip()
    if not text.startswith('"'):
        return text
    inside = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
    return _ESCAPED.sub(_escape, inside)


def _escape(match: re.Match[str]) -> str:
    """Return an escaped quote or backslash; before anything else a backslash is itself."""
    return match[1] if match[1] in '"\\' else match[0]


def _joined(pieces: _Pieces) -> str:
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
