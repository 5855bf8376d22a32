"""The process that is killed: `python -m simonides_bench.crash.victim HOME`.

Says `ready`, waits for its orders (one line of JSON), then writes and reads with several threads
for ever, and says what was acknowledged, a line each: `done NUMBER RECEIPT`, or `failed WHY`
where it saw something that must not be.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from simonides.api.memory import Memory
from simonides.errors import NotFound
from simonides_bench.crash import words
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.found import open_memory
from simonides_bench.crash.state import State
from simonides_bench.crash.stream import Plan, Stream

_STDOUT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a process is to do: one writing thread for each number of `streams`, and readers."""

    seed: int
    streams: tuple[int, ...]
    readers: int
    durability: str

    def plans(self) -> list[Plan]:
        """Return what each writer draws from."""
        return [Plan(number=number, seed=self.seed) for number in self.streams]


def say(*what: object) -> None:
    """Write one line at once: a pipe takes it whole."""
    os.write(_STDOUT, (" ".join(str(one) for one in what) + "\n").encode())


def write(memory: Memory, plan: Plan) -> None:
    """Do a stream's operations one after the other for ever, and say each that returned."""
    stream = Stream(plan)
    for operation in stream:
        receipt = operation.do(memory)
        say("done", plan.number, receipt)
        check_own(memory, stream.states[-1])


def check_own(memory: Memory, state: State) -> None:
    """Say where a thread does not read what it wrote itself: the last of its items."""
    if state.present:
        one, kept = max(state.present.items(), key=lambda pair: pair[1].write)
        found = memory.get(one)
        if (found.version, words.word_of(found)) != (kept.version, kept.word):
            say("failed", f"{one} is read as version {found.version} right after {kept}")


def read(memory: Memory) -> None:
    """Search, list and brief for ever; say where an item is not whole."""
    while True:
        ids = [hit.item.id for hit in memory.search(words.COMMON, limit=20).hits]
        ids += [one.id for one in memory.list(limit=20).items]
        ids += [one.id for one in memory.brief(words.COMMON).items]
        for one in ids:
            if not whole(memory, one):
                say("failed", f"{one} is not whole")


def whole(memory: Memory, item_id: str) -> bool:
    """Return whether an item reads back whole, if it still is there."""
    try:
        return bool(words.word_of(memory.get(item_id)))
    except NotFound:
        return True


def call_and_say(call: Callable[[], object]) -> None:
    """Call it; say what it fails with."""
    try:
        call()
    except BaseException as error:
        say("failed", f"{type(error).__name__}: {error}".replace("\n", " "))
        raise


def main(home: Path, orders: Orders) -> None:
    """Run the threads that the orders name, until the process is killed."""
    memory = open_memory(home, clock=SteadyClock(), durability=orders.durability)
    calls = [partial(write, memory, plan) for plan in orders.plans()]
    calls += [partial(read, memory)] * orders.readers
    for call in calls:
        threading.Thread(target=call_and_say, args=(call,), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    say("ready")
    main(Path(sys.argv[1]), Orders(**json.loads(sys.stdin.readline())))
