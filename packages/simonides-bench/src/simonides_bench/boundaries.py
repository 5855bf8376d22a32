"""Values at the limits of every sort: what programs that take any input are broken with.

Knows values only. Must not know what they are sent to, nor which of them are taken.
"""

import math
from typing import Any

WHOLES: tuple[int, ...] = (
    0, 1, -1, *(sign * (2**bits) + more for bits in (7, 8, 15, 16, 31, 32, 53, 63, 64)
                for sign in (1, -1) for more in (-1, 0, 1)),
    10**18, 10**19, 10**30, 10**308, 10**309, 10**4000,
)  # fmt: skip
"""Ends of the whole numbers of 8 to 64 bits, of those that a float keeps, and past every float."""

NUMBERS: tuple[float, ...] = (
    0.0, -0.0, 0.5, 1.0, -1.0, 5e-324, 2.2250738585072014e-308, 1e-308, 1e-300, 1e300, 1e308,
    1.7976931348623157e308, -1e308, 1 + 2**-52, math.nan, math.inf, -math.inf,
)  # fmt: skip
"""Zeros, ends of the floats, those below the least normal one, and those that are not finite."""

TEXTS: tuple[str, ...] = (
    "", " ", "\n", "\r\n", "\t", "\x00", "a\x00b", "\x1f", "\x7f", "\x85", "\u2028", "\ufeff",
    "\ud800", "\udfff", "a\ud800", "\U0001f600", "\u200b", "\u200d", "\u202e", "\u2066a\u2069",
    "e\u0301", "\u0130", "\ufdfa" * 9, "\ufffe", "\U0010ffff", "\u0345" * 99, "가" * 50,
    "\U0001d518" * 50,
    "'; DROP TABLE item; --", "%", "_", "../..", "/", "\\", '"', "{}", "[", "null", "NaN", "-0",
    "1e999", "9" * 400, "harbor", "from:harbor", '"harbor" deadline', "last week", "=1+1",
    "x" * 63, "x" * 64, "x" * 65, "x" * 255, "x" * 256, "x" * 257, "x" * 999, "x" * 1_000,
    "x" * 1_001, "é" * 1_000, "x" * 10_001, "a b " * 5_000, "\n" * 10_000,
)  # fmt: skip
"""Nothing, marks that do not print, halves of characters, other scripts, code, and long ones."""

TIMES: tuple[str, ...] = (
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00-23:59",
    "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59+23:59",
    "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1582-10-04T00:00:00+14:00",
    "2038-01-19T03:14:08Z", "2026-03-29T02:30:00+01:00", "2026-03-12", "0001-01-01", "9999-12-31",
    "2026-02-30", "2026-03-12T24:00:00Z", "2026-03-12T23:59:60Z", "2026-W11-4", "10000-01-01",
    "-0001-01-01", "2026-03-12T09:00:00+24:00", "2026-03-12T09:00:00.1234567Z", "yesterday", "0",
    "9007199254740993", "999999999999999999", "1e9",
)  # fmt: skip
"""The first and the last time in zones in which they are no time, and what is none."""


def nest(depth: int, *, leaf: Any = 1, is_list: bool = False) -> Any:
    """Return a value that is nested so deep, in objects or in lists."""
    made = leaf
    for _ in range(depth):
        made = [made] if is_list else {"a": made}
    return made


JSON: tuple[Any, ...] = (
    None, True, False, [], {}, [[]], {"": 1}, {"a": None}, {"\x00": 1}, {"k" * 5_000: "v"},
    {"k" * 10_001: 1}, {"a.b": 1, "$": 2, "$.x": 3}, {"a": [1, "a", None, {"b": []}]}, [None] * 999,
    nest(31), nest(32), nest(33), nest(31, is_list=True), nest(33, is_list=True),
    nest(400), {"_trust": "own"}, {"_context": [1]}, {"_seen": 2**63, "_value": 1},
)  # fmt: skip
"""What JSON can hold besides: empty, nested too deep, under odd keys, and under those of ours."""
