"""The port of stores that find candidates themselves, for spaces that do not fit into memory.

Must not know any adapter, nor how candidates are scored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from simonides.model.filter import Filter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from simonides.ports.space import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCounts:
    """What is counted over the present of a whole space, as exact integers.

    `vector_total` is the sum by dimension of the vectors that count in the mean, `vectors` their
    number; `items` how many there are of each kind, source and language.
    """

    chunks: int
    length_total: int
    vectors: int
    vector_total: Sequence[int]
    waiting: int
    items: Mapping[tuple[str, str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A filter with its names resolved, and what steers besides: all of it must hold.

    `mentioned` are (part, entities): any of the entities is an `author`, takes `part`, or is
    mentioned in `any` way. `keys` are sets of item keys, each of which holds the item, and
    `without_keys` are of items that are not wanted. `pointed`
    are sources and kinds, any of which the item has. `since_us` and `until_us` bound its time,
    half-open. What has expired by `now_us` is left out, if given.
    """

    filter: Filter
    now_us: int | None = None
    mentioned: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keys: tuple[tuple[int, ...], ...] = ()
    without_keys: tuple[int, ...] = ()
    pointed: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    since_us: int | None = None
    until_us: int | None = None


class Matches(NamedTuple):
    """The present chunks that hold any of some terms, by rising (item key, ordinal).

    item_keys: int64[n]; ordinals: int64[n]; lengths: int64[n], how many terms each has, of any;
    sizes: int64[n], how many it holds of those that were asked for; terms: uint64[sum of sizes],
    these, one chunk's after another, and counts: uint8, how often it holds each.
    """

    item_keys: "npt.NDArray[np.int64]"
    ordinals: "npt.NDArray[np.int64]"
    lengths: "npt.NDArray[np.int64]"
    sizes: "npt.NDArray[np.int64]"
    terms: "npt.NDArray[np.uint64]"
    counts: "npt.NDArray[np.uint8]"


class Lanes(Protocol):
    """The lanes of a space as of one revision: each returns the keys of candidates."""

    def counts(self) -> SpaceCounts | None:
        """Return the counts of the space; None where they are not of this revision."""
        ...

    def names_of(self, entity: str) -> Sequence[str]:
        """Return the names by which present items mention an entity."""
        ...

    def holding(self, terms: Sequence[int]) -> Matches:
        """Return every present chunk that holds any of these terms."""
        ...

    def find_unwanted(self, keys: Sequence[int], wanted: Wanted) -> frozenset[int]:
        """Return those of these items that are not wanted."""
        ...

    def nearest(self, query: Sequence[int], wanted: Wanted, *, limit: int) -> list[int]:
        """Return the items of the wanted chunks nearest to a centred query, nearest first."""
        ...

    def read_ordered(self, wanted: Wanted, *, limit: int, latest: bool = True) -> list[int]:
        """Return the latest wanted items, or the earliest."""
        ...

    def saying(self, texts: Sequence[str], wanted: Wanted, *, limit: int) -> list[int]:
        """Return the latest wanted items that hold any of these texts, letter case ignored."""
        ...

    def tags(self) -> Sequence[tuple[int, Sequence[str]]]:
        """Return the keys and tags of the present items that have some."""
        ...

    def around(self, keys: Sequence[int], *, steps: int) -> list[int]:
        """Return these items and so many before and after each in its session."""
        ...

    def find_written_to(self, owner: Sequence[str], keys: Sequence[int]) -> list[int]:
        """Return one item by the owner to each author of these items whom the owner wrote to."""
        ...

    def among(self, keys: Sequence[int]) -> "Reader":
        """Return a reader of the same revision that tells of these items alone.

        Their chunks come without terms: `holding` has those that count.
        """
        ...
