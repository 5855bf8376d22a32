"""Widening of an approximate search until enough results survive.

The widening search of the seeds: begin with as many as are wanted, double, stop at
min(total, 8 x wanted). Knows counts only; what is searched, and what survives, is not known here.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CAP_FACTOR = 8
"""At most so many times what is wanted is fetched (the seeds' own cap)."""

Places = npt.NDArray[np.int64]


class Widened(NamedTuple):
    """The survivors of the last round, the number of rounds, and whether they are enough."""

    survivors: Places
    rounds: int
    enough: bool


def widened(search: Callable[[int], Places], *, wanted: int, total: int) -> Widened:
    """Return the survivors of ever wider searches, each from scratch, up to the cap.

    `search(fetch)` returns the survivors among the `fetch` nearest of `total`. Widening ends
    early where the share that survived says that the cap would not bring enough: whoever asks
    looks at everything then, and should not wait for it.
    """
    cap = min(total, CAP_FACTOR * wanted)
    fetch, rounds = min(wanted, cap), 0
    survivors: Places = np.empty(0, dtype=np.int64)
    while fetch:
        rounds += 1
        survivors = search(fetch)
        is_hopeless = len(survivors) * cap < wanted * fetch
        if len(survivors) >= wanted or fetch == cap or is_hopeless:
            break
        fetch = min(2 * fetch, cap)
    return Widened(survivors=survivors, rounds=rounds, enough=len(survivors) >= wanted)
