"""What is kept about items beside them: surrogates (derived) and engagement (a fact).

Knows shapes. Must not know how a surrogate is made or what engagement is worth.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from simonides.model.result import Result


class Tier(StrEnum):
    """How much of an item a surrogate tells."""

    FULL = "full"
    GIST = "gist"
    MICRO = "micro"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrogate(Result):
    """Shorter stand-ins for one version of one item.

    `item_key` names the version, `source_hash` is the item's digest when they were made: where
    it differs from the item's, the surrogate is stale and is never served. `algorithm` and
    `version` say how they were made.
    """

    item_key: int
    algorithm: str
    version: int
    source_hash: bytes
    full: str
    gist: str
    micro: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwritten(Result):
    """An item whose surrogate could not be written, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogatesBuilt(Result):
    """What a build of surrogates did.

    Of the items that are long enough to have one, `built` have a new one, `up_to_date` had theirs,
    `left` were not come to, and `unwritten` still have none. The four add up to all of them, if
    nobody else writes meanwhile.
    """

    built: int = 0
    up_to_date: int = 0
    left: int = 0
    unwritten: tuple[Unwritten, ...] = ()
    took_s: float = 0.0


class Engaged(StrEnum):
    """What a person or an answer did with an item. Being found is none of it."""

    USED = "used"
    CITED = "cited"
    OPENED = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engagement(Result):
    """How often an item was engaged with, and when last (aware UTC)."""

    count: int
    last_at: datetime
