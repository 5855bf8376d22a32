"""The order in which candidates are taken: by score, and by what makes them fit to answer.

A search ranks each item by itself; a brief is read as a whole. What stands right beside one of
the best in its conversation explains it, and a short question without a name or a number tells
nothing. Scores are left as they are.
"""

import math
import re
from collections.abc import Sequence

from simonides.model.answer import Hit
from simonides.model.item import Item, Kind

BESIDE_WORTHS = (0.04, 0.02)
"""What standing one or two places from one of the best is worth, in units of the score (measured:
docs/explanation/briefs.md)."""

ASKS_COST = 0.2
"""What a message is put back that asks only (measured: the same page)."""

BEST_COUNT = 8
"""How many of the best their neighbours are looked at of."""

_SHORT_WORDS = 30
_ASKS = re.compile(r"[?\uff1f\u061f\u037e]['\"\u201d\u2019)\]]*(?=\s|$)")
_ENDS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f](?=['\"\u201d\u2019)\]]*(?:\s|$))")
_SPECIFIC = re.compile(r"\d|(?<=[^.!?\u2026\s] )[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")

Place = tuple[str, int]


def focused(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order in which a brief takes them, ties by id, NaN last.

    In whatever order they are handed over: the best are those of the highest scores.
    """
    first = sorted(hits, key=lambda hit: _rank(hit.score, hit.id))[:BEST_COUNT]
    best = {place for hit in first if (place := _place(hit.item)) is not None}
    return sorted(hits, key=lambda hit: _rank(hit.score + _worth(hit.item, best), hit.id))


def _rank(worth: float, hit_id: str) -> tuple[float, str]:
    return (math.inf if math.isnan(worth) else -worth, hit_id)


def _worth(item: Item, best: set[Place]) -> float:
    place = _place(item)
    beside = 0.0 if place is None else _beside(place, best)
    return beside - ASKS_COST * _asking(item)


def _beside(place: Place, best: set[Place]) -> float:
    session, position = place
    for away, worth in enumerate(BESIDE_WORTHS, start=1):
        if (session, position - away) in best or (session, position + away) in best:
            return worth
    return 0.0


def _place(item: Item) -> Place | None:
    if not item.session or item.position is None:
        return None
    return (item.session, item.position)


def _asking(item: Item) -> float:
    """Return which share of a short message's sentences are questions; 0 if it tells anything."""
    text = item.content
    if item.kind is not Kind.MESSAGE or len(text.split(None, _SHORT_WORDS - 1)) >= _SHORT_WORDS:
        return 0.0
    asks = len(_ASKS.findall(text))
    if not asks or _SPECIFIC.search(text):
        return 0.0
    return asks / max(asks, len(_ENDS.findall(text)), 1)
