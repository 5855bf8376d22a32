"""Leases: one holder of a work at a time, and no write by one that lost it."""

from collections.abc import Callable
from datetime import datetime
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simonides.errors import WorkTaken
from simonides.model.lease import Lease, Work
from simonides.model.stored import EmbedderIdentity, LateVector, Prepared
from simonides.ports.space import Space, SpaceStore
from simonides_bench.testing.depth import examples

Prepare = Callable[..., Prepared]

IMPORT = Work.IMPORT
LONG_S = 3600.0
OVER_S = 0.0
"""A lease for no time ran out as soon as it was given."""


def taken(space: Space, *, by: str = "a", for_s: float = LONG_S, work: Work = IMPORT) -> Lease:
    lease = space.take_lease(work, holder=by, for_s=for_s)
    assert lease is not None
    return lease


def ids(space: Space) -> set[str]:
    with space.read() as reader:
        return {row.id for row in reader.item_rows(0)}


def test_of_two_who_ask_one_gets_the_lease(space: Space, other: Space) -> None:
    lease = taken(space, by="a")

    assert other.take_lease(IMPORT, holder="b", for_s=LONG_S) is None
    assert space.take_lease(IMPORT, holder="a", for_s=LONG_S) is None
    [seen] = other.leases()
    assert (seen.work, seen.token, seen.holder) == (IMPORT, lease.token, "a")
    assert 0 < seen.left_s <= LONG_S


def test_each_work_has_a_lease_of_its_own(space: Space, other: Space) -> None:
    taken(space, by="a")
    taken(other, by="b", work=Work.VECTORS)

    assert [(one.work, one.holder) for one in space.leases()] == [
        (IMPORT, "a"), (Work.VECTORS, "b"),
    ]  # fmt: skip


def test_a_lease_given_back_is_free_and_tokens_rise(space: Space, other: Space) -> None:
    first = taken(space, by="a")
    space.release_lease(first)

    assert other.leases() == []
    second = taken(other, by="b")
    assert second.token > first.token
    space.release_lease(first)  # it is not its own any more
    assert [one.holder for one in space.leases()] == ["b"]


def test_a_lease_that_ran_out_is_taken_over(
    space: Space, other: Space, prepare: Prepare, noon: datetime
) -> None:
    first = taken(space, by="a", for_s=OVER_S)
    assert space.leases() == []
    second = taken(other, by="b")

    with space.under(first), pytest.raises(WorkTaken, match="taken over the work 'import'"):
        space.commit([prepare("late", id="late")], stored_at=noon)
    with other.under(second):
        other.commit([prepare("in time", id="in time")], stored_at=noon)

    assert ids(space) == {"in time"}
    assert not space.renew_lease(first, for_s=LONG_S)
    assert other.renew_lease(second, for_s=LONG_S)


def test_a_lease_that_ran_out_stands_while_nobody_takes_it(
    space: Space, other: Space, prepare: Prepare, noon: datetime
) -> None:
    lease = taken(space, for_s=OVER_S)
    with space.under(lease):
        space.commit([prepare("kept", id="kept")], stored_at=noon)

    assert ids(space) == {"kept"}
    assert space.renew_lease(lease, for_s=LONG_S)
    assert other.take_lease(IMPORT, holder="b", for_s=LONG_S) is None


def test_a_lease_of_a_known_dead_holder_is_taken_at_once(space: Space, other: Space) -> None:
    dead = taken(space, by="dead")
    mistaken = other.take_lease(IMPORT, holder="b", for_s=LONG_S, instead_of=dead.token + 1)
    heir = other.take_lease(IMPORT, holder="b", for_s=LONG_S, instead_of=dead.token)

    assert mistaken is None
    assert heir is not None
    assert heir.token == dead.token + 1
    assert other.take_lease(IMPORT, holder="c", for_s=LONG_S, instead_of=dead.token) is None


