"""The crash bench sees what breaks its promises: processes and disks of our own fail."""

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.lying import Lying, kept

from simonides.api.memory import Memory
from simonides.errors import NotFound, StoreCorrupt, StoreFull
from simonides_bench.crash import flips, io_errors, kills, run, victim, words
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.cuts import chosen, cut_power
from simonides_bench.crash.disk import Disk, Keep
from simonides_bench.crash.flips import FlipTally, Kind, Noticed
from simonides_bench.crash.found import Found, opened
from simonides_bench.crash.io_errors import IoTally
from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.kills import Killer, Victim, failures
from simonides_bench.crash.operation import (
    Add,
    Update,
)
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recording import Acknowledged, Begun, Recording
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.state import State
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.victim import Orders
from simonides_bench.crash.whole.disk_errors import DiskTally
from simonides_bench.fault_vfs import Failure

PAGE = Path(__file__).parents[3] / "docs/reference/benchmarks.md"
A, B, C = (words.word(number) for number in (1, 2, 3))
ORDERS = Orders(seed=3, streams=(0,), readers=0, durability="full")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path, clock=SteadyClock()) as made:
        yield made


# ── recordings ────────────────────────────────────────────────────────────────────────────────

STATES = tuple(State(writes=n) for n in range(4))
EVENTS = (
    Begun(stream="s0"), Acknowledged(stream="s0", told="r1"), Begun(stream="s1"),
    Begun(stream="s0", erases=True), Acknowledged(stream="s0", told=""), Begun(stream="s0"),
)  # fmt: skip


def recording(*, durable: bool = True) -> Recording:
    return Recording(
        name="r", files={}, events=EVENTS, states={"s0": STATES, "s1": STATES}, durable=durable,
        held=(Promise(stream="h", states=STATES, acknowledged=0, begun=0, least=0),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("position", "least", "begun", "told", "erasing"),
    [
        (0, 0, 0, (), False),
        (1, 0, 1, (), False),
        (2, 1, 1, ("r1",), False),
        (4, 1, 2, (), True),
        (5, 2, 2, (), False),
        (6, 2, 3, (), False),
    ],
)
def test_what_holds_after_so_many_events_is_what_was_said_until_then(
    position: int, least: int, begun: int, told: tuple[str, ...], erasing: bool
) -> None:
    held, own, other = recording().promises(position)

    assert (own.least, own.begun, own.told, own.erasing) == (least, begun, told, erasing)
    assert (held.stream, other.stream) == ("h", "s1")
    assert other.begun == (1 if position > 2 else 0)


def test_without_syncs_nothing_is_sure_but_the_beginning() -> None:
    _, own, _ = recording(durable=False).promises(6)

    assert (own.least, own.acknowledged, own.begun) == (0, 2, 3)
    assert own.told == ()
    assert own.erasing  # its bytes may still be there: its commit was not synced
    assert len(own.allowed) == 4


# ── cuts and scratch ──────────────────────────────────────────────────────────────────────────


@given(events=st.integers(0, 60), count=st.integers(0, 90), seed=st.integers())
def test_cuts_are_as_many_as_asked_for_in_order_and_within_the_recording(
    events: int, count: int, seed: int
) -> None:
    cuts = chosen(events, count, random.Random(seed))

    assert len(cuts) == count
    assert [one.position for one in cuts] == sorted(one.position for one in cuts)
    assert all(0 <= one.position <= events for one in cuts)


def test_no_cuts_are_no_trials() -> None:
    done: list[int] = []

    assert cut_power(0, on_done=done.append) == Tally()
    assert done == []


def test_a_scratch_folder_is_gone_afterwards_whatever_happened() -> None:
    with scratch() as folder:
        (folder / "a").write_bytes(b"x")
    with pytest.raises(ZeroDivisionError), scratch() as second:
        raise ZeroDivisionError

    assert not folder.exists()
    assert not second.exists()


def test_a_disk_without_writes_gives_back_what_it_began_with() -> None:
    files = {"b": b"2", "a": b"1"}

    for keep in Keep:
        assert Disk(files).after_power_cut(keep, random.Random(1)) == files
    assert Disk(files).unsynced == 0


# ── killed processes ──────────────────────────────────────────────────────────────────────────


def killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, *, done: int = 0
) -> list[list[str]]:
    """Return what a process said that runs `code` and is killed."""
    monkeypatch.setattr(kills, "VICTIM", (sys.executable, "-c", code))
    return Victim(tmp_path).killed(ORDERS, done=done, delay_s=0.0)


