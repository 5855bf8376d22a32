"""What finds the nearest vectors. Must not know any adapter."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt


class VectorMatches(NamedTuple):
    """What a search of a `VectorIndex` found, best first, and how.

    keys: int64[k]; scores: float64[k]; `rounds` says how often an approximate index was asked
    (0: it was not), `fell_back` whether all rows were scanned after it or in its stead.
    """

    keys: "npt.NDArray[np.int64]"
    scores: "npt.NDArray[np.float64]"
    rounds: int = 0
    fell_back: bool = False


class VectorIndex(Protocol):
    """Rows of int8 by key, found by their product with a query.

    Laws: a deleted key never comes back, and an upsert leaves nothing of the row before it; the
    scores are the exact integer products query·row; they fall, and equal ones are ordered by
    rising key; exactly min(top_k, number of keys that pass the filter) come back. Those are the
    best, of equals the ones of the smallest keys, except that an approximate index may take
    others for some of them. `rebuild` changes none of this. One thread at a time may write.
    """

    def upsert(self, keys: "npt.NDArray[np.int64]", rows: "npt.NDArray[np.int8]") -> None:
        """Add or replace rows int8[n, dimension] by key int64[n].

        Raises:
            ValueError: A key is given twice, or the shapes do not fit.
        """
        ...

    def delete(self, keys: "npt.NDArray[np.int64]") -> None:
        """Take keys out; unknown ones are passed over."""
        ...

    def search(
        self,
        query: "npt.NDArray[np.int8]",
        top_k: int,
        filter: "Callable[[npt.NDArray[np.int64]], npt.NDArray[np.bool_]] | None" = None,  # noqa: A002  the word of the project
    ) -> VectorMatches:
        """Return the keys whose rows have the largest products with `query` int8[dimension].

        `filter` tells of keys int64[m] which may come back, bool[m]; it may be asked of any key
        that was ever there, several times, and must answer the same.

        Raises:
            ValueError: `top_k` is below 1.
        """
        ...

    def rebuild(self) -> None:
        """Make the index anew from its present rows, and give the memory of the others back."""
        ...

    def __len__(self) -> int:
        """Return the number of keys that are there."""
        ...
