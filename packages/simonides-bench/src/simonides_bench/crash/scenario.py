"""The workloads that power cuts are tried on, each recorded from a seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from simonides_bench.crash.clocks import JumpingClock, SteadyClock
from simonides_bench.crash.first_format import first_format
from simonides_bench.crash.recording import Recording, Work, record
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.state import State
from simonides_bench.crash.stream import Plan, Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One kind of workload: `streams` threads of `operations` calls each.

    `weight` is its share of the cuts. `old` begins with a file of format 1, which is brought up
    to date first.
    """

    name: str
    operations: int
    streams: int = 1
    durability: str = "full"
    bulky: bool = False
    jumps: bool = False
    old: bool = False
    snapshots_every: int = 0
    weight: float = 1.0

    def record(self, seed: int) -> Recording:
        """Run it once; return all that happened."""
        files: Mapping[str, bytes] = {}
        begin = State()
        if self.old:
            files, begin = first_format()
        works = [self._work(number, seed, begin) for number in range(self.streams)]
        with scratch() as home:
            return record(
                home, works, name=f"{self.name} {seed}", files=files,
                clock=JumpingClock(seed) if self.jumps else SteadyClock(),
                durability=self.durability, snapshots_every=self.snapshots_every,
            )  # fmt: skip

    def _work(self, number: int, seed: int, begin: State) -> Work:
        plan = Plan(
            number=number, seed=seed, alone=self.streams == 1 and not self.bulky, bulky=self.bulky
        )
        stream = Stream(plan, begin=begin)
        operations = list(islice(stream, self.operations))
        return Work(stream=plan.name, operations=operations, states=tuple(stream.states))


SCENARIOS: Sequence[Scenario] = (
    Scenario(name="alone", operations=30, snapshots_every=7),
    Scenario(name="threads", operations=12, streams=4),
    Scenario(name="relaxed", operations=25, durability="relaxed", snapshots_every=4),
    Scenario(name="clock", operations=25, jumps=True),
    Scenario(name="format 1", operations=12, old=True),
    Scenario(name="bulky", operations=36, bulky=True, weight=0.2),
)
"""One writer; group commit; without a sync a commit; a clock that jumps; a file of an older format;
and so much text that the log is folded in while it is written to."""