def test_a_process_that_works_until_it_is_killed_has_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    works = "import time; print('ready\\ndone 0', flush=True); time.sleep(60)"
    said = killed(monkeypatch, tmp_path, works, done=1)

    assert said == [["ready"], ["done", "0"]]
    assert failures(said) == []


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(3)", 3),
        ("print('ready', flush=True); import os; os.read(0, 1); os._exit(0)", 0),
    ],
)
def test_a_process_that_ends_by_itself_tests_nothing_and_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, status: int
) -> None:
    said = killed(monkeypatch, tmp_path, code, done=2)

    assert [one.seen for one in failures(said)] == [f"it ended by itself, status {status}"]


def test_a_process_that_hangs_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kills, "DEADLINE_S", 0.3)
    hangs = "import time; print('ready', flush=True); time.sleep(60)"
    said = killed(monkeypatch, tmp_path, hangs, done=1)

    assert [one.seen for one in failures(said)] == ["it hung"]


def test_half_a_line_was_not_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torn = "import time; print('ready\\ndone 0\\ndo', end='', flush=True); time.sleep(60)"

    assert killed(monkeypatch, tmp_path, torn, done=1) == [["ready"], ["done", "0"]]


def test_each_trial_of_kills_judges_what_was_said_of_that_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dismissed: list[Path] = []

    class Idle:
        def __init__(self, home: Path) -> None:
            self.home = home

        def killed(self, orders: Orders, **_: Any) -> list[list[str]]:
            return [["ready"], ["failed", "s", str(orders.streams[0])]]

        def dismiss(self) -> None:
            dismissed.append(self.home)

    monkeypatch.setattr(kills, "Victim", Idle)
    monkeypatch.setattr(kills, "KILLS_A_SPACE", 2)
    tally = Killer(seed=1).run(3, on_done=lambda _count: None)

    assert (tally.trials, tally.wrong) == (3, {Wrong.UNCLEAR: 3})
    assert [one.rpartition(": ")[2] for one in tally.examples] == ["s 0", "s 4", "s 0"]
    assert len(set(dismissed)) == 2


# ── the process that is killed ────────────────────────────────────────────────────────────────


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(victim, "say", lambda *what: lines.append(" ".join(map(str, what))))
    return lines


def test_a_writer_says_each_operation_that_returned(memory: Memory, said: list[str]) -> None:
    left = iter(range(5))

    class Enough(Exception):
        pass

    def add(*given: Any, **rest: Any) -> Any:
        if next(left, None) is None:
            raise Enough
        return memory.add(*given, **rest)

    with pytest.raises(Enough):
        victim.write(Lying(memory, add=add), ORDERS.plans()[0])  # type: ignore[arg-type]

    assert len(said) >= 5
    assert all(line.startswith("done 0") for line in said)


def test_a_thread_that_does_not_read_its_own_write_says_so(memory: Memory, said: list[str]) -> None:
    state = kept(memory, Add(pairs=(("s0-1", A),)))
    victim.check_own(memory, state)
    assert said == []

    victim.check_own(memory, Update(item_id="s0-1", word=B).after(state))
    assert said[0].startswith("failed s0-1 is read as version 1 right after")


def test_an_item_in_part_is_not_whole_and_one_that_is_gone_is_no_fault(memory: Memory) -> None:
    kept(memory, Add(pairs=(("s0-1", A),)))
    assert victim.whole(memory, "s0-1")
    assert victim.whole(memory, "nobody")

    memory.update("s0-1", title="Another title")
    assert not victim.whole(memory, "s0-1")


def test_what_a_thread_fails_with_is_said_on_one_line(said: list[str]) -> None:
    def fail() -> None:
        raise ValueError("first\nsecond")

    with pytest.raises(ValueError, match="first"):
        victim.told(fail)

    assert said == ["failed ValueError: first second"]


# ── failing disks ─────────────────────────────────────────────────────────────────────────────


