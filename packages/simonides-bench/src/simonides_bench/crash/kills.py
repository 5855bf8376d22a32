"""Kills: a process that writes and reads with several threads is stopped at a random instant.

Knows when to kill and what was acknowledged until then. Must not know how a space is judged.
"""

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recovery import recover
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.stream import Stream
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.victim import Orders

VICTIM = (sys.executable, "-m", "simonides_bench.crash.victim")

WRITERS, READERS = 4, 2
"""Threads of each process that is killed."""

KILLS_A_SPACE = 10
"""Processes killed over one space, one after the other, before another one is begun."""

DONE_MAX = 80
"""Operations acknowledged before a kill at most; mostly fewer, and often none."""

DELAY_MAX_S = 0.03
"""How long after the last of these the kill comes at most: about as long as opening takes."""

DEADLINE_S = 120.0
"""How long a process may take; one that hangs is killed, and that is a fault."""


KILLED = 1 if sys.platform == "win32" else -9
"""The status of a process that was killed; with another one it was gone before the kill came."""


class Victim:
    """A process that has loaded its modules and waits for orders."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603  our own module
            (*VICTIM, str(home)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def kill(self, orders: Orders, *, done: int, delay_s: float) -> list[list[str]]:
        """Let it work, kill it after so many operations and a while; return what it said."""
        said: list[bytes] = []
        started = time.monotonic()
        deadline = threading.Timer(DEADLINE_S, self._process.kill)
        deadline.start()
        with suppress(BrokenPipeError), self._process as process:  # one that is gone tells below
            if process.stdin is not None and process.stdout is not None:  # they are pipes
                said.append(process.stdout.readline())
                process.stdin.write(json.dumps(asdict(orders)).encode() + b"\n")
                process.stdin.flush()
                said += [process.stdout.readline() for _ in range(done)]
                time.sleep(delay_s)
                process.kill()
                said += process.stdout.readlines()
        deadline.cancel()
        if time.monotonic() - started > DEADLINE_S:
            said.append(b"failed it hung\n")
        elif self._process.returncode != KILLED:
            said.append(b"failed it ended by itself, status %d\n" % self._process.returncode)
        return [line.decode().split() for line in said if line.endswith(b"\n")]

    def dismiss(self) -> None:
        """End it without orders."""
        with self._process as process:
            process.kill()


@dataclass(slots=True)
class _Space:
    """One space and what was promised of it so far."""

    home: Path
    promises: Sequence[Promise] = ()
    kills: int = 0


@dataclass(slots=True)
class Killer:
    """Kills processes over one space after another; `seed` decides what they do and when."""

    seed: int
    tally: Tally = field(default_factory=Tally)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(f"kills {self.seed}")  # noqa: S311  a trial, no secret

    def run(self, count: int, *, on_done: Callable[[int], object]) -> Tally:
        """Kill `count` processes; the next one loads its modules while the last one's is judged."""
        while self.tally.trials < count:
            with scratch() as folder:
                space = _Space(home=folder / "home")
                victim = Victim(space.home)
                for _ in range(min(KILLS_A_SPACE, count - self.tally.trials)):
                    said, orders = self._kill(victim, space)
                    victim = Victim(space.home)
                    self._judge(space, said, orders)
                    on_done(self.tally.trials)
                victim.dismiss()
        return self.tally

    def _kill(self, victim: Victim, space: _Space) -> tuple[list[list[str]], Orders]:
        first = space.kills * WRITERS
        space.kills += 1
        orders = Orders(
            seed=self._random.randrange(1 << 30),
            streams=tuple(range(first, first + WRITERS)),
            readers=READERS,
            durability=self._random.choice(("full", "full", "relaxed")),
        )
        done = int(DONE_MAX * self._random.random() ** 2)
        delay_s = DELAY_MAX_S * self._random.random()
        return victim.kill(orders, done=done, delay_s=delay_s), orders

    def _judge(self, space: _Space, said: list[list[str]], orders: Orders) -> None:
        where = f"kill {self.tally.trials + 1} of seed {self.seed}, after {len(said)} lines"
        promises = [*space.promises, *read_promises(said, orders)]
        recovery = recover(space.home, promises, self._random)
        space.promises = recovery.promises
        self.tally.note(where, [*failures(said), *recovery.faults])


def read_promises(said: Sequence[Sequence[str]], orders: Orders) -> list[Promise]:
    """Return what a killed process promised: all that was acknowledged, and perhaps one more each.

    A kill takes nothing that was written, synced or not.
    """
    promises = []
    for plan in orders.plans():
        stream = Stream(plan)
        own = [words for words in said if words[:2] == ["done", str(plan.number)]]
        stream.state(len(own) + 1)
        promises.append(
            Promise(
                stream=plan.name, states=tuple(stream.states), acknowledged=len(own),
                begun=len(own) + 1, least=len(own),
                receipts=tuple(one for words in own for one in words[2:]),
            )
        )  # fmt: skip
    return promises


def failures(said: Sequence[Sequence[str]]) -> list[Fault]:
    """Return what a process saw itself that must not be."""
    return [
        Fault(wrong=Wrong.UNCLEAR, seen=" ".join(words[1:]))
        for words in said
        if words[0] == "failed"
    ]
