"""Number formats of spreadsheets: the text in which a sheet shows a number.

Knows percentages, money and plain numbers. Codes of dates, fractions and powers of ten are left to
others. Must not know files.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

CODE_CHARS_MAX = 255
"""Longest code, as Excel has it."""

PLACES_MAX = 30
"""Most digits behind the point that a code may ask for."""

_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _(?P<blank>.) | \*(?P<filled>.)
    | \[\$(?P<money>[^\]\-]*)[^\]]*\] | \[(?P<bracket>[^\]]*)\]
    | (?P<digits>[0\#?]([0\#?,.]*[0\#?])?,* | \.[0\#?]+) | (?P<end>;) | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
"""A part of a code; money is written `[$€-407]`, a symbol with the country of its digits."""

_COLOUR = re.compile(r"(?i:black|blue|cyan|green|magenta|red|white|yellow|color ?\d{1,2})")
_LITERALS = frozenset("$€£¥%-+()/:!^&'~{}<>= ,\u00a0\u202f")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """What stands around the digits, how these are written, and times which power of ten."""

    before: str
    digits: str
    behind: str
    scale: int

    def text(self, number: Decimal) -> str:
        """Return a number that is not negative with all that stands around it."""
        digits = _digits(number.scaleb(self.scale), self.digits.rstrip(","))
        return " ".join(f"{self.before}{digits}{self.behind}".split())


def is_number_format(code: str) -> bool:
    """Return whether a code is one of numbers that is known."""
    return bool(_sections(code))


def show_number(number: float, code: str) -> str | None:
    """Return a number as a sheet shows it; None where its code is of another kind."""
    sections = _sections(code)
    if not sections:
        return None
    is_negative = number < 0
    place = 1 if is_negative else 2 * (not number)
    own = place < len(sections)
    section = sections[place if own else 0]
    try:
        text = section.text(abs(Decimal(repr(number))))
    except (InvalidOperation, ValueError):  # no number, or more digits than decimals have
        return None
    is_signed = is_negative and not own and any(one in "123456789" for one in text)
    return (f"-{text}" if is_signed else text) or None


@lru_cache(maxsize=1_000)
def _sections(code: str) -> tuple[_Section, ...]:
    """Return the sections of a code for numbers above, below and at zero; none if not known."""
    if len(code) > CODE_CHARS_MAX:
        return ()
    found: list[_Section] = []
    for part in _parts(code)[:3]:
        section = _section(part)
        if section is None:
            return ()
        found.append(section)
    return tuple(found) if found[0].digits else ()


def _parts(code: str) -> list[list[re.Match[str]]]:
    parts: list[list[re.Match[str]]] = [[]]
    for token in _TOKEN.finditer(code):
        if token["end"]:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _section(tokens: list[re.Match[str]]) -> _Section | None:
    """Return a section; None if it holds what is not known, such as a condition or a day."""
    around, digits = ["", ""], ""
    for token in tokens:
        text = _literal(token)
        if text is None or (token["digits"] and digits):
            return None
        digits = token["digits"] or digits
        around[bool(digits)] += text
    if len(digits.partition(".")[2]) > PLACES_MAX or digits.count(".") > 1:
        return None
    percents = sum(token["other"] == "%" for token in tokens)
    scale = 2 * percents - 3 * (len(digits) - len(digits.rstrip(",")))
    return _Section(before=around[0], digits=digits, behind=around[1], scale=scale)


def _literal(token: re.Match[str]) -> str | None:
    """Return the characters that a part of a code shows beside digits; None if not known."""
    if token["bracket"] is not None:
        return "" if _COLOUR.fullmatch(token["bracket"]) else None
    if token["other"]:
        return token["other"] if token["other"] in _LITERALS else None
    if token["blank"] or token["filled"]:
        return " "
    return token["quoted"] or token["escaped"] or token["money"] or ""


def _digits(number: Decimal, pattern: str) -> str:
    """Return the digits of a number as `#,##0.00` and the like ask for; none for no pattern."""
    if not pattern:
        return ""
    whole, _, places = pattern.partition(".")
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), rounding=ROUND_HALF_UP)
    before, _, behind = f"{rounded:f}".partition(".")
    least = len(places.rstrip("#?"))
    behind = behind[:least] + behind[least:].rstrip("0")
    before = before.lstrip("0").zfill(whole.count("0"))
    if "," in whole:
        before = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", before)
    return f"{before}.{behind}" if behind else before
