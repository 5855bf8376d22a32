"""A process with several writing and reading threads is killed at any instant (a slice)."""

from pathlib import Path

from simonides_bench.crash.judge import Wrong
from simonides_bench.crash.kills import Killer, Victim, read_promises
from simonides_bench.crash.recovery import recover
from simonides_bench.crash.victim import Orders

ORDERS = Orders(seed=3, streams=(0, 1), readers=1, durability="full")


def test_what_was_acknowledged_outlasts_kills() -> None:
    seen: list[int] = []
    tally = Killer(seed=20).run(6, on_done=seen.append)

    assert tally.examples == []
    assert not tally.wrong
    assert seen == [1, 2, 3, 4, 5, 6]


def test_a_victim_says_what_it_did_until_it_is_killed(tmp_path: Path) -> None:
    said = Victim(tmp_path).kill(ORDERS, done=15, delay_s=0.0)
    words = [line[:1] for line in said]

    assert words[0] == ["ready"]
    assert len(said) > 15
    assert words[1:] == [["done"]] * (len(said) - 1)


def test_the_harness_sees_what_was_said_and_not_done(tmp_path: Path) -> None:
    said = Victim(tmp_path).kill(ORDERS, done=10, delay_s=0.0)
    lies = [["done", "0"]] * 12

    assert recover(tmp_path, read_promises(said, ORDERS), Killer(seed=1)._random).faults == []
    faults = recover(tmp_path, read_promises([*said, *lies], ORDERS), Killer(seed=1)._random).faults
    assert {one.wrong for one in faults} & {Wrong.LOST, Wrong.TORN, Wrong.RESURRECTED}


def test_a_victim_that_is_not_needed_ends(tmp_path: Path) -> None:
    victim = Victim(tmp_path)
    victim.dismiss()

    assert victim._process.returncode is not None
    assert list(tmp_path.iterdir()) == []
