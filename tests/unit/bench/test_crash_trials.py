"""How trials are chosen, counted and told."""

import random
from collections import Counter
from pathlib import Path

import pytest

from simonides_bench.crash import run
from simonides_bench.crash.clocks import JumpingClock, SteadyClock
from simonides_bench.crash.cuts import choose_cuts, shares
from simonides_bench.crash.disk import Keep
from simonides_bench.crash.first_format import first_format
from simonides_bench.crash.flips import FlipTally, Kind, Noticed
from simonides_bench.crash.found import SPACE, Wanted, open_memory, read_found
from simonides_bench.crash.io_errors import Ill, IllDisk, IoTally, illnesses
from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.kills import Killer, failures, read_promises
from simonides_bench.crash.recording import lay
from simonides_bench.crash.scenario import SCENARIOS
from simonides_bench.crash.tally import EXAMPLES_MAX, Tally
from simonides_bench.crash.victim import Orders
from simonides_bench.crash.whole.disk_errors import DiskTally
from simonides_bench.fault_vfs import Call, Failure, What

LOST = Fault(wrong=Wrong.LOST, seen="a")
HUNG = Fault(wrong=Wrong.HUNG, seen="b")


def test_every_prefix_is_tried_as_it_is_where_there_are_cuts_enough() -> None:
    cuts = choose_cuts(50, 80, random.Random(1))

    assert len(cuts) == 80
    assert {cut.position for cut in cuts if cut.keep is Keep.ALL} == set(range(51))
    assert [cut.position for cut in cuts] == sorted(cut.position for cut in cuts)


