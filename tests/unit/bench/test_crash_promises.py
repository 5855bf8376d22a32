"""The crash bench sees an engine that breaks its promises: in what it keeps and what it finds."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.lying import Lying, kept

from simonides.api.memory import Memory
from simonides.storage.sqlite.file_names import space_file
from simonides_bench.crash import recovery, words
from simonides_bench.crash.answers import answers, wrong_answers
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.found import SPACE, Found, Wanted, open_memory, read_found
from simonides_bench.crash.judge import Fault, Wrong, settle
from simonides_bench.crash.operation import (
    Add,
    Ask,
    BuildSurrogates,
    Close,
    Compact,
    DeleteBackground,
    Erase,
    Forget,
    KeepReceipt,
    Operation,
    PutBackground,
    RecordUsage,
    Restore,
    Update,
)
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recovery import recover, unsound
from simonides_bench.crash.state import State

A, B, C = (words.word(number) for number in (1, 2, 3))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path, clock=SteadyClock()) as made:
        yield made


# ── each operation does what the model says ───────────────────────────────────────────────────

SCRIPTS: list[tuple[Operation, ...]] = [
    (Add(pairs=(("s0-1", A),)),),
    (Add(pairs=(("s0-1", A), ("s0-2", B))), Add(pairs=(("s0-1", C),))),
    (Add(pairs=(("s0-1", A),)), Update(item_id="s0-1", word=B)),
    (Add(pairs=(("s0-1", A), ("s0-2", B))), Forget(ids=("s0-1",))),
    (Add(pairs=(("s0-1", A),)), Forget(ids=("s0-1",)), Restore(item_id="s0-1", word=A)),
    (Add(pairs=(("s0-1", A), ("s0-2", B))), Erase(ids=("s0-2",))),
    (Add(pairs=(("s0-1", A),)), Update(item_id="s0-1", word=B), Compact()),
    (Add(pairs=(("s0-1", A),)), RecordUsage(ids=("s0-1",)), RecordUsage(ids=("s0-1",))),
    (PutBackground(collection="s0", word=A), PutBackground(collection="s0", word=B)),
    (PutBackground(collection="s0", word=A), DeleteBackground(collection="s0", word=A)),
    (Add(pairs=(("s0-1", words.word(9, lead=words.LONG)),)), BuildSurrogates()),
    (Add(pairs=(("s0-1", A),)), Ask(word=A), Close(), Ask(word=A)),
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: type(one[-1]).__name__)
def test_what_an_operation_does_is_what_its_model_says(
    tmp_path: Path, script: tuple[Operation, ...]
) -> None:
    with open_memory(tmp_path, clock=SteadyClock()) as memory:
        state = kept(memory, *script)
    own = Promise(stream="s0", states=(state,), acknowledged=0, begun=0, least=0)
    seen = read_found(tmp_path, Wanted(states=(state,), collections=("s0",)))

    assert settle(seen, [own]) == ([own.settle(state)], [])
    assert recover(tmp_path, [own], random.Random(1)).faults == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: type(one[-1]).__name__)
def test_an_operation_that_is_left_out_is_seen_where_it_changes_anything(
    tmp_path: Path, script: tuple[Operation, ...]
) -> None:
    with open_memory(tmp_path, clock=SteadyClock()) as memory:
        before = kept(memory, *script[:-1])
    after = script[-1].after(before)
    own = Promise(stream="s0", states=(after,), acknowledged=0, begun=0, least=0)
    faults = recover(tmp_path, [own], random.Random(1)).faults

    assert bool(faults) is (replace(after, writes=0) != replace(before, writes=0))


def test_a_receipt_is_named_by_its_id_and_is_kept(tmp_path: Path) -> None:
    with open_memory(tmp_path, clock=SteadyClock()) as memory:
        state = kept(memory, Add(pairs=(("s0-1", A),)))
        receipt = KeepReceipt(word=A).do(memory)
    own = Promise(
        stream="s0", states=(state,), acknowledged=0, begun=0, least=0, receipts=(receipt,)
    )

    assert receipt
    assert recover(tmp_path, [own], random.Random(1)).faults == []
    lost = replace(own, receipts=("none",))
    assert Fault(wrong=Wrong.LOST, seen="receipt none") in (
        recover(tmp_path, [lost], random.Random(1)).faults
    )


# ── answers ───────────────────────────────────────────────────────────────────────────────────


def wrongs(memory: Any, *states: State) -> set[Wrong]:
    return {one.wrong for one in wrong_answers(memory, states, random.Random(1))}


def test_right_answers_have_no_fault(memory: Memory) -> None:
    state = kept(memory, Add(pairs=(("s0-1", A), ("s0-2", B))), Forget(ids=("s0-2",)))

    assert wrongs(memory, state) == set()
    assert wrongs(memory) == {Wrong.RESURRECTED}  # nothing should be there at all


def test_a_search_that_finds_nothing_has_lost(memory: Memory) -> None:
    state = kept(memory, Add(pairs=(("s0-1", A),)))
    nothing = replace(memory.search("nothing of that"), hits=())

    assert wrongs(Lying(memory, search=lambda *_, **__: nothing), state) == {Wrong.LOST}


def test_a_search_that_finds_a_dead_word_has_brought_it_back(memory: Memory) -> None:
    state = kept(memory, Add(pairs=(("s0-1", A), ("s0-2", B))))
    gone = Forget(ids=("s0-2",)).after(state)

    assert wrongs(memory, gone) == {Wrong.RESURRECTED}


def test_a_search_by_vector_alone_that_finds_what_is_gone_is_seen(memory: Memory) -> None:
    state = kept(memory, Add(pairs=(("s0-1", A), ("s0-2", B))))
    everything = memory.search(words.COMMON, mode="vector")
    Forget(ids=("s0-2",)).do(memory)
    gone = Forget(ids=("s0-2",)).after(state)

    def search(text: str, *, mode: str, **how: Any) -> Any:
        return everything if mode == "vector" else memory.search(text, mode=mode, **how)

    assert wrongs(memory, gone) == set()
    faults = list(wrong_answers(Lying(memory, search=search), [gone], random.Random(1)))  # type: ignore[arg-type]
    assert faults == [Fault(wrong=Wrong.RESURRECTED, seen="search by vector finds s0-2")]


def test_answers_are_compared_to_the_last_bit_of_their_scores(memory: Memory) -> None:
    kept(memory, Add(pairs=(("s0-1", A), ("s0-2", B))))
    [(question, hits)] = answers(memory, [f"{words.COMMON} {A}"])

    assert question == f"{words.COMMON} {A}"
    assert next(one for one, _ in hits) == "s0-1"
    assert answers(memory, [question]) == ((question, hits),)


# ── recovery ──────────────────────────────────────────────────────────────────────────────────


def promised(tmp_path: Path) -> list[Promise]:
    with open_memory(tmp_path, clock=SteadyClock()) as memory:
        state = kept(memory, Add(pairs=(("s0-1", A), ("s0-2", B))))
    return [Promise(stream="s0", states=(state,), acknowledged=0, begun=0, least=0)]


def test_what_was_written_after_a_fault_is_promised_from_then_on(tmp_path: Path) -> None:
    settled = recover(tmp_path, promised(tmp_path), random.Random(1), writes=3).promises

    assert [one.stream for one in settled] == ["s0", recovery.AFTER]
    assert sorted(settled[1].sure.present) == ["after-0", "after-1", "after-2"]
    space_file(tmp_path, SPACE).unlink()
    assert {one.wrong for one in recover(tmp_path, settled, random.Random(1)).faults} == {
        Wrong.LOST
    }


def test_a_space_that_was_never_made_is_sound_and_holds_nothing(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        assert unsound(memory) == []
    assert read_found(tmp_path, Wanted(states=(), collections=("s0",))) == Found()


# ── judging ───────────────────────────────────────────────────────────────────────────────────


@given(order=st.permutations(range(6)))
def test_faults_come_in_one_order_whatever_was_read_first(order: list[int]) -> None:
    state = State().put([("s0-a", A)])
    own = Promise(stream="s0", states=(state,), acknowledged=0, begun=0, least=0)
    present = {f"s0-{n}": (1, B) for n in order}
    births = dict.fromkeys(present, 1)

    _, faults = settle(Found(present=present, births=births), [own])

    assert [one.seen.split()[1] for one in faults] == [*(f"s0-{n}" for n in range(6)), "s0-a"]
