"""A disk that fails: at each call in turn, once or from then on, and then is well again.

Knows which calls can fail and what has to hold meanwhile and after. Must not know power cuts.
"""

import random
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from simonides.errors import NotFound, StoreError
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.cuts import Done
from simonides_bench.crash.found import open_memory
from simonides_bench.crash.judge import Fault, Wrong, expected_part
from simonides_bench.crash.operation import (
    Add,
    Ask,
    Close,
    DeleteBackground,
    Erase,
    Forget,
    KeepReceipt,
    Operation,
    PutBackground,
    RecordUsage,
    Update,
)
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recovery import AFTER, after_add, recover
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.state import State
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.words import LONG, word
from simonides_bench.fault_vfs import Call, Failure, What, watch_files

_CAN_FAIL = {
    Failure.BROKEN: frozenset(What),
    Failure.FULL: frozenset({What.WRITE, What.OPEN}),
    Failure.SHORT: frozenset({What.READ}),
}
"""Which calls each failure can befall: only what needs room finds none, only reads are short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ill:
    """How a disk is ill: from the `at`-th call on that can fail so, `lasting` or only that once."""

    failure: Failure
    at: int
    lasting: bool


@dataclass(slots=True)
class IllDisk:
    """Fails as `ill` says, never where that is None; an adapter of `Watcher`."""

    ill: Ill | None = None
    calls: Counter[Failure] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def before(self, call: Call) -> Failure | None:
        """Count the call, and fail it if it is its turn."""
        with self._lock:
            self.calls.update(one for one in Failure if call.what in _CAN_FAIL[one])
            ill = self.ill
            if ill is None or call.what not in _CAN_FAIL[ill.failure]:
                return None
            count = self.calls[ill.failure]
            return ill.failure if count == ill.at or (ill.lasting and count > ill.at) else None

    def after(self, call: Call) -> None:
        """Take no note."""


def script() -> list[Operation]:
    """Return the operations of every trial: each kind of write, a search, two closes."""
    return [
        Add(pairs=(("s0-1", word(1)), ("s0-2", word(2)), ("s0-3", word(3)))),
        Add(pairs=(("s0-4", word(4, lead=LONG)),)),
        Update(item_id="s0-1", word=word(5)),
        Ask(word=word(5)),
        Forget(ids=("s0-2",)),
        RecordUsage(ids=("s0-1", "s0-3")),
        PutBackground(collection="s0", word=word(6)),
        Close(),
        Add(pairs=(("s0-5", word(7)), ("s0-3", word(8)))),
        Erase(ids=("s0-4",)),
        KeepReceipt(word=word(7)),
        DeleteBackground(collection="s0", word=word(6)),
        Close(),
    ]


@dataclass(slots=True)
class IoTally(Tally):
    """Also how many operations were refused, and of those how many took effect all the same."""

    refused: int = 0
    took_effect: int = 0


def fail_disks(
    count: int, *, seed: int = 1, on_done: Done = lambda _count: None
) -> dict[Failure, IoTally]:
    """Try `count` illnesses, or all there are if they are fewer; return what came of each kind."""
    tallies = {failure: IoTally() for failure in Failure}
    draw = random.Random(f"disks {seed}")  # noqa: S311  a trial, no secret
    with scratch() as folder:
        for number, ill in enumerate(illnesses(folder / "healthy", count, draw)):
            _try(folder / str(number), ill, draw, tallies[ill.failure])
            on_done(number + 1)
    return tallies


def illnesses(home: Path, count: int, draw: random.Random) -> list[Ill]:
    """Return `count` of the illnesses that the script can meet, or all of them."""
    disk = IllDisk()
    with watch_files(disk):
        memory = open_memory(home, clock=SteadyClock())
        for operation in script():
            operation.do(memory)
    every = [
        Ill(failure=failure, at=at, lasting=lasting)
        for failure, lasting in product(Failure, (False, True))
        for at in range(1, disk.calls[failure] + 1)
    ]
    return sorted(draw.sample(every, count), key=every.index) if count < len(every) else every


def _try(home: Path, ill: Ill, draw: random.Random, tally: IoTally) -> None:
    disk = IllDisk(ill=ill)
    where = f"{ill.failure} at {ill.at}{' and from then on' if ill.lasting else ''}"
    with watch_files(disk):
        trial = _Trial(home)
        trial.run()
        disk.ill = None
        trial.add_when_well()
        trial.close()
    tally.refused += trial.refused
    recovery = recover(home, trial.promises(), draw)
    tally.note(where, [*trial.faults, *recovery.faults])
    settled = [expected_part(one.sure) for one in recovery.promises if one.stream == "s0"]
    tally.took_effect += bool(settled and settled[0] != expected_part(trial.least))


class _Trial:
    """The script on one disk, and what it may have come to.

    An operation that was refused may have taken effect or not, but not in part.
    """

    def __init__(self, home: Path) -> None:
        self._memory = open_memory(home, clock=SteadyClock())
        self.faults: list[Fault] = []
        self.refused = 0
        self.least = State()
        self._may_be: list[State] = [State()]
        self._receipts: list[str] = []
        self._erasing = False
        self._after: list[Promise] = []

    def run(self) -> None:
        """Do every operation, whatever becomes of it."""
        for operation in script():
            self._do(operation)

    def close(self) -> None:
        """Close the memory, which never fails: what could not be folded in stays in the log."""
        self._memory.close()

    def add_when_well(self) -> None:
        """Add an item, which has to work again at once."""
        add = after_add(0)
        try:
            add.do(self._memory)
        except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
            self.faults.append(Fault(wrong=Wrong.UNOPENABLE, seen=f"when well again: {error!r}"))
            return
        states = (add.after(State()),)
        self._after = [Promise(stream=AFTER, states=states, acknowledged=0, begun=0, least=0)]

    def promises(self) -> Sequence[Promise]:
        """Return what must hold now."""
        last = len(self._may_be) - 1
        own = Promise(
            stream="s0", states=tuple(self._may_be), acknowledged=0, begun=last, least=0,
            receipts=tuple(self._receipts), erasing=self._erasing,
        )  # fmt: skip
        return [own, *self._after]

    def _do(self, operation: Operation) -> None:
        self._erasing |= isinstance(operation, Erase)
        try:
            receipt = operation.do(self._memory)
        except StoreError:
            self.refused += 1
            self._may_be += [operation.after(one) for one in self._may_be]
        except NotFound as error:
            if not self.refused:  # else it may be an item whose add was refused
                self.faults.append(
                    Fault(wrong=Wrong.LOST, seen=f"{type(operation).__name__}: {error}")
                )
        except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
            self.faults.append(
                Fault(wrong=Wrong.UNCLEAR, seen=f"{type(operation).__name__}: {error!r}")
            )
            self._may_be += [operation.after(one) for one in self._may_be]
        else:
            self.least = operation.after(self.least)
            self._may_be = [operation.after(one) for one in self._may_be]
            self._receipts += [receipt] if receipt else []