def test_fewer_cuts_lie_evenly_and_keep_this_or_that() -> None:
    cuts = choose_cuts(1000, 40, random.Random(1))

    assert [cut.position // 25 for cut in cuts] == list(range(40))
    assert {cut.keep for cut in cuts} == set(Keep)


@pytest.mark.parametrize("count", [0, 1, 7, 400])
def test_scenarios_share_the_cuts_by_weight(count: int) -> None:
    given = dict(zip([one.name for one in SCENARIOS], shares(SCENARIOS, count), strict=True))
    parts = {name: share for name, (_, share) in given.items()}

    assert sum(parts.values()) == count
    assert parts["bulky"] <= parts["alone"]


def test_a_trial_counts_each_kind_of_fault_once() -> None:
    tally = Tally()
    tally.note("here", [LOST, LOST, Fault(wrong=Wrong.TORN, seen="b")])
    tally.note("there", [])

    assert (tally.trials, tally.wrong) == (2, {Wrong.LOST: 1, Wrong.TORN: 1})
    assert tally.examples == ["here: lost: a"]


def test_only_the_first_examples_are_kept() -> None:
    tally = Tally()
    for number in range(50):
        tally.note(str(number), [LOST])

    assert len(tally.examples) == EXAMPLES_MAX
    assert tally.wrong[Wrong.LOST] == 50


def calls(disk: IllDisk, whats: list[What]) -> list[Failure | None]:
    return [disk.before(Call(what=what, name="a")) for what in whats]


def test_a_disk_fails_once_or_from_then_on() -> None:
    whats = [What.WRITE] * 4
    once = IllDisk(ill=Ill(failure=Failure.BROKEN, at=2, lasting=False))
    lasting = IllDisk(ill=Ill(failure=Failure.BROKEN, at=2, lasting=True))

    assert calls(once, whats) == [None, Failure.BROKEN, None, None]
    assert calls(lasting, whats) == [None, *[Failure.BROKEN] * 3]


def test_only_what_needs_room_finds_none_and_only_reads_are_short() -> None:
    whats = [What.READ, What.SYNC, What.WRITE]
    full = IllDisk(ill=Ill(failure=Failure.FULL, at=1, lasting=True))
    short = IllDisk(ill=Ill(failure=Failure.SHORT, at=1, lasting=True))

    assert calls(full, whats) == [None, None, Failure.FULL]
    assert calls(short, whats) == [Failure.SHORT, None, None]


def test_every_call_of_the_script_is_an_illness_of_its_own(tmp_path: Path) -> None:
    every = illnesses(tmp_path / "a", 10**6, random.Random(1))
    some = illnesses(tmp_path / "b", 25, random.Random(1))
    counted = Counter((one.failure, one.lasting) for one in every)

    assert len(set(every)) == len(every) > 1000
    assert counted[Failure.BROKEN, True] == counted[Failure.BROKEN, False]
    assert len(some) == 25
    assert set(some) <= set(every)


def test_what_a_killed_process_said_is_what_it_promised() -> None:
    orders = Orders(seed=5, streams=(4, 9), readers=0, durability="full")
    said = [["ready"], ["done", "4"], ["done", "9", "receipt"], ["done", "9"]]
    first, second = read_promises(said, orders)

    assert [(one.stream, one.least, one.begun) for one in (first, second)] == [
        ("s4", 1, 2), ("s9", 2, 3),
    ]  # fmt: skip
    assert (first.receipts, second.receipts) == ((), ("receipt",))
    assert len(second.allowed) == 2


def test_what_a_process_saw_itself_is_reported() -> None:
    said = [["ready"], ["failed", "s1-1", "is", "not", "whole"], ["done", "1"]]

    assert failures(said) == [Fault(wrong=Wrong.UNCLEAR, seen="s1-1 is not whole")]


def test_a_steady_clock_rises_and_a_jumping_one_does_not() -> None:
    steady, jumping = SteadyClock(), JumpingClock(1)
    even = [steady() for _ in range(50)]
    uneven = [jumping() for _ in range(50)]

    assert even == sorted(set(even))
    assert uneven != sorted(uneven)
    assert max(uneven) - min(uneven) > max(even) - min(even)
    assert jumping.jumps == 50


def test_a_file_of_the_first_format_holds_what_it_says(tmp_path: Path) -> None:
    files, state = first_format()
    lay(tmp_path, files)
    look = Wanted(states=(state,), collections=())

    assert files["s.sqlite3"][60:64] == (1).to_bytes(4, "big")
    assert read_found(tmp_path, look).present == {
        one: (1, kept.word) for one, kept in state.present.items()
    }
    with open_memory(tmp_path) as memory:
        assert all(one.sound for one in memory.verify())
        assert memory.space == SPACE


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Trials that come at once: two cuts lose something, one short read tears something."""
    cuts, kills, broken = Tally(), Tally(trials=3), IoTally(refused=4)
    cuts.note("cut 1", [LOST])
    cuts.note("cut 2", [LOST])
    broken.note("disk", [])
    short = IoTally(trials=1)
    short.wrong[Wrong.TORN] += 1
    disks = {Failure.BROKEN: broken, Failure.FULL: IoTally(), Failure.SHORT: short}
    flips = {kind: FlipTally(trials=1) for kind in Kind}
    flips[Kind.INDEX].noticed[Noticed.HARMLESS] += 1
    monkeypatch.setattr(run, "cut_power", lambda *_a, **_k: cuts)
    monkeypatch.setattr(Killer, "run", lambda *_a, **_k: kills)
    monkeypatch.setattr(run, "fail_disks", lambda *_a, **_k: disks)
    monkeypatch.setattr(run, "flip_bits", lambda *_a, **_k: flips)
    peers = Tally()
    peers.note("server 1", [HUNG, HUNG, LOST])
    monkeypatch.setattr(run, "cut_home_power", lambda *_a, **_k: Tally(trials=6))
    monkeypatch.setattr(run, "kill_verbs", lambda *_a, **_k: Tally(trials=7))
    monkeypatch.setattr(run, "fail_home_disks", lambda *_a, **_k: DiskTally(trials=8, refused=2))
    monkeypatch.setattr(run, "torment", lambda *_a, **_k: peers)
    return [*cuts.examples, *peers.examples]


def test_the_figures_add_up_cuts_kills_and_disks(made: list[str]) -> None:
    figures = run.run(run.Trials(powercuts=2, kills=3, io_errors=2, flips=3, seed=9))

    assert (figures["powercuts"], figures["kills"], figures["io_errors"]) == (2, 3, 1)
    wrong = {name.value: figures[name] for name in Wrong}
    assert {name: count for name, count in wrong.items() if count} == {"lost": 3, "hung": 1}
    home = ("home_powercuts", "home_kills", "home_io_errors", "peers")
    assert [figures[name] for name in home] == [6, 7, 8, 1]
    assert figures["short_reads"]["torn"] == 1
    assert figures["flips"]["index"] == {
        "trials": 1, "harmless": 1, "refused": 0, "by_verify": 0, "unclear": 0, "older": 0,
        "unnoticed": 0,
    }  # fmt: skip
    assert (figures["refused"], figures["seed"], figures["examples"]) == (6, 9, made)


FLIPS = {
    kind.value: {"trials": 2, **{one.value: 0 for one in Noticed}, "harmless": 2} for kind in Kind
}


def test_one_fault_of_a_cut_a_kill_or_a_disk_is_unsound() -> None:
    sound = {**{wrong.value: 0 for wrong in Wrong}, "flips": FLIPS}

    assert run.is_sound(sound)
    assert not any(run.is_sound({**sound, wrong.value: 1}) for wrong in Wrong)
