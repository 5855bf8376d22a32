"""Two servers of one database whose clocks are hours apart: revisions order, not clocks."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from simonides import Conflict, Memory, Settings
from simonides.model.lease import Work

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
APART = timedelta(hours=9)


@pytest.fixture
def servers(pooled_dsn: str, tmp_path: Path) -> Iterator[tuple[Memory, Memory]]:
    """A server whose clock is right, and one whose clock is late by hours."""
    ticks = count()

    def now() -> datetime:
        return NOON + timedelta(seconds=next(ticks))

    settings = Settings(embedder="none", timezone="UTC", store=pooled_dsn, retention_days=0.125)
    with (
        Memory(tmp_path / "a", settings=settings, clock=now) as right,
        Memory(tmp_path / "b", settings=settings, clock=lambda: now() - APART) as late,
    ):
        yield right, late


def test_revisions_rise_and_each_sees_what_the_other_wrote(servers: tuple[Memory, Memory]) -> None:
    seen = []
    for number in range(6):
        memory, other = servers[number % 2], servers[(number + 1) % 2]
        memory.add(f"Alpha note {number}.", id=f"n{number}")

        assert other.get(f"n{number}").content == f"Alpha note {number}."
        assert other.search(f"alpha note {number}").hits[0].item.id == f"n{number}"
        seen.append(other.stats().revision)
    assert seen == [1, 2, 3, 4, 5, 6]


def test_the_later_write_stands_whatever_its_clock_says(servers: tuple[Memory, Memory]) -> None:
    right, late = servers
    right.add("Alpha is due on Friday.", id="alpha")
    late.update("alpha", content="Alpha is due on Monday.")
    right.update("alpha", content="Alpha is due on Tuesday.")
    late.forget("alpha")
    late.restore("alpha")

    for memory in servers:
        assert memory.get("alpha").content == "Alpha is due on Tuesday."
        history = memory.history("alpha")
        assert [one.item.version for one in history] == [1, 2, 3, 4]
        born = [one.born for one in history]
        assert born == sorted(born)
        assert [memory.get("alpha", as_of=one.born).content for one in history] == [
            one.item.content for one in history
        ]
    assert all(one.sound for one in right.verify())
    with pytest.raises(Conflict):
        right.update("alpha", content="Of a version read before.", if_version=3)


def test_what_happened_is_ordered_by_when_it_happened(servers: tuple[Memory, Memory]) -> None:
    right, late = servers
    late.add("Alpha moved to Friday.", id="second", happened_at=NOON - timedelta(days=1))
    right.add("Alpha moved to Monday.", id="first", happened_at=NOON - timedelta(days=2))
    late.add("Alpha moved to Sunday.", id="third", happened_at=NOON - timedelta(hours=1))

    orders = [[one.id for one in memory.list().items] for memory in servers]
    assert orders == [["third", "second", "first"]] * 2


def test_a_late_clock_keeps_what_retention_keeps(servers: tuple[Memory, Memory]) -> None:
    """What died by the late clock looks old to the right one: it stays as long as its elders."""
    right, late = servers
    right.add("Alpha one.", id="alpha")
    right.update("alpha", content="Alpha two.")
    late.update("alpha", content="Alpha three.")
    done = right.compact()

    assert done.versions == 0
    assert [one.item.content for one in right.history("alpha")] == [
        "Alpha one.", "Alpha two.", "Alpha three.",
    ]  # fmt: skip
    assert right.get("alpha").content == "Alpha three."


def test_a_lease_runs_out_by_the_clock_of_the_database(servers: tuple[Memory, Memory]) -> None:
    right, late = servers
    right.add("Alpha.", id="alpha")
    here, there = right._opened.space, late._opened.space
    lease = there.take_lease(Work.IMPORT, holder="late", for_s=60.0)

    assert lease is not None
    assert here.take_lease(Work.IMPORT, holder="right", for_s=60.0) is None
    [seen] = here.leases()
    assert 0 < seen.left_s <= 60
    assert there.renew_lease(lease, for_s=0.0)
    heir = here.take_lease(Work.IMPORT, holder="right", for_s=60.0)
    assert heir is not None
    assert not there.renew_lease(lease, for_s=60.0)
