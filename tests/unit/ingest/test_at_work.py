"""Work under a lease: who is dead, how long others are waited for, how it is renewed."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides import Memory, Settings, StoreBusy, WorkTaken
from simonides.ingest import at_work
from simonides.ingest.at_work import in_turn, keep_renewed
from simonides.model.lease import Lease, Work
from simonides.ports.space import Space

HERE = at_work.machine()
LONG_S = 600.0
NO_PROCESS = 2**22 + 1
"""More than the highest number that Linux gives a process."""


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Space]:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings) as memory:
        memory.add("Alpha.")
        yield memory._opened.space


def held(space: Space, holder: str) -> Lease:
    lease = space.take_lease(Work.IMPORT, holder=holder, for_s=LONG_S)
    assert lease is not None
    return lease


def test_a_lease_is_held_in_the_block_and_given_back(space: Space) -> None:
    with at_work.at_work(space, Work.IMPORT) as lease:
        assert lease is not None
        [seen] = space.leases()
        assert str(seen) == f"import by process {os.getpid()} of {socket.gethostname()}"
        with at_work.at_work(space, Work.IMPORT) as second:
            assert second is None

    assert space.leases() == []


def test_a_lease_is_given_back_where_the_work_fails(space: Space) -> None:
    with pytest.raises(ZeroDivisionError), at_work.at_work(space, Work.IMPORT):
        raise ZeroDivisionError

    assert space.leases() == []


@pytest.mark.parametrize(
    ("holder", "is_taken"),
    [
        (f"{HERE} {NO_PROCESS}-ab-cd", True),
        (f"{HERE} {os.getpid()}-earlier-cd", True),  # its number was given out again
        (f"{HERE} {os.getppid()}-ab-cd", False),
        (f"elsewhere {NO_PROCESS}-ab-cd", False),
        (f"{socket.gethostname()}/another.1 {NO_PROCESS}-ab-cd", False),  # another container
        ("nobody knows", False),
    ],
    ids=["dead", "number-given-again", "alive", "elsewhere", "another-container", "unknown"],
)
def test_a_holder_that_is_known_to_be_dead_is_not_waited_for(
    space: Space, holder: str, is_taken: bool
) -> None:
    dead = held(space, holder)
    with at_work.at_work(space, Work.IMPORT) as lease:
        assert (lease is not None) == is_taken

    assert space.renew_lease(dead, for_s=LONG_S) == (not is_taken)


def test_the_turn_comes_when_the_other_one_is_done(space: Space) -> None:
    other, pauses = held(space, "elsewhere 7-ab-cd"), []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            space.release_lease(other)

    with in_turn(space, Work.IMPORT, wait_s=60.0, pause=pause, monotonic=lambda: 0.0) as lease:
        assert lease.token > other.token
    assert pauses == [at_work.LOOK_S] * 3


def test_who_waited_too_long_is_told_who_is_at_work(space: Space) -> None:
    held(space, "elsewhere 7-ab-cd")
    clock = iter(range(100))
    with (
        pytest.raises(WorkTaken, match=r"import by process 7 of elsewhere.*try again"),
        in_turn(
            space, Work.IMPORT, wait_s=5.0, pause=lambda _: None, monotonic=lambda: next(clock)
        ),
    ):
        pytest.fail("it is not its turn")


def test_an_error_of_the_work_is_no_reason_to_wait(space: Space) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        in_turn(space, Work.IMPORT, wait_s=5.0, pause=lambda _: pytest.fail("it waits")),
    ):
        raise ZeroDivisionError


def test_a_lease_is_renewed_until_the_work_is_over(space: Space) -> None:
    lease, waited = held(space, "a"), []
    space.renew_lease(lease, for_s=0.0)

    def is_over(seconds: float) -> bool:
        waited.append(seconds)
        return len(waited) == 3

    keep_renewed(space, lease, is_over)

    assert waited == [at_work.RENEW_S] * 3
    [seen] = space.leases()
    assert 0 < seen.left_s <= at_work.LEASE_S


def test_a_lost_lease_is_renewed_no_more(space: Space) -> None:
    lost = held(space, "a")
    space.renew_lease(lost, for_s=0.0)
    held(space, "b")
    asked: list[float] = []

    def is_over(seconds: float) -> bool:
        asked.append(seconds)
        return len(asked) > 5

    keep_renewed(space, lost, is_over)

    assert len(asked) == 1
    assert [one.holder for one in space.leases()] == ["b"]


def test_a_renewal_that_fails_is_tried_again(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    lease, tries = held(space, "a"), []

    def busy(*_: object, **__: object) -> bool:
        tries.append(1)
        raise StoreBusy("others write")

    monkeypatch.setattr(type(space), "renew_lease", busy)
    keep_renewed(space, lease, lambda _: len(tries) == 3)

    assert len(tries) == 3


def test_a_system_without_proc_is_known_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(at_work, "_BOOT", tmp_path / "none")

    assert at_work.machine() == socket.gethostname()


def test_three_renewals_may_fail_before_a_lease_runs_out() -> None:
    assert 3 * at_work.RENEW_S < at_work.LEASE_S
