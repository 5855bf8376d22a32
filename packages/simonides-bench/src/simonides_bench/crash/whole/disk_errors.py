"""A disk that fails under a verb: at one change of any file, once or from then on, then is well.

Knows which changes can fail and what has to hold then. Must not know power cuts.
"""

import errno
import os
import random
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from simonides.errors import SimonidesError
from simonides_bench.crash.disk import Change, Did
from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.whole.bytes_left import erasure_records, files_left, temporary_copies
from simonides_bench.crash.whole.elsewhere import elsewhere
from simonides_bench.crash.whole.facts import Facts
from simonides_bench.crash.whole.file_calls import changes_watched
from simonides_bench.crash.whole.judged import Judged, judge
from simonides_bench.crash.whole.power import prepare
from simonides_bench.crash.whole.recorded import Recorded
from simonides_bench.crash.whole.scenarios import SCENARIOS, Scenario, copy
from simonides_bench.crash.whole.steps import Incomplete, Step

NEEDS_ROOM = frozenset({Did.CREATE, Did.WRITE, Did.MAKE_FOLDER, Did.LINK, Did.RENAME})
"""Changes that find no room on a full disk; a broken one fails at any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Illness:
    """A disk fails with an error number (`errno`) at the `at`-th change, once or from then on."""

    number: int
    at: int
    lasting: bool

    def __str__(self) -> str:
        name = errno.errorcode[self.number]
        return f"{name} at {self.at}{' and from then on' if self.lasting else ''}"


@dataclass(slots=True)
class IllWatcher:
    """Fails changes as an illness says; an adapter of `ChangeWatcher`. None is a well disk."""

    ill: Illness | None
    failed: list[Change] = field(default_factory=list)
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def failed_at(self) -> frozenset[Did]:
        """What sorts of changes failed."""
        return frozenset(one.did for one in self.failed)

    def before(self, change: Change) -> None:
        """Count the change, and fail it if it is its turn."""
        with self._lock:
            self._count += 1
            ill, count = self.ill, self._count
            if ill is None or count < ill.at or (count > ill.at and not ill.lasting):
                return
            if ill.number == errno.ENOSPC and change.did not in NEEDS_ROOM:
                return
            self.failed.append(change)
        raise OSError(ill.number, os.strerror(ill.number), change.path)

    def after(self, change: Change) -> None:
        """Take no note."""


@dataclass(slots=True)
class DiskTally(Tally):
    """Also how many steps were refused."""

    refused: int = 0


def fail_home_disks(
    count: int,
    *,
    seed: int = 1,
    scenarios: Sequence[Scenario] = SCENARIOS,
    on_done: Callable[[int], object] = lambda _count: None,
) -> DiskTally:
    """Try `count` illnesses, the scenarios in turn; return what was wrong after each."""
    tally = DiskTally()
    for number, scenario in enumerate(scenarios):
        share = count // len(scenarios) + (number < count % len(scenarios))
        draw = random.Random(f"ill {scenario.name} {seed}")  # noqa: S311  a trial, no secret
        with scratch() as folder:
            run = prepare(scenario, folder) if share else None
            for turn in range(share):
                if run is not None:
                    ill = draw_illness(run, draw)
                    try_illness(run, ill, folder=folder, name=str(turn), tally=tally)
                    on_done(tally.trials)
    return tally


def draw_illness(run: Recorded, draw: random.Random) -> Illness:
    """Return an illness that begins at one of the recorded changes, most of them no writes."""
    places = [n for n, one in enumerate(run.changes, start=1) if one.did is not Did.WRITE]
    at = draw.choice(places) if draw.random() < 0.5 else draw.randint(1, len(run.changes))  # noqa: PLR2004  half of them
    number = draw.choice((errno.EIO, errno.ENOSPC))
    return Illness(number=number, at=at, lasting=draw.random() < 0.5)  # noqa: PLR2004


def try_illness(run: Recorded, ill: Illness, *, folder: Path, name: str, tally: DiskTally) -> None:
    """Run the steps of a record on an ill disk until one is refused, and note what was wrong."""
    root = copy(folder / "template", folder / name)
    steps = [one.step for one in run.done]
    outcome = (
        elsewhere(run_ill, root, steps, ill, run.before)
        if run.serves
        else run_ill(root, steps, ill, run.before)
    )
    judged = Judged(sure=outcome.facts, possible=outcome.possible, pending=outcome.pending,
                    usual=run.usual)  # fmt: skip
    faults = [*outcome.faults, *_find_left_at_once(root, outcome, ill, run.usual)]
    tally.refused += outcome.pending is not None
    tally.note(f"home: {run.name}, {ill}", [*faults, *judge(root, judged)])
    shutil.rmtree(root)


def _find_left_at_once(
    root: Path, outcome: "Outcome", ill: Illness, usual: frozenset[str]
) -> list[Fault]:
    """Return temporary files that a refused step left, unless their removal was what failed.

    The record of an erasure is none: it stays until the erasure is finished.
    """
    if ill.lasting or Did.UNLINK in outcome.failed:
        return []
    when = "after a refusal"
    pending = outcome.pending is not None and outcome.pending.erases
    known = usual | erasure_records(root) if pending else usual
    return [*files_left(root, known, when=when), *temporary_copies(root, when=when)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of steps on an ill disk.

    `facts` hold for sure; where a step was refused it is `pending`, and `possible` may hold
    instead. `failed` is what the disk failed at.
    """

    facts: Facts
    pending: Step | None = None
    possible: Facts | None = None
    faults: tuple[Fault, ...] = ()
    failed: frozenset[Did] = frozenset()


def run_ill(root: Path, steps: Sequence[Step], ill: Illness, before: Facts) -> Outcome:
    """Do steps below `root` on an ill disk until one is refused; return what came of them."""
    watcher, facts = IllWatcher(ill), before
    for step in steps:
        faults: tuple[Fault, ...] = ()
        try:
            with changes_watched(root, watcher):
                result = step.do(root)
        except (SimonidesError, Incomplete):
            pass
        except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
            seen = f"{type(step).__name__}: {type(error).__name__}: {error}"
            faults = (Fault(wrong=Wrong.UNCLEAR, seen=seen),)
        else:
            facts = step.after(facts, result)
            continue
        possible = step.after(facts, "")
        return Outcome(facts=facts, pending=step, possible=possible, faults=faults,
                       failed=watcher.failed_at)  # fmt: skip
    return Outcome(facts=facts, failed=watcher.failed_at)
