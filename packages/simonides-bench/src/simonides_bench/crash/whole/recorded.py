"""One scenario run once: every change of every file, with what was begun and acknowledged.

Knows how to run steps under a watch. Must not know what a fault takes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from simonides_bench.crash.disk import Change
from simonides_bench.crash.whole.bytes_left import files_below
from simonides_bench.crash.whole.facts import OUT, Facts
from simonides_bench.crash.whole.file_calls import changes_watched
from simonides_bench.crash.whole.judged import Judged, names_below
from simonides_bench.crash.whole.scenarios import Scenario, copy
from simonides_bench.crash.whole.steps import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A step: where in the changes it began and ended, and the facts that hold after it."""

    step: Step
    began: int
    ended: int
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One run: the files before it, all changes in order, and its steps.

    `usual` are names of files that the steps leave in the home; `serves` is the scenario's.
    """

    name: str
    files: Mapping[str, bytes]
    changes: Sequence[Change]
    before: Facts
    done: Sequence[Done]
    usual: frozenset[str]
    serves: bool = False

    def judge(self, position: int) -> Judged:
        """Return what must be true once the first `position` changes were made."""
        sure = self.before
        for one in self.done:
            if one.ended <= position:
                sure = one.facts
                continue
            if one.began < position:
                return Judged(sure=sure, possible=one.facts, pending=one.step, usual=self.usual)
            break
        return Judged(sure=sure, usual=self.usual)


@dataclass(slots=True)
class ChangeRecorder:
    """Writes down every change; an adapter of `ChangeWatcher` that lets all of them be made."""

    changes: list[Change] = field(default_factory=list)

    def before(self, change: Change) -> None:
        """Let it be made."""

    def after(self, change: Change) -> None:
        """Write it down."""
        self.changes.append(change)


def record(scenario: Scenario, *, template: Path, root: Path, before: Facts) -> Recorded:
    """Run a scenario in a copy of what was prepared; return all that happened.

    Raises:
        Exception: What a step failed with: nothing here makes one fail.
    """
    copy(template, root)
    files = {name: path.read_bytes() for name, path in files_below(root)}
    recorder, done, facts, usual = ChangeRecorder(), [], before, names_below(root)
    for step in scenario.steps:
        began = len(recorder.changes)
        with changes_watched(root, recorder):
            result = step.do(root)
        facts = step.after(facts, result)
        usual |= names_below(root)
        done.append(Done(step=step, began=began, ended=len(recorder.changes), facts=facts))
    return Recorded(
        name=scenario.name, files=files, changes=tuple(recorder.changes), before=before,
        done=tuple(done), usual=usual, serves=scenario.serves,
    )  # fmt: skip


def lay_out(root: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a home, and whatever lies beside it, below a root."""
    (root / OUT).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
