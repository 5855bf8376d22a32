"""Compaction by a clock that jumps, and what it must not take: a no is for ever."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from tests.unit.maintenance.conftest import NOON, Clock

from simonides import Memory, ProposedMemory, Settings
from simonides.errors import InvalidInput
from simonides_bench.testing.hashing import HashingEmbedder

LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
DAY: Final = timedelta(days=1)


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """A memory that keeps history for thirty days."""
    settings = Settings(timezone="UTC", durability="relaxed", retention_days=30)
    with Memory(tmp_path, settings=settings, embedder=HashingEmbedder(), clock=clock) as made:
        yield made


@pytest.fixture
def written(memory: Memory, clock: Clock) -> Callable[..., None]:
    """Return a function that writes a new state of one item at each of some times."""

    def write(*times: datetime) -> None:
        for when in times:
            clock.now = when
            memory.add(f"state of {when.isoformat()}", id="a")

    return write


def kept(memory: Memory) -> list[int]:
    return [one.version for one in memory.history("a")]


def test_a_clock_that_was_set_back_takes_nothing_of_the_days_before(
    memory: Memory, written: Callable[..., None], clock: Clock
) -> None:
    written(NOON, NOON + DAY, LONG_AGO, NOON + 2 * DAY)
    clock.now = NOON + 3 * DAY

    done = memory.compact()

    assert (done.versions, done.oldest) == (0, 0)
    assert kept(memory) == [1, 2, 3, 4]


def test_what_was_replaced_before_that_goes_all_the_same(
    memory: Memory, written: Callable[..., None], clock: Clock
) -> None:
    written(NOON - 90 * DAY, NOON - 80 * DAY, NOON, NOON + DAY, LONG_AGO, NOON + 2 * DAY)
    clock.now = NOON + 3 * DAY

    done = memory.compact()

    assert (done.versions, done.oldest) == (1, 2)
    assert kept(memory) == [2, 3, 4, 5, 6]


def test_it_goes_once_its_own_time_is_over(
    memory: Memory, written: Callable[..., None], clock: Clock
) -> None:
    written(NOON, NOON + DAY, LONG_AGO, NOON + 2 * DAY)
    clock.now = NOON + 40 * DAY

    assert memory.compact().versions == 3
    assert kept(memory) == [4]


def test_a_revision_that_is_named_is_the_oldest_whatever_the_clock_said(
    memory: Memory, written: Callable[..., None]
) -> None:
    written(NOON, NOON + DAY, LONG_AGO, NOON + 2 * DAY)

    assert memory.compact(before=4).oldest == 4
    assert kept(memory) == [4]


def test_a_state_that_is_not_reached_is_told_by_the_name_of_the_argument(
    memory: Memory, written: Callable[..., None]
) -> None:
    written(NOON)

    with pytest.raises(InvalidInput, match=r"^before: the space is at revision 1, got 2$"):
        memory.compact(before=2)


def test_what_was_rejected_is_not_proposed_again_however_long_ago_that_was(
    memory: Memory, clock: Clock
) -> None:
    mail = memory.add("Tom loves tea.", kind="message", session="s").id
    wanted: dict[str, Any] = {"evidence": (mail,)}
    no, yes = memory.proposals.propose(
        ProposedMemory(text="Tom hates tea.", **wanted),
        ProposedMemory(text="Tom loves tea.", **wanted),
        by="a model",
    ).proposed
    memory.proposals.reject(no.id)
    memory.proposals.accept(yes.id)
    clock.now = NOON + 400 * DAY

    assert memory.compact().proposals == 1
    assert [one.id for one in memory.proposals.list().proposals] == [no.id]
    made = memory.proposals.propose(no.proposed, by="another model")
    assert (made.proposed, made.known) == ((), 1)
