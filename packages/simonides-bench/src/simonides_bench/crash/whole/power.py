"""Power cuts on a whole home: after any change of any file, with some of what was not synced.

Knows how cuts are chosen and laid out. Must not know how a home is judged.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from simonides_bench.crash.cuts import Cut
from simonides_bench.crash.disk import Did, Disk, Keep
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.whole.elsewhere import elsewhere
from simonides_bench.crash.whole.judged import judge
from simonides_bench.crash.whole.recorded import Recorded, lay_out, record
from simonides_bench.crash.whole.scenarios import SCENARIOS, Scenario

_NAMED_SHARE = 0.6
"""Of the cuts that are drawn, so many come after a change of a name or a sync."""

OnDone = Callable[[int], object]
"""Is called with the number of trials made."""


def cut_home_power(
    count: int,
    *,
    seed: int = 1,
    scenarios: Sequence[Scenario] = SCENARIOS,
    on_done: OnDone = lambda _count: None,
) -> Tally:
    """Cut the power `count` times, the scenarios in turn; return what was wrong after it."""
    tally = Tally()
    for number, scenario in enumerate(scenarios):
        share = count // len(scenarios) + (number < count % len(scenarios))
        if share:
            with scratch() as folder:
                run = prepare(scenario, folder)
                try_home_cuts(run, share, folder=folder, seed=seed, tally=tally, on_done=on_done)
    return tally


def prepare(scenario: Scenario, folder: Path) -> Recorded:
    """Prepare a scenario in `folder`/template, run it in another process; return the record."""
    template = folder / "template"
    before = scenario.prepare(template)
    run = folder / "run"
    return elsewhere(record, scenario, template=template, root=run, before=before)


def choose_cuts(run: Recorded, count: int, draw: random.Random) -> list[Cut]:
    """Return cuts by rising position: after each step, and within steps, each as often as others.

    Within a step most come after changes of names and syncs: writes are most of all changes, and
    names are where promises about files break.
    """
    ends = [one.ended for one in run.done]
    cuts = [Cut(position=at, keep=keep) for keep in (Keep.NONE, Keep.HALF) for at in ends]
    draw.shuffle(cuts)
    cuts = cuts[: count // 2]
    while len(cuts) < count:
        cuts.append(Cut(position=_place(run, draw), keep=draw.choice(list(Keep))))
    return sorted(cuts, key=lambda cut: (cut.position, cut.keep))


def _place(run: Recorded, draw: random.Random) -> int:
    """Return a position within a step that was drawn."""
    step = draw.choice(run.done)
    places = range(step.began + 1, step.ended + 1)
    named = [n for n in places if run.changes[n - 1].did is not Did.WRITE]
    return draw.choice(named if named and draw.random() < _NAMED_SHARE else (places or [0]))


def try_home_cuts(
    run: Recorded,
    count: int,
    *,
    folder: Path,
    seed: int,
    tally: Tally,
    on_done: OnDone = lambda _count: None,
) -> None:
    """Try so many cuts of one record and note what comes of each."""
    draw = random.Random(f"home {run.name} {seed}")  # noqa: S311  a trial, no secret
    disk, at = Disk(run.files), 0
    for number, cut in enumerate(choose_cuts(run, count, draw)):
        for change in run.changes[at : cut.position]:
            disk.take(change)
        at = cut.position
        root = folder / str(number)
        lay_out(root, disk.after_power_cut(cut.keep, draw))
        where = f"home: {run.name}, change {cut.position}, {cut.keep}"
        tally.note(where, judge(root, run.judge(cut.position)))
        shutil.rmtree(root)
        on_done(tally.trials)
