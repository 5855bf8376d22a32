"""Labelled lives as the engine sees them: texts of chunks, and questions with answers.

Knows how the engine reads files and cuts items into chunks. Must not know what is learned from it.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from simonides import Memory, Settings
from simonides.api.paging import each_item
from simonides.ingest.prepare import Preparer, embedded_text
from simonides.model.item import Item
from simonides.models.embedding.minilm import IDENTITY
from simonides.text.chunk import Span
from simonides_bench.desk.folder import DeskFolder
from simonides_bench.desk.groups import NeutralFile
from simonides_bench.desk.spaces import Part

Meant = Callable[[frozenset[str]], tuple[tuple[str, ...], ...]]
"""Labels of a person's data to the items that each of them names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, for each piece of evidence the items that are it, and what else is said of it.

    `fine` are the items that answer it or repeat the answer, `must_not` those that look so and do
    not; nothing answers a question without evidence.
    """

    text: str
    answer: str
    evidence: tuple[tuple[str, ...], ...]
    fine: frozenset[str]
    must_not: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """All items of one person, each as the texts of its chunks, and the questions about them.

    `further` are questions to train on that nobody is judged by.
    """

    name: str
    items: dict[str, list[str]]
    questions: list[Question]
    further: list[Question]

    def to_train_on(self) -> "Person":
        """Return the person with all questions in one list."""
        return replace(self, questions=[*self.questions, *self.further], further=[])


def read_people(path: Path, further: Path | None = None) -> list[Person]:
    """Return the persons of a desk's folder, or of a file of the neutral format, by name.

    `further` is a folder with a file `NAME.jsonl` for each person of whom there are more questions.
    """
    source = DeskFolder(path) if path.is_dir() else NeutralFile(path)
    settings = Settings(embedder="none", timezone="UTC")
    with tempfile.TemporaryDirectory() as home, Memory(home, settings=settings) as memory:
        source.fill(memory)
        parts = list(source.parts(memory))
        names = [source.name] if len(parts) == 1 else [part.questions[0].group for part in parts]
        return [_person(name, part, further) for name, part in zip(names, parts, strict=True)]


def _person(name: str, part: Part, further: Path | None) -> Person:
    items = {one.id: _texts(one) for one in each_item(part.space)}
    owners: dict[str, list[str]] = {}
    for item_id in items:
        for label in sorted(part.names.get(item_id, ())):
            owners.setdefault(label, []).append(item_id)

    def meant(labels: frozenset[str]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(owners[label]) for label in sorted(labels) if label in owners)

    questions = [
        Question(
            text=one.text, answer=one.answer, evidence=meant(one.evidence),
            fine=frozenset(chain(*meant(one.evidence), *meant(one.also_ok))),
            must_not=tuple(chain(*meant(one.must_not))),
        )
        for one in part.questions
    ]  # fmt: skip
    more = [] if further is None else list(_further(further / f"{name}.jsonl", meant))
    return Person(name=name, items=items, questions=questions, further=more)


def _further(path: Path, meant: Meant) -> Iterator[Question]:
    """Yield the questions of a file, of lines {"question", "evidence": [labels], "answer"}."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        fields = json.loads(line)
        evidence = meant(frozenset(fields["evidence"]))
        yield Question(
            text=fields["question"], answer=fields["answer"], evidence=evidence,
            fine=frozenset(chain(*evidence)), must_not=(),
        )  # fmt: skip


def _texts(item: Item) -> list[str]:
    """Return what the engine embeds of an item: one text for each chunk."""
    [prepared] = Preparer(identity=IDENTITY, embedder=None).prepare([item])
    spans = [Span(start=one.start, stop=one.stop) for one in prepared.chunks]
    return [embedded_text(item, span) for span in spans]
