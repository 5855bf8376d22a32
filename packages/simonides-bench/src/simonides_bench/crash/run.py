"""`simonides bench crash`: how often what was acknowledged did not hold. Each figure should be 0.

Knows which trials there are and how their figures are called. Every figure is explained in
docs/reference/benchmarks.md.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from simonides_bench.crash.cuts import cut_power
from simonides_bench.crash.flips import Kind, Noticed, flip_bits
from simonides_bench.crash.io_errors import IoTally, fail_disks
from simonides_bench.crash.judge import Wrong
from simonides_bench.crash.kills import Killer
from simonides_bench.crash.peers.trial import torment
from simonides_bench.crash.tally import EXAMPLES_MAX, Tally
from simonides_bench.crash.whole.disk_errors import fail_home_disks
from simonides_bench.crash.whole.kills import kill_verbs
from simonides_bench.crash.whole.power import cut_home_power
from simonides_bench.fault_vfs import Failure

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """How many there are of each, and the seed that they are drawn from.

    Those of the `home` befall every file that is written; the first three SQLite's alone. With
    `minutes` above 0 all of them are repeated, each time with the next seed, until these are over.
    """

    powercuts: int = 400
    kills: int = 20
    io_errors: int = 60
    flips: int = 90
    home_powercuts: int = 160
    home_kills: int = 16
    home_io_errors: int = 80
    peers: int = 1
    minutes: int = 0
    seed: int = 1

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(getattr(self, name) for name in COUNTS)


COUNTS = ("powercuts", "kills", "io_errors", "flips", "home_powercuts", "home_kills",
          "home_io_errors", "peers")  # fmt: skip
"""The trials in the order in which they are made; each name is a field of `Trials`."""


def run(trials: Trials, *, on_progress: Progress | None = None) -> dict[str, Any]:
    """Make all trials and return what was wrong after them.

    `lost`, `resurrected`, `torn` and so on count trials: power cuts, kills, disks that break or are
    full, and servers with misbehaving clients. What a short read or a flipped bit does is counted
    apart.
    """
    started = time.monotonic()
    report = on_progress or (lambda _done, _total: None)
    if not trials.minutes:
        figures = _round(trials, report)
        rounds = 1
    else:
        figures, rounds = _rounds(trials, report)
    return {**figures, "rounds": rounds, "seed": trials.seed, "took_s": time.monotonic() - started}


def _rounds(trials: Trials, report: Progress) -> tuple[dict[str, Any], int]:
    """Repeat all trials until the minutes are over; return the sums and the number of rounds."""
    begun, last_s = time.monotonic(), 60 * trials.minutes

    def on_progress(_done: int, _total: int) -> None:
        report(min(int(time.monotonic() - begun), last_s), last_s)

    figures, rounds = _round(trials, on_progress), 1
    while time.monotonic() - begun < last_s:
        one = _round(replace(trials, seed=trials.seed + rounds), on_progress)
        figures, rounds = _add_up(figures, one), rounds + 1
    return figures, rounds


def _add_up(first: Any, second: Any) -> Any:
    """Return the sum of figures: numbers and lists are added up, groups member by member."""
    if isinstance(first, dict):
        return {name: _add_up(first[name], second[name]) for name in first}
    total = first + second
    return total[:EXAMPLES_MAX] if isinstance(total, list) else total


def _round(trials: Trials, on_progress: Progress) -> dict[str, Any]:
    """Make all trials once and return the figures."""
    seed, counts = trials.seed, {name: getattr(trials, name) for name in COUNTS}
    done = _make_counter(counts, on_progress)
    cuts = cut_power(trials.powercuts, seed=seed, on_done=done("powercuts"))
    kills = Killer(seed=seed).run(trials.kills, on_done=done("kills"))
    disks = fail_disks(trials.io_errors, seed=seed, on_done=done("io_errors"))
    flips = flip_bits(trials.flips, seed=seed, on_done=done("flips"))
    home_disks = fail_home_disks(trials.home_io_errors, seed=seed, on_done=done("home_io_errors"))
    home: dict[str, Tally] = {
        "home_powercuts": cut_home_power(
            trials.home_powercuts, seed=seed, on_done=done("home_powercuts")
        ),
        "home_kills": kill_verbs(trials.home_kills, seed=seed, on_done=done("home_kills")),
        "home_io_errors": home_disks,
        "peers": torment(trials.peers, seed=seed, on_done=done("peers")),
    }
    ill = [disks[Failure.BROKEN], disks[Failure.FULL]]
    judged = [cuts, kills, *ill, *home.values()]
    return {
        "powercuts": cuts.trials,
        "kills": kills.trials,
        "io_errors": sum(one.trials for one in ill),
        **{name: one.trials for name, one in home.items()},
        **{wrong.value: sum(one.wrong[wrong] for one in judged) for wrong in Wrong},
        "refused": sum(one.refused for one in ill) + home_disks.refused,
        "short_reads": _short(disks[Failure.SHORT]),
        "flips": {
            kind.value: {"trials": one.trials, **{n.value: one.noticed[n] for n in Noticed}}
            for kind, one in flips.items()
        },
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


def _make_counter(
    counts: Mapping[str, int], on_progress: Progress
) -> Callable[[str], Callable[[int], object]]:
    """Return what makes, of the name of a kind of trials, a function to call with their number."""
    total = sum(counts.values())

    def beginning_at(name: str) -> Callable[[int], object]:
        before = sum(list(counts.values())[: list(counts).index(name)])
        return lambda count: on_progress(min(before + count, total), total)

    return beginning_at
