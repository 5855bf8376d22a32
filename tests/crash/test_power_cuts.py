"""The power goes at any instant: what was acknowledged is there, and nothing that was not whole.

A slice of `make crash`. That the harness would see a fault is shown on disks that lie about syncs.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simonides_bench.crash.cuts import cut_power, try_cuts
from simonides_bench.crash.disk import Change, Did, Disk, Keep
from simonides_bench.crash.judge import Wrong
from simonides_bench.crash.recording import Recording, lay
from simonides_bench.crash.recovery import recover
from simonides_bench.crash.scenario import SCENARIOS, Scenario
from simonides_bench.crash.tally import Tally

pytestmark = pytest.mark.slow

BY_NAME = {one.name: one for one in SCENARIOS}
SEED = 20


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_what_was_acknowledged_outlasts_a_power_cut(scenario: Scenario) -> None:
    tally = cut_power(10 if scenario.bulky else 40, seed=SEED, scenarios=[scenario])

    assert tally.examples == []
    assert not tally.wrong
    assert tally.trials > 10


def lying(recording: Recording, lie: Callable[[Change], bool]) -> Tally:
    """Return what power cuts do on a disk that does not do some of the syncs it says it did."""
    honest = [one for one in recording.events if not (isinstance(one, Change) and lie(one))]
    tally = Tally()
    for _ in try_cuts(replace(recording, events=honest), 30, seed=SEED, tally=tally):
        pass
    return tally


@pytest.fixture(scope="module")
def alone() -> Recording:
    return BY_NAME["alone"].record(SEED)


def test_a_disk_that_never_syncs_loses_writes(alone: Recording) -> None:
    tally = lying(alone, lambda change: change.did is Did.SYNC)

    assert tally.wrong[Wrong.LOST] > 0


def test_a_disk_that_does_not_sync_the_log_loses_writes(alone: Recording) -> None:
    tally = lying(alone, lambda change: change.did is Did.SYNC and change.path.endswith("-wal"))

    assert tally.wrong[Wrong.LOST] > 0


def test_a_disk_that_does_not_sync_the_file_does_harm(alone: Recording) -> None:
    tally = lying(alone, lambda change: change.did is Did.SYNC and change.path.endswith("sqlite3"))

    assert tally.wrong[Wrong.LOST] + tally.wrong[Wrong.UNOPENABLE] > 0


def test_a_commit_without_a_sync_may_be_lost_and_so_breaks_the_promise_of_a_durable_one() -> None:
    relaxed = BY_NAME["relaxed"].record(SEED)
    tally = Tally()
    for _ in try_cuts(replace(relaxed, durable=True), 40, seed=SEED, tally=tally):
        pass

    assert tally.wrong[Wrong.LOST] > 0


def at_the_end(recording: Recording) -> dict[str, bytes]:
    disk = Disk(recording.files)
    for one in recording.events:
        if isinstance(one, Change):
            disk.take(one)
    return disk.after_power_cut(Keep.ALL, random.Random(1))


def test_the_harness_sees_a_space_that_is_empty_again(alone: Recording, tmp_path: Path) -> None:
    promises = alone.promises(len(alone.events))

    faults = recover(tmp_path, promises, random.Random(1)).faults
    assert {one.wrong for one in faults} == {Wrong.LOST}


def test_the_harness_sees_an_older_copy(alone: Recording, tmp_path: Path) -> None:
    half = len(alone.events) // 2
    lay(tmp_path, at_the_end(replace(alone, events=alone.events[:half])))

    faults = recover(tmp_path, alone.promises(len(alone.events)), random.Random(1)).faults
    assert Wrong.LOST in {one.wrong for one in faults}


def test_the_harness_sees_a_file_that_is_no_space(alone: Recording, tmp_path: Path) -> None:
    lay(tmp_path, {"s.sqlite3": b"no database, but something else" * 400})

    faults = recover(tmp_path, alone.promises(len(alone.events)), random.Random(1)).faults
    assert {one.wrong for one in faults} == {Wrong.UNOPENABLE}


def test_the_space_goes_on_from_what_was_found(alone: Recording, tmp_path: Path) -> None:
    lay(tmp_path, at_the_end(alone))
    first = recover(tmp_path, alone.promises(len(alone.events)), random.Random(1), writes=3)
    second = recover(tmp_path, first.promises, random.Random(2))
    after = next(one for one in second.promises if one.stream == "after")

    assert (first.faults, second.faults) == ([], [])
    assert len(after.sure.present) == 4
