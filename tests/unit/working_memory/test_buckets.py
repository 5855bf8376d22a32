"""Buckets that processes have in common: of one machine in memory, of several by telling."""

import math
import threading

from hypothesis import given
from hypothesis import strategies as st

from simonides.ports.shared_state import Refill
from simonides.working_memory.buckets import InProcessBuckets
from simonides.working_memory.shared_buckets import SharedBuckets, _place_of
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


def test_what_is_drawn_while_it_is_told_counts_too() -> None:
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


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.floats(0.0, 4.0),
            st.floats(-1.0, 8.0),
            st.booleans(),
        ),
        max_size=50,
    )
)
def test_buckets_in_shared_memory_are_like_those_of_one_process(
    steps: list[tuple[str, float, float, bool]],
) -> None:
    here, shared, now_s = InProcessBuckets(), SharedBuckets(), 100.0
    for name, amount, step_s, owes in steps:
        now_s += step_s
        needs = -math.inf if owes else amount
        waits = [
            one.draw(name, amount, refill=REFILL, needs=needs, now_s=now_s)
            for one in (here, shared)
        ]

        assert waits[0] == waits[1]
    shared.close()


def test_of_many_threads_no_two_draw_the_same() -> None:
    shared, refill = SharedBuckets(), Refill(per_s=1e-9, size=100.0)
    drawn: list[float] = []

    def work() -> None:
        drawn.extend(shared.draw("k", 1.0, refill=refill, needs=1.0, now_s=0.0) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    shared.close()

    assert drawn.count(0.0) == 100


def test_a_full_set_forgets_the_bucket_used_longest_ago() -> None:
    shared, names, now_s = SharedBuckets(), [], 0.0
    for n in range(100_000):
        if _place_of(f"n{n}")[1] == 0:
            names.append(f"n{n}")
        if len(names) == 9:
            break
    for now_s, name in enumerate(names):
        shared.draw(name, 10.0, refill=REFILL, needs=10.0, now_s=float(now_s))
    slow = Refill(per_s=0.001, size=10.0)
    waits = [shared.draw(one, 0.0, refill=slow, needs=9.0, now_s=now_s) for one in names]
    shared.close()

    assert waits[0] == 0.0
    assert all(one > 0.0 for one in waits[1:])
