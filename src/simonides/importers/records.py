"""The events of an export that is a list of records: what was found in each, or what is wrong.

Must not know a format.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Protocol

from simonides.errors import InvalidInput
from simonides.importers.json_parts import Part
from simonides.model.item import Item
from simonides.ports.importer import ImportEvent, SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something that the export does not hold, or that cannot be read."""

    place: str
    reason: str


class Readable(Protocol):
    """What was found in a record: a task, a comment, a memory."""

    @property
    def place(self) -> str:
        """How reports name it."""
        ...

    def item(self) -> Item:
        """Return it as an item.

        Raises:
            InvalidInput: It has no words, or a field is longer than an item may hold.
        """
        ...


FoundIn = Callable[[Any, SourceFile], Iterable[Readable | Missing]]
"""What is found in one record of a file."""

GROUP_RECORDS = 64
"""So many records are handed out together, their oldest states first, then the next ones.

A second state of one item begins a new transaction; so one transaction holds states of many items.
"""


def record_events(
    file: SourceFile, parts: Iterable[Part], found_in: FoundIn, *, kind: str = "tasks"
) -> Iterator[ImportEvent]:
    """Yield the events of an export: of each record what was found in it.

    What is wrong with one record is reported with its place; the others are read.
    """
    waiting: list[list[ImportEvent]] = []
    is_empty = True
    for part in parts:
        is_empty = False
        waiting.append(list(_events(file, part, found_in)))
        if len(waiting) >= GROUP_RECORDS:
            yield from _in_waves(waiting, part.bytes_done)
            waiting = []
    yield from _in_waves(waiting, file.size_bytes)
    if is_empty:
        yield file.passed_over(f"holds no {kind}", bytes_done=file.size_bytes)


def _in_waves(groups: list[list[ImportEvent]], bytes_done: int) -> Iterator[ImportEvent]:
    for wave in zip_longest(*groups):
        for event in wave:
            if event is not None:
                yield replace(event, bytes_done=bytes_done)


def _events(file: SourceFile, part: Part, found_in: FoundIn) -> Iterator[ImportEvent]:
    if part.problem:
        yield file.passed_over(part.problem, part=part.place)
        return
    for found in found_in(part.value, file):
        place = found.place or part.place
        if isinstance(found, Missing):
            yield file.passed_over(found.reason, part=place)
            continue
        try:
            yield file.kept(found.item(), bytes_done=0)
        except InvalidInput as error:
            yield file.passed_over(str(error), part=place)
