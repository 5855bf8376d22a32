"""One space after a fault: opened as the next process would, judged, asked and written to.

Knows the order in which that is done. Must not know which fault it was.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from simonides.api.memory import Memory
from simonides.errors import NotFound, SimonidesError
from simonides.storage.sqlite.file_names import snapshot_file
from simonides_bench.crash import words
from simonides_bench.crash.answers import answers, wrong_answers
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.found import SPACE, open_memory, read_found
from simonides_bench.crash.judge import Fault, Wrong, list_wanted, settle
from simonides_bench.crash.operation import Add
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.state import State

AFTER = "after"
"""The stream of what is written once the space is back."""

_AFTER_WORDS = 30_000_000
"""Where the words of that stream begin: no other stream comes that far."""


@dataclass(slots=True)
class Recovery:
    """What came of one recovery: the faults seen, and the promises as they were settled."""

    faults: list[Fault] = field(default_factory=list)
    promises: Sequence[Promise] = ()


def recover(
    home: Path, promises: Sequence[Promise], draw: random.Random, *, writes: int = 1
) -> Recovery:
    """Open the space of a home after a fault and return all that is wrong with it.

    Judges what is there, asks, writes `writes` items more, and opens it twice again: with the
    index that lies beside it, and without. Both must answer alike, and as the model says.
    """
    recovery = Recovery(promises=promises)
    try:
        _recover(home, recovery, draw, writes=writes)
    except SimonidesError as error:
        recovery.faults.append(Fault(wrong=Wrong.UNOPENABLE, seen=_say(error)))
    except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
        recovery.faults.append(Fault(wrong=Wrong.UNCLEAR, seen=_say(error)))
    return recovery


def _recover(home: Path, recovery: Recovery, draw: random.Random, *, writes: int) -> None:
    with open_memory(home, clock=SteadyClock()) as memory:
        if any(one.erasing for one in recovery.promises) and is_there(memory):
            memory.repair()  # as `verify` advises where an erasure was broken off
        recovery.faults += unsound(memory)
        look = list_wanted(recovery.promises)
        recovery.promises, faults = settle(read_found(home, look), recovery.promises)
        recovery.faults += faults
        if recovery.faults:
            return
        recovery.faults += wrong_answers(memory, _states(recovery), draw)
        for _ in range(writes):
            recovery.promises = _with_one_more(memory, recovery.promises)
    with open_memory(home, clock=SteadyClock()) as memory:
        before = answers(memory, _questions(recovery))
    snapshot_file(home, SPACE).unlink(missing_ok=True)
    with open_memory(home, clock=SteadyClock()) as memory:
        if answers(memory, _questions(recovery)) != before:
            recovery.faults.append(Fault(wrong=Wrong.TORN, seen="answers change with the index"))
        recovery.faults += wrong_answers(memory, _states(recovery), draw)
        found = read_found(home, list_wanted(recovery.promises))
        _settled, faults = settle(found, recovery.promises)
        recovery.faults += faults


def unsound(memory: Memory) -> list[Fault]:
    """Return what `verify` finds; a space that is not there yet is sound."""
    return [
        Fault(wrong=Wrong.UNOPENABLE, seen=f"verify: {one.check}: {one.detail}")
        for one in (memory.verify() if is_there(memory) else ())
        if not one.sound
    ]


def is_there(memory: Memory) -> bool:
    """Return whether the space was ever made, so that it can be looked through."""
    try:
        memory.stats()
    except NotFound:
        return False
    return True


def after_add(number: int) -> Add:
    """Return the add that is the `number`-th of the stream of those that come after."""
    return Add(pairs=((f"{AFTER}-{number}", words.word(_AFTER_WORDS + number)),))


def _with_one_more(memory: Memory, promises: Sequence[Promise]) -> list[Promise]:
    """Add an item to the stream of those that come after; return all promises with it."""
    others = [one for one in promises if one.stream != AFTER]
    state = next((one.sure for one in promises if one.stream == AFTER), State())
    add = after_add(len(state.present))
    add.do(memory)
    states = (add.after(state),)
    return [*others, Promise(stream=AFTER, states=states, acknowledged=0, begun=0, least=0)]


def _states(recovery: Recovery) -> list[State]:
    return [promise.sure for promise in recovery.promises]


def _questions(recovery: Recovery) -> list[str]:
    """Return a question that all items share, and that has a word of one."""
    some = sorted(word for state in _states(recovery) for word in state.words.values())
    return [" ".join([words.COMMON, *some[:1]])]


def _say(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
