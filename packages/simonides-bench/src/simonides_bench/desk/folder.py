"""A desk: a folder of real files with labelled questions.

Knows its files, and how they come into a memory: by the importers, through the public API. Must
not know how a question is asked or judged.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.api.paging import each_item
from simonides.errors import InvalidInput
from simonides.model.item import Item, Kind
from simonides_bench.desk.references import (
    CALENDAR,
    CHATS,
    MAIL,
    MEMORIES,
    NOTES,
    TASKS,
    reference,
    references,
)
from simonides_bench.desk.spaces import Part
from simonides_bench.neutral import Question, json_objects, moment
from simonides_bench.recall import BATCH_ITEMS, FIXED_NOW

QUESTIONS = "questions.jsonl"


class DeskFolder:
    """The desk in a folder, its questions already read.

    Raises:
        InvalidInput: The questions cannot be read; names the line.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.questions = [_question(where, one) for where, one in json_objects(folder / QUESTIONS)]

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def count(self) -> int:
        """How many questions there are."""
        return len(self.questions)

    def files(self) -> Iterator[Path]:
        """Yield the files that the memory is made of."""
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path.name != QUESTIONS:
                yield path

    def fill(self, memory: Memory) -> None:
        """Import the files of the desk, mail first: whoever owns it is found there."""
        for name in (MAIL, NOTES, CHATS, CALENDAR, TASKS):
            if (self.folder / name).exists():
                report = memory.import_(self.folder / name)
                if report.owner and not memory.owner:
                    memory.set_owner(*report.owner)
        memories = list(_memories(self.folder / MEMORIES))
        for start in range(0, len(memories), BATCH_ITEMS):
            memory.add(memories[start : start + BATCH_ITEMS])

    def parts(self, memory: Memory) -> Iterator[Part]:
        """Yield the one space of a desk."""
        names = references(each_item(memory), self.folder)
        yield Part(space=memory, questions=self.questions, names=names, now=FIXED_NOW)


def _memories(path: Path) -> Iterator[Item]:
    for where, fields in json_objects(path) if path.exists() else ():
        if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):
            raise InvalidInput(where, "is no object with text, the memory")
        yield Item(
            kind=Kind.MEMORY,
            content=fields["text"],
            source="memories",
            source_id=where.rpartition(":")[2],
            happened_at=moment(fields.get("happened_at"), where=where),
        )


def _question(where: str, fields: Any) -> Question:
    if not isinstance(fields, dict) or not isinstance(fields.get("question"), str):
        raise InvalidInput(where, "is no object with question, a text")
    return Question(
        id=str(fields.get("id") or where),
        group="",
        text=fields["question"],
        evidence=_read_label(where, fields, "evidence"),
        category=str(fields.get("category") or ""),
        at=moment(fields.get("now"), where=where),
        must_not=_read_label(where, fields, "must_not"),
        also_ok=_read_label(where, fields, "also_ok"),
        answer=str(fields.get("answer") or ""),
    )


def _read_label(where: str, fields: dict[str, Any], name: str) -> frozenset[str]:
    """Return the names of what a label means: a list of `{"file": …, "ref"?: …}`."""
    labels = fields.get(name) or []
    if not isinstance(labels, list) or not all(
        isinstance(one, dict) and isinstance(one.get("file"), str) for one in labels
    ):
        raise InvalidInput(where, f"needs {name}, a list of objects with file")
    return frozenset(reference(one["file"], str(one.get("ref") or "")) for one in labels)
