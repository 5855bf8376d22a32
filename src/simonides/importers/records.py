"""The events of an export that is a list of records: what was found in each, or what is wrong.

Must not know a format.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, Protocol

from simonides.errors import InvalidInput
from simonides.importers.json_parts import JsonPart
from simonides.model.item import Item
from simonides.ports.importer import ImportEvent, SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something that the export does not hold, or that cannot be read."""

    place: str
    reason: str


TEXT_CHARS_MAX = 2_000_000
"""Longest text of what was found in a record; a longer one is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What was found, whatever it is: where it comes from, and its id there."""

    source: str
    source_id: str

    @property
    def place(self) -> str:
        """How reports name it."""
        return self.source_id


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


BAD_RECORDS_MAX = 50
"""Bad records before the first good one after which a file is taken for something else."""


def record_events(
    file: SourceFile,
    parts: Iterable[JsonPart],
    found_in: FoundIn,
    *,
    kind: str = "tasks",
    group_records: int = GROUP_RECORDS,
) -> Iterator[ImportEvent]:
    """Yield the events of an export: of each record what was found in it.

    What is wrong with one record is reported with its place; the others are read. With groups of
    one record what was found comes in its own order, as the messages of a conversation do.
    """
    waiting: list[list[Item | Missing]] = []
    number, bad, has_good = 0, 0, False
    is_silent = True
    for number, part in enumerate(parts, start=1):
        waiting.append(list(_read(file, part, found_in)))
        is_silent = is_silent and not waiting[-1]
        has_good = has_good or any(isinstance(one, Item) for one in waiting[-1])
        bad += bool(waiting[-1])  # in a record of an app, such as who joined, nothing is found
        gives_up = bad >= BAD_RECORDS_MAX and not has_good
        if len(waiting) >= group_records or gives_up:
            yield from _in_waves(file, waiting, part.bytes_done)
            waiting = []
        if gives_up:
            reason = f"no {kind}: none of the first {number} records is good"
            yield file.skip(reason, bytes_done=file.size_bytes)
            return
    yield from _in_waves(file, waiting, file.size_bytes)
    if is_silent:
        yield file.skip(f"holds no {kind}", bytes_done=file.size_bytes)


def _in_waves(
    file: SourceFile, groups: list[list[Item | Missing]], bytes_done: int
) -> Iterator[ImportEvent]:
    for one in chain.from_iterable(zip_longest(*groups)):
        if isinstance(one, Item):
            yield file.keep(one, bytes_done=bytes_done)
        elif one is not None:
            yield file.skip(one.reason, part=one.place, bytes_done=bytes_done)


def _read(file: SourceFile, part: JsonPart, found_in: FoundIn) -> Iterator[Item | Missing]:
    if part.problem:
        yield Missing(place=part.place, reason=part.problem)
        return
    for found in found_in(part.value, file):
        place = found.place or part.place
        if isinstance(found, Missing):
            yield Missing(place=place, reason=found.reason)
            continue
        try:
            yield found.item()
        except InvalidInput as error:
            yield Missing(place=place, reason=str(error))
