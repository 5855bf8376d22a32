"""How long to wait before asking a busy endpoint again; pure.

Knows exponential growth, full jitter and the header `Retry-After` (RFC 9110, section 10.2.3).
Must not know a clock, nor what is asked.
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

FIRST_S = 0.5
"""Upper bound of the first wait, in seconds; it doubles with each further one."""

LONGEST_S = 30.0
"""Upper bound of any wait that we choose ourselves, in seconds."""


def backoff_s(attempt: int, *, draw: float, longest_s: float = LONGEST_S) -> float:
    """Return seconds to wait: ``draw * min(longest_s, 0.5 * 2 ** attempt)``.

    Full jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).

    Args:
        attempt: Number of the attempt that failed, from 0.
        draw: A random number in [0, 1).
        longest_s: Upper bound of the wait.
    """
    return draw * min(longest_s, FIRST_S * 2.0**attempt)


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Return the seconds that `Retry-After` asks for; 0 if it is absent or unreadable.

    A date is counted from the reply's own `Date`, so that the clocks need not agree.
    """
    wish = headers.get("retry-after", "").strip()
    try:
        seconds = float(wish)
    except ValueError:
        seconds = _seconds_between(headers.get("date", ""), wish)
    return max(seconds, 0.0) if isfinite(seconds) else 0.0


def _seconds_between(begin: str, end: str) -> float:
    try:
        return (parsedate_to_datetime(end) - parsedate_to_datetime(begin)).total_seconds()
    except (TypeError, ValueError):
        return 0.0
