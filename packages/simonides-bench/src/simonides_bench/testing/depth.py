"""How deep the property tests look: a share of their examples day by day, all of them on request.

`make test` looks daily, `make test-all` at full depth (`HYPOTHESIS_PROFILE=deep`).
"""

import os

DAILY_SHARE = 0.3
"""The share of its examples that a property is tried with day by day: 50 become 15."""

LEAST, DAILY_MAX = 3, 15
"""Fewest examples of a property, and the most that it is tried with day by day."""


def examples(at_depth: int) -> int:
    """Return how many examples a property is tried with, of those that it has at full depth."""
    if os.environ.get("HYPOTHESIS_PROFILE", "same") != "same":
        return at_depth
    return min(DAILY_MAX, max(LEAST, round(DAILY_SHARE * at_depth)))