def test_every_write_under_a_lost_lease_is_refused(
    space: Space, other: Space, prepare: Prepare, noon: datetime, tiny: EmbedderIdentity
) -> None:
    space.commit([prepare("there", id="there")], stored_at=noon)
    lost = taken(space, by="a", for_s=OVER_S)
    taken(other, by="b")
    vector = LateVector(item_key=1, ordinal=0, vector=b"\x01\x02\x03\x04")
    again = [prepare("there", id="there")]
    writes: list[Callable[[], object]] = [
        lambda: space.forget(["there"], at=noon),
        lambda: space.put_vectors([vector], identity=tiny, at=noon),
        lambda: space.record_usage(["there"], how="used", at=noon),  # type: ignore[arg-type]
        lambda: space.stage_vectors(tiny, again),
        lambda: space.replace_vectors(tiny, again),
        lambda: space.keep_receipt("r", "{}", at=noon),
        lambda: space.erase(["there"], at=noon),
        lambda: space.compact(before=1, now=noon, decided_before=None, limit=1),
    ]
    with space.under(lost):
        for write in writes:
            with pytest.raises(WorkTaken, match="taken over"):
                write()

    assert ids(space) == {"there"}
    with space.read() as reader:
        assert reader.revision == 1


def test_the_fence_ends_with_its_block_and_is_of_its_space_alone(
    store: SpaceStore, space: Space, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    another = store.open("bo", embedder=tiny, create=True)
    lost = taken(space, for_s=OVER_S)
    taken(space, by="b")
    with space.under(lost):
        another.commit([prepare("of bo", id="x")], stored_at=noon)
    space.commit([prepare("of ana", id="x")], stored_at=noon)

    assert ids(space) == ids(another) == {"x"}
    assert another.leases() == []


def test_a_lease_takes_no_revision_and_is_in_no_export(space: Space) -> None:
    with space.read() as reader:
        before = (reader.revision, list(reader.read_all()))
    space.release_lease(taken(space))
    taken(space)
    with space.read() as reader:
        assert (reader.revision, list(reader.read_all())) == before
    assert space.is_empty()


class Model:
    """One work and its holders: who took it last, and whether that keeps others from taking it."""

    def __init__(self, space: Space, write: Callable[[str], object]) -> None:
        self.space, self._write = space, write
        self.leases: dict[str, Lease] = {}
        self.last, self.stands = "", False

    def take(self, who: str) -> None:
        got = self.space.take_lease(IMPORT, holder=who, for_s=LONG_S)
        assert (got is None) == self.stands
        if got is not None:
            assert all(got.token > one.token for one in self.leases.values())
            self.leases[who], self.last, self.stands = got, who, True

    def write(self, who: str) -> None:
        if who in self.leases:
            wrote = True
            with self.space.under(self.leases[who]):
                try:
                    self._write(who)
                except WorkTaken:
                    wrote = False
            assert wrote == (self.last == who)

    def expire(self, _who: str) -> None:
        """Let the time of the lease go by."""
        if self.stands:
            assert self.space.renew_lease(self.leases[self.last], for_s=OVER_S)
            self.stands = False

    def renew(self, who: str) -> None:
        if who in self.leases:
            is_last = self.last == who
            assert self.space.renew_lease(self.leases[who], for_s=LONG_S) == is_last
            self.stands = self.stands or is_last

    def release(self, who: str) -> None:
        if who in self.leases:
            self.space.release_lease(self.leases[who])
            if self.last == who:
                self.last, self.stands = "", False


ACTS = st.sampled_from(["take", "write", "expire", "renew", "release"])
STEPS = st.lists(st.tuples(st.sampled_from("abc"), ACTS), max_size=30)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_two_holders_never_both_write(
    space: Space, prepare: Prepare, noon: datetime, steps: list[tuple[str, str]]
) -> None:
    for one in space.leases():
        space.release_lease(one)
    numbers = count()
    model = Model(
        space,
        lambda who: space.commit([prepare(f"{who} {next(numbers)}", id=who)], stored_at=noon),
    )
    for who, step in steps:
        getattr(model, step)(who)
