"""Buckets that processes have in common: each draws from its own and tells what it drew."""

from simonides.ports.shared_state import Refill
from simonides.working_memory.buckets import InProcessBuckets
from simonides.working_memory.synced_buckets import SyncedBuckets

REFILL = Refill(per_s=1.0, size=10.0)


class Common:
    """What several machines draw from."""

    def __init__(self) -> None:
        self.left: dict[str, float] = {}

    def spend(self, name: str, amount: float, refill: Refill) -> float:
        self.left[name] = self.left.get(name, refill.size) - amount
        return self.left[name]


def drawn(buckets: InProcessBuckets | SyncedBuckets, amount: float, *, now_s: float = 0.0) -> float:
    return buckets.draw("k", amount, refill=REFILL, needs=amount, now_s=now_s)


def test_what_one_machine_drew_the_other_lacks_once_it_is_told() -> None:
    common = Common()
    here, there = SyncedBuckets(common.spend), SyncedBuckets(common.spend)
    assert drawn(here, 8.0) == 0.0
    assert drawn(there, 1.0) == 0.0
    here.sync()
    there.sync()

    assert common.left == {"k": 1.0}
    assert drawn(there, 2.0) == 1.0
    assert drawn(there, 2.0, now_s=1.0) == 0.0


def test_what_is_drawn_while_it_is_reported_counts_too() -> None:
    common = Common()
    here: SyncedBuckets

    def spend(name: str, amount: float, refill: Refill) -> float:
        if len(common.left) == 0:
            assert drawn(here, 4.0) == 0.0
        return common.spend(name, amount, refill)

    here = SyncedBuckets(spend)
    drawn(here, 5.0)
    here.sync()
    assert drawn(here, 2.0) == 1.0

    here.sync()
    assert common.left == {"k": 1.0}


def test_nothing_is_told_of_what_was_refused_or_only_looked_at() -> None:
    common = Common()
    here = SyncedBuckets(common.spend)
    assert drawn(here, 11.0) == 1.0
    assert drawn(here, 0.0) == 0.0
    here.sync()

    assert common.left == {}
