"""Power cuts: each prefix of a workload's calls, with this or that of what was not synced.

Knows how cuts are chosen and what is laid out for each. Must not know how a space is judged.
"""

import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simonides.storage.sqlite.file_names import snapshot_file
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.disk import Change, Disk, Keep
from simonides_bench.crash.found import SPACE
from simonides_bench.crash.judge import Fault
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recording import Indexed, Recording, Work, lay, record
from simonides_bench.crash.recovery import AFTER, after_add, recover
from simonides_bench.crash.scenario import SCENARIOS, Scenario
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.state import State
from simonides_bench.crash.tally import Tally

CUTS_A_RECORDING = 1_200
"""Cuts tried on one recording before another one, of another seed, is made."""

TWICE_EVERY = 10
"""Of so many cuts, one is followed by another while the space is being recovered."""

WRITES_MAX = 6
"""Items written after a cut at most: enough to reach the revision of an index that ran ahead."""

Done = Callable[[int], object]
"""Is called with the number of trials made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The power goes after `position` events, and this is kept of what was not synced."""

    position: int
    keep: Keep


def cut_power(
    count: int,
    *,
    seed: int = 1,
    scenarios: Sequence[Scenario] = SCENARIOS,
    on_done: Done = lambda _count: None,
) -> Tally:
    """Cut the power `count` times in all, over all scenarios; return what was wrong after it."""
    tally = Tally()
    for scenario, share in shares(scenarios, count):
        for turn, part in enumerate(_parts(share)):
            recording = scenario.record(seed + turn)
            for _ in try_cuts(recording, part, seed=seed, tally=tally):
                on_done(tally.trials)
    return tally


def shares(scenarios: Sequence[Scenario], count: int) -> Iterator[tuple[Scenario, int]]:
    """Yield each scenario with its part of `count`, by weight; together just `count`."""
    total = sum(one.weight for one in scenarios)
    given, weighed = 0, 0.0
    for one in scenarios:
        weighed += one.weight
        upto = round(count * weighed / total)
        yield one, upto - given
        given = upto


def _parts(count: int) -> Iterator[int]:
    while count > 0:
        yield min(count, CUTS_A_RECORDING)
        count -= CUTS_A_RECORDING


def try_cuts(recording: Recording, count: int, *, seed: int, tally: Tally) -> Iterator[Cut]:
    """Try so many cuts of one recording, note what comes of each, and yield it."""
    draw = random.Random(f"{recording.name} {seed}")  # noqa: S311  a trial, no secret
    disk, at = Disk(recording.files), 0
    with scratch() as folder:
        for number, cut in enumerate(choose_cuts(len(recording.events), count, draw)):
            for event in recording.events[at : cut.position]:
                if isinstance(event, Change):
                    disk.take(event)
            at = cut.position
            trial = _Trial(folder / str(number), recording, cut, draw)
            trial.run(disk, twice=number % TWICE_EVERY == 0, tally=tally)
            yield cut


def choose_cuts(events: int, count: int, draw: random.Random) -> list[Cut]:
    """Return cuts by rising position: each prefix as it is where there are enough, others random.

    Where there are fewer than prefixes, they lie evenly and keep this or that.
    """
    if count <= events:
        step = events / max(count, 1)
        return [
            Cut(position=int(step * (n + draw.random())), keep=draw.choice(list(Keep)))
            for n in range(count)
        ]
    prefixes = [Cut(position=n, keep=Keep.ALL) for n in range(events + 1)]
    others = [
        Cut(position=draw.randint(0, events), keep=draw.choice((Keep.NONE, Keep.HALF, Keep.TORN)))
        for _ in range(count - len(prefixes))
    ]
    return sorted([*prefixes, *others], key=lambda cut: (cut.position, cut.keep))


@dataclass(slots=True)
class _Trial:
    """One cut in a folder of its own."""

    home: Path
    recording: Recording
    cut: Cut
    draw: random.Random

    def run(self, disk: Disk, *, twice: bool, tally: Tally) -> None:
        """Lay out what the cut left, recover it, and note what was wrong."""
        files = self._with_index(disk.after_power_cut(self.cut.keep, self.draw))
        promises = self.recording.promises(self.cut.position)
        writes = 1 if self.recording.durable else self.draw.randint(1, WRITES_MAX)
        where = f"{self.recording.name}, event {self.cut.position}, {self.cut.keep}"
        faults = self._recover(files, promises, writes=writes)
        tally.note(where, faults)
        if twice and not faults:
            self._again(files, promises, where=where, tally=tally)

    def _recover(
        self, files: Mapping[str, bytes], promises: Sequence[Promise], *, writes: int
    ) -> Sequence[Fault]:
        lay(self.home, files)
        try:
            return recover(self.home, promises, self.draw, writes=writes).faults
        finally:
            shutil.rmtree(self.home)

    def _again(
        self, files: Mapping[str, bytes], promises: Sequence[Promise], *, where: str, tally: Tally
    ) -> None:
        """Recover under record, and cut the power somewhere in that."""
        second = self._record_again(files, promises)
        disk, position = Disk(second.files), self.draw.randint(0, len(second.events))
        for event in second.events[:position]:
            if isinstance(event, Change):
                disk.take(event)
        keep = self.draw.choice(list(Keep))
        left = disk.after_power_cut(keep, self.draw)
        faults = self._recover(left, second.promises(position), writes=1)
        tally.note(f"{where}, then event {position}, {keep}", faults)

    def _record_again(self, files: Mapping[str, bytes], promises: Sequence[Promise]) -> Recording:
        operations = [after_add(number) for number in range(2)]
        states = [State()]
        for one in operations:
            states.append(one.after(states[-1]))
        work = Work(stream=AFTER, operations=operations, states=tuple(states))
        try:
            return record(
                self.home, [work], name="again", files=files, clock=SteadyClock(), held=promises
            )
        finally:
            shutil.rmtree(self.home)

    def _with_index(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Add an index snapshot: none, the last one, an earlier one, or a damaged one."""
        before = self.recording.events[: self.cut.position]
        indexes = [event.content for event in before if isinstance(event, Indexed)]
        if not indexes:
            return dict(files)
        last = indexes[-1]
        half, cut_short = self.draw.randrange(len(last)), self.draw.randrange(len(last))
        damaged = last[:half] + bytes([last[half] ^ 1]) + last[half + 1 :]
        content = self.draw.choice(
            (None, last, last, self.draw.choice(indexes), last[:cut_short], damaged)
        )
        name = snapshot_file(self.home, SPACE).name
        others = {path: bytes_ for path, bytes_ in files.items() if path != name}
        return others if content is None else {**others, name: content}
