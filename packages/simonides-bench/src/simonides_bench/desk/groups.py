"""A file of the neutral format as labelled data: one space for each of its groups.

Knows how groups become spaces. Must not know how a question is asked or judged.
"""

from collections.abc import Iterator
from pathlib import Path

from simonides.api.memory import Memory
from simonides_bench.desk.spaces import Part
from simonides_bench.neutral import read_groups
from simonides_bench.recall import ProgressCounter, keep_group, now_of


class NeutralFile:
    """The groups of a file, already read.

    Raises:
        InvalidInput: The file is not of the neutral format; names the line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.groups = read_groups(path)

    @property
    def name(self) -> str:
        """The name of the file, without its ending."""
        return self.path.stem

    @property
    def count(self) -> int:
        """How many questions there are."""
        return sum(len(one.questions) + len(one.unanswerable) for one in self.groups)

    def files(self) -> Iterator[Path]:
        """Yield the file."""
        yield self.path

    def fill(self, memory: Memory) -> None:
        """Add the items of each group to a space of its own."""
        for number, group in enumerate(self.groups):
            keep_group(_space(memory, number), group, ProgressCounter(total=0, on_progress=None))

    def parts(self, memory: Memory) -> Iterator[Part]:
        """Yield the space of each group."""
        for number, group in enumerate(self.groups):
            yield Part(
                space=_space(memory, number),
                questions=[*group.questions, *group.unanswerable],
                names={one.id: frozenset({one.source_id}) for one in group.items},
                now=now_of(group),
            )


def _space(memory: Memory, number: int) -> Memory:
    return memory.in_space(f"group-{number}")
