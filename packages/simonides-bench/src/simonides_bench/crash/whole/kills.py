"""Verbs killed between two changes of files, in processes of their own.

Knows which step was under way and what was acknowledged. Must not know how a home is judged.
"""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.kills import DEADLINE_S, KILLED
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.whole.judged import Judged, judge
from simonides_bench.crash.whole.power import choose_cuts, prepare
from simonides_bench.crash.whole.recorded import Recorded
from simonides_bench.crash.whole.scenarios import SCENARIOS, Scenario, copy

VICTIM = (sys.executable, "-m", "simonides_bench.crash.whole.victim")


def kill_verbs(
    count: int,
    *,
    seed: int = 1,
    scenarios: Sequence[Scenario] = SCENARIOS,
    on_done: Callable[[int], object] = lambda _count: None,
) -> Tally:
    """Kill `count` processes, the scenarios in turn; return what was wrong after it."""
    tally = Tally()
    for number, scenario in enumerate(scenarios):
        share = count // len(scenarios) + (number < count % len(scenarios))
        if not share:
            continue
        draw = random.Random(f"kill {scenario.name} {seed}")  # noqa: S311  a trial, no secret
        with scratch() as folder:
            run = prepare(scenario, folder)
            for cut in choose_cuts(run, share, draw):
                root = copy(folder / "template", folder / "killed")
                where = f"home: {run.name}, killed at change {cut.position}"
                tally.note(where, kill_at(root, run, cut.position))
                shutil.rmtree(root)
                on_done(tally.trials)
    return tally


def kill_at(root: Path, run: Recorded, at: int) -> list[Fault]:
    """Run the steps in a process that kills itself at a change; return what is wrong."""
    try:
        ended = subprocess.run(  # noqa: S603  our own module
            (*VICTIM, str(root), run.name, str(max(1, at))),
            capture_output=True, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return [Fault(wrong=Wrong.HUNG, seen="the process did not end")]
    if ended.returncode not in (KILLED, 0):
        said = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return [Fault(wrong=Wrong.UNCLEAR, seen=f"status {ended.returncode}: {' '.join(said)}")]
    return judge(root, _judge(run, [json.loads(line) for line in ended.stdout.splitlines()]))


def _judge(run: Recorded, results: Sequence[str]) -> Judged:
    """Return what must be true once the steps of these results were acknowledged."""
    facts = run.before
    for one, result in zip(run.done, results, strict=False):
        facts = one.step.after(facts, result)
    if len(results) == len(run.done):
        return Judged(sure=facts, usual=run.usual)
    step = run.done[len(results)].step
    return Judged(sure=facts, possible=step.after(facts, ""), pending=step, usual=run.usual)
