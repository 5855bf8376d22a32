"""A disk breaks or is full, once or for good, and is well again; bits flip; the clock jumps."""

import random
from itertools import islice
from pathlib import Path

import pytest

from simonides_bench.crash.clocks import JumpingClock
from simonides_bench.crash.flips import Kind, Noticed, flip_bits
from simonides_bench.crash.found import open_memory, read_found
from simonides_bench.crash.io_errors import IoTally, fail_disks, script
from simonides_bench.crash.judge import list_wanted, settle
from simonides_bench.crash.operation import Close
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recovery import recover
from simonides_bench.crash.stream import Plan, Stream
from simonides_bench.fault_vfs import Failure

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def disks() -> dict[Failure, IoTally]:
    """What came of sixty disks that failed."""
    return fail_disks(60, seed=20)


@pytest.mark.parametrize("failure", [Failure.BROKEN, Failure.FULL])
def test_a_disk_that_fails_is_reported_loses_nothing_and_can_be_used_again(
    disks: dict[Failure, IoTally], failure: Failure
) -> None:
    tally = disks[failure]

    assert tally.examples == []
    assert not tally.wrong
    assert tally.refused > 0
    assert tally.trials > 10


def test_the_script_tries_every_kind_of_write() -> None:
    names = {type(one).__name__ for one in script()}

    assert names == {
        "Add", "Update", "Forget", "Erase", "RecordUsage", "PutBackground", "DeleteBackground",
        "KeepReceipt", "Ask", "Close",
    }  # fmt: skip


def test_flipped_bits_are_mended_noticed_or_cut_the_log_short() -> None:
    tallies = flip_bits(75, seed=20)

    assert {kind: tally.trials for kind, tally in tallies.items()} == dict.fromkeys(Kind, 25)
    assert tallies[Kind.INDEX].noticed == {Noticed.HARMLESS: 25}
    assert set(tallies[Kind.LOG].noticed) <= {Noticed.OLDER, Noticed.HARMLESS}
    assert tallies[Kind.LOG].noticed[Noticed.OLDER] > 20
    noticed = tallies[Kind.DATABASE].noticed
    assert noticed[Noticed.REFUSED] + noticed[Noticed.BY_VERIFY] == 25


@pytest.mark.parametrize("seed", range(3))
def test_a_clock_that_jumps_loses_nothing_and_revisions_rise(tmp_path: Path, seed: int) -> None:
    stream, clock = Stream(Plan(number=0, seed=seed, alone=True)), JumpingClock(seed)
    memory = open_memory(tmp_path, clock=clock)
    for operation in islice(stream, 30):
        if isinstance(operation, Close):
            memory.close()
            memory = open_memory(tmp_path, clock=clock)
        else:
            operation.do(memory)
    memory.close()
    promise = Promise(stream="s0", states=stream.states, acknowledged=30, begun=30, least=30)

    assert clock.jumps > 20
    assert settle(read_found(tmp_path, list_wanted([promise])), [promise])[1] == []
    assert recover(tmp_path, [promise], random.Random(seed)).faults == []
