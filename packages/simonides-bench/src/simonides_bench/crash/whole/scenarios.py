"""The scenarios of a whole home: steps that prepare it, and steps that are interrupted."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simonides_bench.crash import words
from simonides_bench.crash.whole.facts import OUT, Facts
from simonides_bench.crash.whole.steps import (
    AddItems,
    AddKilled,
    BackUp,
    Compact,
    Configure,
    CreateKey,
    EraseItems,
    EraseSpace,
    Export,
    ImportFile,
    Repair,
    RevokeKey,
    Step,
)
from simonides_bench.crash.whole.upload import Upload

WORDS = {
    name: words.word(11_000_000 + number, lead=words.BULKY if name == "bulk" else "")
    for number, name in enumerate(("bulk", "a", "b", "c", "d"))
}
"""The items of all scenarios, with their words; `bulk` is long enough for an index snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Steps that are done before, undisturbed, and steps that a fault befalls.

    `serves` says that one of them is a server's, which marks what it leaves with its process.
    """

    name: str
    before: Sequence[Step]
    steps: Sequence[Step]
    serves: bool = False

    def prepare(self, root: Path) -> Facts:
        """Do what comes before in an empty folder; return what then holds."""
        (root / OUT).mkdir(parents=True)
        facts = Facts()
        for step in self.before:
            facts = step.after(facts, step.do(root))
        return facts


def _some(*names: str) -> dict[str, str]:
    return {name: WORDS[name] for name in names}


_FILL = AddItems(items=_some("bulk", "a", "b"))
_COPY = BackUp(name="before.sqlite3")

SCENARIOS: Sequence[Scenario] = (
    Scenario(
        name="erase",
        before=(_FILL,),
        steps=(EraseItems(ids=("a",)), AddItems(items=_some("c")), EraseItems(ids=("b", "c"))),
    ),
    Scenario(
        name="erase everything",
        before=(_FILL, _COPY, AddItems(items=_some("c")), Repair(
            backup=_COPY.name, items=_some("bulk", "a", "b"))),
        steps=(EraseSpace(), AddItems(items=_some("d"))),
    ),
    Scenario(
        name="repair",
        before=(_FILL, _COPY, AddKilled(items=_some("d"))),
        steps=(
            Repair(), AddItems(items=_some("c")),
            Repair(backup=_COPY.name, items=_some("bulk", "a", "b")), EraseItems(ids=("a",)),
        ),
    ),
    Scenario(
        name="copies",
        before=(_FILL,),
        steps=(BackUp(name="one.sqlite3"), Export(name="one.simonides.jsonl"),
               AddItems(items=_some("c")), Export(name="two.simonides.jsonl")),
    ),
    Scenario(
        name="import",
        before=(AddItems(items=_some("a", "b")), Export(name="in.simonides.jsonl"), EraseSpace(),
                AddItems(items=_some("bulk"))),
        steps=(ImportFile(name="in.simonides.jsonl", items=_some("a", "b")), Compact()),
    ),
    Scenario(name="first steps", before=(), steps=(Configure(), AddItems(items=_some("a")))),
    Scenario(
        name="keys",
        before=(AddItems(items=_some("a")),),
        steps=(CreateKey(), CreateKey(), RevokeKey()),
    ),
    Scenario(
        name="upload",
        before=(_FILL, Export(name="up.simonides.jsonl")),
        steps=(Upload(name="up.simonides.jsonl", items={}), EraseItems(ids=("a", "b"))),
        serves=True,
    ),
)  # fmt: skip


def copy(template: Path, root: Path) -> Path:
    """Copy what a scenario prepared to a new folder; return that."""
    return Path(shutil.copytree(template, root))
