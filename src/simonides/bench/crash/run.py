"""`simonides bench crash`: how often what was acknowledged did not hold. Each figure should be 0.

Knows which trials there are and how their figures are called. Every figure is explained in
docs/reference/benchmarks.md.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simonides.bench.crash.cuts import cut_power
from simonides.bench.crash.flips import Kind, Noticed, flip_bits
from simonides.bench.crash.io_errors import IoTally, fail_disks
from simonides.bench.crash.judge import Wrong
from simonides.bench.crash.kills import Killer
from simonides.bench.crash.tally import EXAMPLES_MAX
from simonides.store.sqlite.watched import Failure

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """How many there are of each, and the seed that they are drawn from."""

    powercuts: int = 400
    kills: int = 20
    io_errors: int = 60
    flips: int = 90
    seed: int = 1

    @property
    def total(self) -> int:
        """How many there are in all."""
        return self.powercuts + self.kills + self.io_errors + self.flips


def run(trials: Trials, *, on_progress: Progress | None = None) -> dict[str, Any]:
    """Make all trials and return what was wrong after them.

    `lost`, `resurrected`, `torn`, `unopenable` and `unclear` count trials: power cuts, kills, and
    disks that break or are full. What a short read or a flipped bit does is counted apart.
    """
    started = time.monotonic()
    done = _counted(trials.total, on_progress or (lambda _done, _total: None))
    cuts = cut_power(trials.powercuts, seed=trials.seed, on_done=done(0))
    kills = Killer(seed=trials.seed).run(trials.kills, on_done=done(trials.powercuts))
    disks = fail_disks(
        trials.io_errors, seed=trials.seed, on_done=done(trials.powercuts + trials.kills)
    )
    flips = flip_bits(trials.flips, seed=trials.seed, on_done=done(trials.total - trials.flips))
    judged = [cuts, kills, disks[Failure.BROKEN], disks[Failure.FULL]]
    return {
        "powercuts": cuts.trials,
        "kills": kills.trials,
        "io_errors": disks[Failure.BROKEN].trials + disks[Failure.FULL].trials,
        **{wrong.value: sum(one.wrong[wrong] for one in judged) for wrong in Wrong},
        "refused": disks[Failure.BROKEN].refused + disks[Failure.FULL].refused,
        "short_reads": _short(disks[Failure.SHORT]),
        "flips": {
            kind.value: {"trials": one.trials, **{n.value: one.noticed[n] for n in Noticed}}
            for kind, one in flips.items()
        },
        "seed": trials.seed,
        "took_s": time.monotonic() - started,
        "examples": [text for one in judged for text in one.examples][:EXAMPLES_MAX],
    }


def is_sound(figures: Mapping[str, Any]) -> bool:
    """Return whether nothing was wrong: no fault, and no flip that did harm without a clear word.

    A flip in the log may cost the commits from there on: SQLite takes it for a write cut short.
    """
    flips = figures["flips"]
    index, database = flips[Kind.INDEX.value], flips[Kind.DATABASE.value]
    missed = (Noticed.UNNOTICED, Noticed.OLDER)
    return (
        not any(figures[wrong.value] for wrong in Wrong)
        and not any(one[Noticed.UNCLEAR.value] for one in flips.values())
        and not any(database[one.value] for one in missed)
        and index[Noticed.HARMLESS.value] == index["trials"]
    )


def _short(tally: IoTally) -> dict[str, int]:
    return {
        "trials": tally.trials,
        "refused": tally.refused,
        **{wrong.value: tally.wrong[wrong] for wrong in Wrong},
    }


def _counted(total: int, on_progress: Progress) -> Callable[[int], Callable[[int], object]]:
    """Return what makes, of the trials made before, a function told of those of one kind."""

    def beginning_at(before: int) -> Callable[[int], object]:
        return lambda count: on_progress(min(before + count, total), total)

    return beginning_at
