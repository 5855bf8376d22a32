"""The crash bench sees what breaks its promises: processes and disks of our own fail."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.lying import kept

from simonides.api.memory import Memory
from simonides_bench.crash import run, victim, words
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.cuts import choose_cuts, cut_power
from simonides_bench.crash.disk import Disk, Keep
from simonides_bench.crash.flips import Kind, Noticed
from simonides_bench.crash.found import open_memory
from simonides_bench.crash.judge import Wrong
from simonides_bench.crash.operation import (
    Add,
)
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recording import Acknowledged, Begun, Recording
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.state import State
from simonides_bench.crash.tally import Tally

A, B, C = (words.word(number) for number in (1, 2, 3))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=SteadyClock()) as made:
        yield made


# ── recordings ────────────────────────────────────────────────────────────────────────────────

STATES = tuple(State(writes=n) for n in range(4))
EVENTS = (
    Begun(stream="s0"), Acknowledged(stream="s0", receipt="r1"), Begun(stream="s1"),
    Begun(stream="s0", erases=True), Acknowledged(stream="s0", receipt=""), Begun(stream="s0"),
)  # fmt: skip


def recording(*, durable: bool = True) -> Recording:
    return Recording(
        name="r", files={}, events=EVENTS, states={"s0": STATES, "s1": STATES}, durable=durable,
        held=(Promise(stream="h", states=STATES, acknowledged=0, begun=0, least=0),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("position", "least", "begun", "receipts", "erasing"),
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
    position: int, least: int, begun: int, receipts: tuple[str, ...], erasing: bool
) -> None:
    held, own, other = recording().promises(position)

    assert (own.least, own.begun, own.receipts, own.erasing) == (least, begun, receipts, erasing)
    assert (held.stream, other.stream) == ("h", "s1")
    assert other.begun == (1 if position > 2 else 0)


def test_without_syncs_nothing_is_sure_but_the_beginning() -> None:
    _, own, _ = recording(durable=False).promises(6)

    assert (own.least, own.acknowledged, own.begun) == (0, 2, 3)
    assert own.receipts == ()
    assert own.erasing  # its bytes may still be there: its commit was not synced
    assert len(own.allowed) == 4


# ── cuts and scratch ──────────────────────────────────────────────────────────────────────────


@given(events=st.integers(0, 60), count=st.integers(0, 90), seed=st.integers())
def test_cuts_are_as_many_as_asked_for_in_order_and_within_the_recording(
    events: int, count: int, seed: int
) -> None:
    cuts = choose_cuts(events, count, random.Random(seed))

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


# ── the process that is killed ────────────────────────────────────────────────────────────────


def test_an_item_in_part_is_not_whole_and_one_that_is_gone_is_no_fault(memory: Memory) -> None:
    kept(memory, Add(pairs=(("s0-1", A),)))
    assert victim.whole(memory, "s0-1")
    assert victim.whole(memory, "nobody")

    memory.update("s0-1", title="Another title")
    assert not victim.whole(memory, "s0-1")


# ── failing disks ─────────────────────────────────────────────────────────────────────────────


# ── flips and figures ─────────────────────────────────────────────────────────────────────────


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


def test_progress_counts_all_kinds_of_trials_as_one_row() -> None:
    reported: list[tuple[int, int]] = []
    counts = {"cuts": 5, "kills": 4, "peers": 1}
    beginning_at = run._make_counter(counts, lambda done, total: reported.append((done, total)))
    for count in (1, 2):
        beginning_at("cuts")(count)
    beginning_at("kills")(1)
    beginning_at("peers")(4)  # a cut during recovery counts besides

    assert reported == [(1, 10), (2, 10), (6, 10), (10, 10)]