def tried(monkeypatch: pytest.MonkeyPatch, home: Path, error: Exception) -> Any:
    """Return the trial of an engine whose adds fail so on a disk that is well."""

    def fail(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(Memory, "add", fail)
    trial = io_errors._Trial(home)
    trial.run()
    trial.close()
    return trial


def test_something_that_is_not_found_though_nothing_was_refused_is_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trial = tried(monkeypatch, tmp_path, NotFound("item", "s0-1"))

    assert trial.refused == 0
    assert {one.wrong for one in trial.faults} == {Wrong.LOST}
    assert trial.faults[0].seen == "Add: no item 's0-1'"


def test_an_error_that_is_not_the_stores_is_unclear(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trial = tried(monkeypatch, tmp_path, OSError("disk"))

    assert Fault(wrong=Wrong.UNCLEAR, seen="Add: OSError('disk')") in trial.faults


def test_a_refused_operation_may_have_taken_effect_or_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trial = tried(monkeypatch, tmp_path, StoreFull("no room"))
    [own] = trial.promises()

    assert trial.faults == []
    assert trial.refused >= 3
    assert len(own.allowed) >= 2**trial.refused / 2
    assert trial.least.present == {}


def test_a_store_that_does_not_recover_when_the_disk_is_well_is_unopenable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trial = tried(monkeypatch, tmp_path, StoreFull("no room"))
    trial.add_when_well()

    assert [one.wrong for one in trial.faults] == [Wrong.UNOPENABLE]
    assert trial.faults[0].seen.startswith("when well again: StoreFull")
    assert len(trial.promises()) == 1


# ── flips and figures ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("error", "noticed"),
    [(StoreCorrupt("page 3"), Noticed.REFUSED), (KeyError("x"), Noticed.UNCLEAR)],
)
def test_how_a_flip_is_noticed_is_told_by_what_reading_fails_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, noticed: Noticed
) -> None:
    whole = flips._Whole(
        files={"s.sqlite3": b"abc"}, victim="s.sqlite3", promises=(), question="q",
        served=(Found(), (), {}),
    )  # fmt: skip

    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(flips, "_served", fail)

    assert flips._try(whole, tmp_path / "home", random.Random(1)) is noticed
    assert not (tmp_path / "home").exists()


def figures(**rest: Any) -> dict[str, Any]:
    sound = {"trials": 4, **{one.value: 0 for one in Noticed}, "harmless": 4}
    return {**{one.value: 0 for one in Wrong}, "flips": {one.value: sound for one in Kind}, **rest}


def test_only_what_nobody_can_promise_is_sound_after_a_flip() -> None:
    def flipped(kind: Kind, **noticed: int) -> dict[str, Any]:
        there = figures()["flips"]
        return figures(flips={**there, kind.value: {**there[kind.value], **noticed}})

    assert run.is_sound(figures())
    assert run.is_sound(flipped(Kind.LOG, harmless=0, older=4))
    assert run.is_sound(flipped(Kind.DATABASE, harmless=0, refused=3, by_verify=1))
    assert not run.is_sound(flipped(Kind.DATABASE, harmless=3, unnoticed=1))
    assert not run.is_sound(flipped(Kind.DATABASE, harmless=3, older=1))
    assert not run.is_sound(flipped(Kind.DATABASE, harmless=3, unclear=1))
    assert not run.is_sound(flipped(Kind.INDEX, harmless=3, unnoticed=1))
    assert not run.is_sound(flipped(Kind.INDEX, harmless=3, refused=1))


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials that come to nothing at once."""
    monkeypatch.setattr(run, "cut_power", lambda *_a, **_k: Tally())
    monkeypatch.setattr(Killer, "run", lambda *_a, **_k: Tally())
    monkeypatch.setattr(run, "fail_disks", lambda *_a, **_k: {one: IoTally() for one in Failure})
    monkeypatch.setattr(run, "flip_bits", lambda *_a, **_k: {one: FlipTally() for one in Kind})
    monkeypatch.setattr(run, "cut_home_power", lambda *_a, **_k: Tally())
    monkeypatch.setattr(run, "kill_verbs", lambda *_a, **_k: Tally())
    monkeypatch.setattr(run, "fail_home_disks", lambda *_a, **_k: DiskTally())
    monkeypatch.setattr(run, "torment", lambda *_a, **_k: Tally())


@pytest.mark.usefixtures("empty")
def test_every_figure_is_told_in_the_reference() -> None:
    section = PAGE.read_text("utf-8").split("## Crash\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([\w.…]+)`", row)}
    made = run.run(run.Trials(powercuts=0, kills=0, io_errors=0, flips=0))
    json.dumps(made, allow_nan=False)

    plain = {name for name in told if "." not in name and "…" not in name}
    assert plain == set(made) - {"flips"}
    assert {name.removeprefix("….") for name in told if name.startswith("….")} == {
        one.value for one in Noticed
    }
    assert run.is_sound(made)


def test_progress_counts_all_kinds_of_trials_as_one_row() -> None:
    told: list[tuple[int, int]] = []
    counts = {"cuts": 5, "kills": 4, "peers": 1}
    beginning_at = run._counted(counts, lambda done, total: told.append((done, total)))
    for count in (1, 2):
        beginning_at("cuts")(count)
    beginning_at("kills")(1)
    beginning_at("peers")(4)  # a cut during recovery counts besides

    assert told == [(1, 10), (2, 10), (6, 10), (10, 10)]
